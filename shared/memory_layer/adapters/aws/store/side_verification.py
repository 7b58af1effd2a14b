"""Verification of a project's items beside its records, each against the digest that was written with it.

Claims are left out: for a minute they settle who stored a content first, and nothing is kept in them.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Final

from memory_layer.adapters.aws.table import keys, lifecycle_keys
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.record_items import DIGEST, Item, attributes_digest, number_of, text_of
from memory_layer.adapters.aws.table.records_table import READ_CHUNK, KeyRange, RecordsTable
from memory_layer.adapters.stored_form.stored_values import authors_flaw, tuning_flaw
from memory_layer.domain.integrity.verification import NO_MATCH, UNREADABLE, BrokenPart, Part, SideRecord
from memory_layer.domain.memory import Scope
from memory_layer.manifest.tables import BY_AGE

_NAMES: Final[dict[str, tuple[Part, str]]] = {
    "verdict": ("verdict", "id"),
    "answer": ("answer", "key"),
    "answer_body": ("answer", "key"),
    "positions": ("positions", "session_id"),
    "receipt": ("receipt", "recall_id"),
    "run": ("run", "run_id"),
    "staged": ("staged", "id"),
    "feedback": ("feedback", "memory"),
    "run_entry": ("run", "id"),
    "staged_entry": ("staged", "id"),
    "operation": ("operation", "id"),
    "quota": ("quota", "key"),
    "event": ("event", "id"),
    "event_entry": ("event", "id"),
    "activity": ("activity", "kind"),
    "log": ("log", "id"),
    "policy": ("settings", "kind"),
    "assembly": ("settings", "kind"),
    "authors": ("settings", "kind"),
    "pair": ("pair", "id"),
    "pair_entry": ("pair", "id"),
    "pair_link": ("pair", "id"),
}
"""By what an item is: what it is called, and the attribute that names it."""

_SEALED: Final = (
    ("assembly", lifecycle_keys.assembly_key, tuning_flaw),
    ("authors", lifecycle_keys.authors_key, authors_flaw),
)
"""Items whose text has a digest of its own: their keys, and what tells a flaw."""

_LISTED: Final = {
    "run": keys.runs_partition,
    "staged": keys.staging_partition,
    "pair": lifecycle_keys.pairs_partition,
}
_KEYS: Final = {"run": keys.run_key, "staged": keys.staged_key, "pair": lifecycle_keys.pair_key}


class DynamoSideVerification:
    """Reader of a project's own partitions, and of the other items that the index by age lists."""

    def __init__(self, table: RecordsTable, reading: BatchReads) -> None:
        self._table = table
        self._reading = reading

    def all(self, scope: Scope) -> Iterator[SideRecord]:
        """Reads as IntegrityStore.beside, but for what `record_verification` reads: verdicts, bodies, tombstones."""
        for receipts in keys.receipts_partitions(scope):
            yield from _checked_items("receipt", self._partition(receipts))
        yield from _checked_items("feedback", self._partition(keys.feedback_partition(scope)))
        yield from _checked_items("log", self._partition(keys.log_partition(scope)))
        yield from _checked_items("policy", self._reading.items([keys.policy_key(scope)]))
        yield from self._sealed(scope)
        yield from _checked_items("activity", self._reading.items([lifecycle_keys.activity_key(scope)]))
        yield from _checked_items("event_entry", self._partition(lifecycle_keys.open_events_partition(scope)))
        for what, partition in _LISTED.items():
            for entries in self._pages(KeyRange(partition(scope), " ", "~")):
                yield from _checked_items(f"{what}_entry", entries)
                yield from _checked_items(what, self._items(_keys_of_entries(scope, what, entries)))
        for owner in (keys.project_partition(scope), keys.tenant_partition(scope.tenant)):
            listed = KeyRange(
                keys.listed_items_partition(owner),
                " ",
                "~",
                index=BY_AGE.name,
                keys=(BY_AGE.partition_key, BY_AGE.sort_key),
            )
            for page in self._pages(listed):
                for item in self._items([{"pk": item["pk"], "sk": item["sk"]} for item in page]):
                    yield from _checked_items(item["sk"]["S"], [item])

    def _sealed(self, scope: Scope) -> Iterator[SideRecord]:
        for what, key, flaw_of in _SEALED:
            for item in self._reading.items([key(scope)]):
                beside = checked_side_item(what, item)
                flaw = flaw_of(text_of(item, "policy")) if beside is None else None
                if flaw is not None:
                    beside = SideRecord(BrokenPart(scope.project, None, "settings", flaw))
                if beside is not None:
                    yield beside

    def _partition(self, partition: str) -> Iterator[Item]:
        return chain.from_iterable(self._pages(KeyRange(partition, " ", "~")))

    def _pages(self, part: KeyRange) -> Iterator[list[Item]]:
        return self._table.pages(part, repeat(READ_CHUNK))

    def _items(self, wanted: Sequence[Key]) -> Iterator[Item]:
        return self._reading.items(wanted) if wanted else iter(())


def _keys_of_entries(scope: Scope, what: str, entries: Iterable[Item]) -> list[Key]:
    """Keys of the items that entries name; an entry that names none any more is reported already."""
    key_of = _KEYS[what]
    ids = dict.fromkeys(entry["id"]["S"] for entry in entries if "S" in entry.get("id", {}))
    return [key_of(scope, id) for id in ids]


def _checked_items(what: str, items: Iterable[Item]) -> Iterator[SideRecord]:
    for item in items:
        beside = checked_side_item(what, item)
        if beside is not None:
            yield beside


def checked_side_item(what: str, item: Item, memory: str | None = None) -> SideRecord | None:
    """Result of the check of an item; None: it is as written. Args: what: of _NAMES; memory: its owner."""
    part, name = _NAMES[what]
    id, told = _name_of(item, name), f"of memory {memory}: " if memory else ""
    try:
        stored = text_of(item, DIGEST)
        if stored is None:
            return SideRecord()
        is_sound = stored == attributes_digest(item) and (what != "positions" or _counts_agree(item))
    except UNREADABLE as error:
        return SideRecord(BrokenPart(id, None, part, f"{told}cannot be read: {error}"))
    return None if is_sound else SideRecord(BrokenPart(id, None, part, f"{told}{NO_MATCH}"))


def _counts_agree(item: Item) -> bool:
    """Compares the two counts of positions, which are given out in place."""
    return number_of(item, "next_free") == number_of(item, "next_free_again")


def _name_of(item: Item, name: str) -> str:
    """Name that an item has for people, or else its key."""
    value = item.get(name, {}).get("S")
    return (
        value
        if isinstance(value, str) and value.isprintable()
        else " ".join(item[key]["S"] for key in ("pk", "sk"))
    )
