"""Erasure of the items beside records, and their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Executor
from functools import partial
from typing import Any, Final, get_args

from memory_layer.adapters.aws.store.commits import ErasedBodies
from memory_layer.adapters.aws.store.history import VersionItems
from memory_layer.adapters.aws.store.listing import PARTITIONS
from memory_layer.adapters.aws.store.partition_erasure import redaction_of_version, remove_context
from memory_layer.adapters.aws.store.project_marks import WriteMarks
from memory_layer.adapters.aws.store.sessions import SessionEntries
from memory_layer.adapters.aws.table import keys, lifecycle_keys, record_items
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.history_items import item_digest
from memory_layer.adapters.aws.table.keys import AFTER_HASH, ANSWER_BODY, VERDICT, VERSION
from memory_layer.adapters.aws.table.records_table import ConditionFailed, KeyRange, RecordsTable
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.learning.implicit_feedback import name_of
from memory_layer.domain.memory import POSITION_MAX, Memory, OutcomeResult, Ref, Scope
from memory_layer.manifest.tables import BY_AGE

_SETTINGS: Final = (keys.policy_key, lifecycle_keys.assembly_key, lifecycle_keys.authors_key)
_RESULTS: Final[dict[str, record_items.Value]] = {
    f":{result}": {"S": result} for result in get_args(OutcomeResult)
}
_NAMES: Final = {"#p": "principal", "#n": "note", "#b": "by", "#r": "reason", "#v": "verb"}
_NOTED: Final = (
    "(#p = :name AND attribute_exists(#n)) OR"
    f" (#b = :name AND attribute_exists(#r) AND #v IN ({', '.join(_RESULTS)}))"
)


def forget_notes_of_record(table: RecordsTable, scope: Scope, id: str, principal: str) -> int:
    """Forgets the notes on one record and counts the verdicts that had one; after a crash it does what is left."""
    return sum(_forget(table, item) for item in list(_items_with_notes(table, scope, id, principal)))


def _items_with_notes(
    table: RecordsTable, scope: Scope, id: str, principal: str
) -> Iterator[record_items.Item]:
    """Verdicts with a note of the principal, then versions: in the order of their keys."""
    part = KeyRange(
        keys.record_partition(scope, id),
        VERDICT,
        f"{VERSION[:-1]}{AFTER_HASH}",
        where=_NOTED,
        filtered=_NAMES,
        values={":name": {"S": principal}, **_RESULTS},
    )
    return table.whole(part)


def _forget(table: RecordsTable, item: record_items.Item) -> bool:
    """Removes the note of an item, and says that it was a verdict."""
    is_version = item["sk"]["S"].startswith(VERSION)
    name, digest = ("reason", item_digest) if is_version else ("note", record_items.attributes_digest)
    left = {key: value for key, value in item.items() if key != name}
    request: dict[str, Any] = {
        "Key": {"pk": item["pk"], "sk": item["sk"]},
        "UpdateExpression": "REMOVE #name",
        "ConditionExpression": "attribute_exists(pk)",
        "ExpressionAttributeNames": {"#name": name},
    }
    # a damaged item keeps the digest that shows the damage
    if record_items.text_of(item, record_items.DIGEST) == digest(item):
        request["UpdateExpression"] += " SET #digest = :digest"
        request["ExpressionAttributeNames"]["#digest"] = record_items.DIGEST
        request["ExpressionAttributeValues"] = {":digest": {"S": digest(left)}}
    try:
        table.update(**request)
    except ConditionFailed:
        return False  # the record itself was erased
    return not is_version


_STORES: Final = {"version": "versions", "verdict": "verdicts", "answer": "answers", "pair": "pairs"}
"""Names of stores, by the beginning of a sort key."""


class ErasureItems:
    """Erasure of the items beside records, in all projects: the port ports.maintenance.ErasureStore."""

    def __init__(
        self,
        table: RecordsTable,
        reading: BatchReads,
        sessions: SessionEntries,
        bodies: Bodies,
        erased: ErasedBodies,
        marks: WriteMarks,
        executor: Executor,
        versions: VersionItems,
    ) -> None:
        self._table = table
        self._reading = reading
        self._sessions = sessions
        self._bodies = bodies
        self._erased = erased
        self._marks = marks
        self._executor = executor
        self._versions = versions

    def traces(self, scope: Scope, ids: Collection[str]) -> Mapping[str, Mapping[str, int]]:
        """Counts traces as the port; a query for each id, side by side."""
        wanted = list(dict.fromkeys(ids))
        counts = dict(
            zip(wanted, self._executor.map(lambda id: self._counted(scope, id), wanted), strict=True)
        )
        names = ("pk", *record_items.VECTOR_ATTRIBUTES)
        for item in self._reading.items([keys.record_key(scope, id) for id in wanted], names):
            counts[keys.id_of(item)]["vectors"] = sum(name in item for name in record_items.VECTOR_ATTRIBUTES)
        named = {name_of(Ref(scope.project, id)): id for id in wanted}
        for item in self._reading.items([keys.feedback_key(scope, name) for name in named], ("sk",)):
            counts[named[item["sk"]["S"]]]["feedback"] = 1
        return {id: dict(found) for id, found in counts.items()}

    def _counted(self, scope: Scope, id: str) -> Counter[str]:
        end = f"{max(VERSION, VERDICT)[:-1]}{AFTER_HASH}"
        part = KeyRange(keys.record_partition(scope, id), ANSWER_BODY, end, names=("sk",))
        kinds = (item["sk"]["S"].partition("#")[0] for item in self._table.whole(part))
        return Counter(_STORES[kind] for kind in kinds if kind in _STORES)

    def forget_receipts(self, scope: Scope, principal: str | None) -> int:
        names = ("pk", "sk", "principal", "recall_id", "run_id")
        found = [
            item
            for partition in keys.receipts_partitions(scope)
            for item in self._table.whole(KeyRange(partition, " ", "~", names=names))
            if principal is None or record_items.text_of(item, "principal") == principal
        ]
        marks = [
            keys.run_recall_key(scope, item["run_id"]["S"], item["recall_id"]["S"])
            for item in found
            if "run_id" in item
        ]
        self._table.delete_each([*({"pk": item["pk"], "sk": item["sk"]} for item in found), *marks])
        return len(found)

    def forget_notes(self, scope: Scope, principal: str) -> int:
        """Forgets notes by a query for each record, side by side: no list has verdicts by their author."""
        forget = partial(forget_notes_of_record, self._table, scope, principal=principal)
        return sum(self._executor.map(forget, sorted(self._ids(scope))))

    def forget_answers(self, scope: Scope) -> int:
        """Forgets the answers of a project; bodies lie beside their record, or beside none."""
        end = f"{ANSWER_BODY[:-1]}{AFTER_HASH}"
        part = KeyRange(keys.record_partition(scope, ""), ANSWER_BODY, end, names=("pk", "sk"))
        found = [{"pk": item["pk"], "sk": item["sk"]} for item in self._table.whole(part)]
        self._table.delete_each(found)
        return len(found)

    def redact_versions(
        self, scope: Scope, id: str, first: int, last: int, redacted: Callable[[Memory], Memory]
    ) -> None:
        partition = keys.record_partition(scope, id)
        part = KeyRange(partition, keys.version_sort(first), keys.version_sort(last))
        for action in [redaction_of_version(item, redacted) for item in self._table.whole(part)]:
            remove_context(self._table, action)
        bodies = KeyRange(partition, ANSWER_BODY, f"{ANSWER_BODY[:-1]}{AFTER_HASH}", names=("pk", "sk"))
        self._table.delete_each([{"pk": item["pk"], "sk": item["sk"]} for item in self._table.whole(bodies)])
        self._marks.renew([scope])
        self._bodies.keep_only(scope, id, {one.memory.content_hash for one in self._versions.all(scope, id)})

    def forget_sessions(self, scope: Scope, session_ids: Collection[str]) -> int:
        left = [id for id in session_ids if not self._sessions.turns(scope, id, 0, POSITION_MAX)]
        self._sessions.forget(scope, left)
        return self._delete_there([keys.positions_key(scope, id) for id in left])

    def forget_project(self, scope: Scope) -> Mapping[str, int]:
        bodies = self._bodies.erase_project(scope, but=self._ids(scope))
        forgotten = {**self._forget_items(scope), "bodies": bodies}
        self._marks.renew([scope])
        return forgotten

    def settle(self, *, rewrites: bool = False) -> bool:  # noqa: ARG002 pages are the table's own affair
        """Deletes bodies that this process erased, and says that none is left; backups end by their rule (35 days)."""
        return self._erased.settle()

    def _forget_items(self, scope: Scope) -> dict[str, int]:
        return {
            "settings": self._delete_there([key(scope) for key in _SETTINGS]),
            "pairs": self._forget_pairs(scope),
            "implicit_feedback": self._forget_partition(keys.feedback_partition(scope)),
        }

    def _ids(self, scope: Scope) -> set[str]:
        """Reads the ids of all records, whatever the table's index knows of them yet."""
        lately = KeyRange(keys.log_partition(scope), " ", "~", names=("id",))
        found = {entry["id"]["S"] for entry in self._table.whole(lately)}
        names = (BY_AGE.partition_key, BY_AGE.sort_key)
        for partition in PARTITIONS:
            part = KeyRange(keys.age_partition(scope, partition), " ", "~", index=BY_AGE.name, keys=names)
            found |= {keys.id_of(item) for item in self._table.whole(part)}
        known = self._reading.items([keys.record_key(scope, id) for id in sorted(found)], ("pk", "kind"))
        return {keys.id_of(item) for item in known if record_items.is_memory(item)}

    def _forget_pairs(self, scope: Scope) -> int:
        """Forgets pairs whose records are gone already, and took no pair along."""
        entries = list(self._table.whole(KeyRange(lifecycle_keys.pairs_partition(scope), " ", "~")))
        pairs = [lifecycle_keys.pair_key(scope, id) for id in {entry["id"]["S"] for entry in entries}]
        count = self._delete_there(pairs)
        self._table.delete_each([{"pk": entry["pk"], "sk": entry["sk"]} for entry in entries])
        return count

    def _forget_partition(self, partition: str) -> int:
        part = KeyRange(partition, " ", keys.AFTER_TEXTS, names=("pk", "sk"))
        found = [{"pk": item["pk"], "sk": item["sk"]} for item in self._table.whole(part)]
        self._table.delete_each(found)
        return len(found)

    def _delete_there(self, wanted: list[keys.Key]) -> int:
        there = len(list(self._reading.items(wanted, ("pk",))))
        self._table.delete_each(wanted)
        return there
