"""Verification of a project's records and histories, attribute by attribute; damage is reported with the rest."""

import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

from memory_layer.adapters.aws.store.listing import PARTITIONS
from memory_layer.adapters.aws.store.project_log import ProjectLog
from memory_layer.adapters.aws.store.side_verification import checked_side_item
from memory_layer.adapters.aws.table import keys, record_items, record_seals
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.history_items import history_entry_of as history_line_of
from memory_layer.adapters.aws.table.history_items import item_digest, version_number
from memory_layer.adapters.aws.table.packing import unpacked_document
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.domain.fields import instant
from memory_layer.domain.integrity import verification
from memory_layer.domain.integrity.digests import record_digest, search_digest
from memory_layer.domain.integrity.verification import (
    NO_MATCH,
    BrokenPart,
    Part,
    StoredDigest,
    StoredPage,
    StoredRecord,
    StoredStub,
    StoredVersion,
)
from memory_layer.domain.memory import Memory, Scope, is_stub
from memory_layer.manifest.tables import BY_AGE

UNREADABLE = (*verification.UNREADABLE, zlib.error)

_PARTITIONS: Final = (*PARTITIONS, keys.ERASED)
"""Partitions of the index by age, read one after the other."""

_UNCOMPARED = frozenset(
    {
        *record_items.ACCESS_FIELDS,
        *record_items.VECTOR_ATTRIBUTES,
        record_items.DIGEST,
        record_items.VECTORS_DIGEST,
        record_items.BODY_BYTES,
    }
)
"""What recalls count, and what the digests and the bodies tell."""


class DynamoRecordVerification:
    """Reader of a project: its ids from the log and the index by age, then each id's whole partition."""

    def __init__(self, table: RecordsTable, reading: BatchReads, log: ProjectLog, executor: Executor) -> None:
        self._table = table
        self._reading = reading
        self._log = log
        self._executor = executor

    def page(self, scope: Scope, after: str | None, limit: int, with_history: bool) -> StoredPage:
        """Reads as IntegrityStore.kept: first what the index may not know yet, which may come from there again."""
        if after is None:
            lately = sorted({entry["id"]["S"] for entry in self._log.changes(scope)})
            return StoredPage(tuple(self.under(scope, lately, with_history)), "0 ")
        number, last = after.split(" ", 1)
        partition = keys.age_partition(scope, _PARTITIONS[int(number)])
        part = KeyRange(
            partition, f"{last} ", "~", index=BY_AGE.name, keys=(BY_AGE.partition_key, BY_AGE.sort_key)
        )
        found = next(self._table.pages(part, (limit,)), [])
        kept = tuple(self.under(scope, [keys.id_of(item) for item in found], with_history))
        if found:
            return StoredPage(kept, f"{number} {found[-1][BY_AGE.sort_key]['S']}")
        following = int(number) + 1
        return StoredPage(kept, f"{following} " if following < len(_PARTITIONS) else None)

    def under(self, scope: Scope, ids: Sequence[str], with_history: bool) -> list[StoredRecord]:
        """Reads as IntegrityStore.kept_under: a query a record, or without histories one read of a hundred."""
        if with_history:
            return list(self._executor.map(partial(self._whole, scope), ids))
        found = self._reading.items([keys.record_key(scope, id) for id in ids]) if ids else iter(())
        items = {keys.id_of(item): item for item in found}
        return [_kept(scope, id, [items[id]] if id in items else []) for id in ids]

    def _whole(self, scope: Scope, id: str) -> StoredRecord:
        partition = KeyRange(
            keys.record_partition(scope, id), keys.ANSWER_BODY, f"{keys.VERSION[:-1]}{keys.AFTER_HASH}"
        )
        return _kept(scope, id, self._table.whole(partition))


def _kept(scope: Scope, id: str, items: Iterable[record_items.Item]) -> StoredRecord:
    """Record of its items. Args: items: in the order of their sort keys: the record first, then its versions."""
    kept, record, newest, replaced, verdicts = (
        StoredRecord(id=id),
        None,
        None,
        list[record_items.Item](),
        set[str](),
    )
    for item in items:
        sort = item["sk"]["S"]
        if sort.startswith(keys.ANSWER_BODY):
            kept = _with_beside(kept, "answer_body", item)
        elif sort.startswith(keys.PAIR_LINK):
            kept = _with_beside(kept, "pair_link", item)
        elif sort.startswith(keys.VERDICT):
            kept = _with_beside(kept, "verdict", item)
            verdicts.add(sort)
            replaced += [item] if "replaced_by" in item else []
        if sort == keys.RECORD:
            kept, record = _with_record(kept, scope, item), item
        elif sort.startswith(keys.VERSION):
            kept, newest = _with_version(kept, item), item
    kept = _with_replaced(kept, replaced, verdicts)
    if newest is None:
        return kept
    return _with_newest(kept if record is None else _with_due(kept, record, newest), newest)


def _with_due(kept: StoredRecord, record: record_items.Item, newest: record_items.Item) -> StoredRecord:
    """Adds a flaw where the due date does not follow from the record and its last write; older items have none."""
    due = {name: record[name] for name in record_items.DUE_ATTRIBUTES if name in record}
    if kept.memory is None or not due:
        return kept
    try:
        follows = due == record_items.due_attributes(kept.memory, instant(newest["at"]["S"]))
    except UNREADABLE:
        return kept  # the line itself is reported
    odd = BrokenPart(
        kept.id, kept.memory.version, "record", "when it is due does not follow from what it says"
    )
    return kept if follows else replace(kept, flaws=(*kept.flaws, odd))


def _with_beside(kept: StoredRecord, what: str, item: record_items.Item) -> StoredRecord:
    beside = checked_side_item(what, item, kept.id)
    if beside is None:
        return kept
    if beside.broken is None:
        return replace(kept, unsealed_beside=kept.unsealed_beside + 1)
    return replace(kept, flaws=(*kept.flaws, beside.broken))


def _with_replaced(
    kept: StoredRecord, replaced: Iterable[record_items.Item], verdicts: Collection[str]
) -> StoredRecord:
    """Adds flaws of replaced verdicts without a successor: a verdict's digest does not cover its replacement."""
    for item in replaced:
        later = item["replaced_by"].get("S")
        if f"{keys.VERDICT}{later}" not in verdicts:
            id = item["sk"]["S"].removeprefix(keys.VERDICT)
            told = f"of memory {kept.id}: was replaced by {later}, which is not there"
            kept = replace(kept, flaws=(*kept.flaws, BrokenPart(id, None, "verdict", told)))
    return kept


def _with_record(kept: StoredRecord, scope: Scope, item: record_items.Item) -> StoredRecord:
    try:
        if record_seals.is_tombstone(item):
            return _with_tombstone(replace(kept, erased_at=record_items.version_of(item)), item)
        memory = record_items.memory_of(item)
        kept = replace(
            kept,
            place=record_items.text_of(item, "log_sk"),
            first_version=record_items.number_of(item, "first_version"),
        )
        is_seal_broken = record_seals.holds_seal(item) is False
        seal = StoredDigest(record_items.text_of(item, record_items.DIGEST), record_digest(memory))
        odd = _unexpected_attributes(scope, kept, memory, item)
    except UNREADABLE as error:
        return _flawed(replace(kept, is_there=True), None, "record", error)
    flaws = [
        BrokenPart(kept.id, memory.version, "record", f"{name} is not as it was written") for name in odd
    ]
    kept = replace(kept, is_there=True, memory=memory, seal=seal, flaws=(*kept.flaws, *flaws))
    kept = replace(kept, is_seal_broken=is_seal_broken)
    return _with_vectors(_with_body(kept, memory, item), item)


def _with_body(kept: StoredRecord, memory: Memory, item: record_items.Item) -> StoredRecord:
    if not is_stub(memory):
        return kept
    try:
        body_bytes = record_items.number_of(item, record_items.BODY_BYTES)
    except UNREADABLE as error:
        return _flawed(kept, memory.version, "record", error)
    stub = StoredStub(memory.version, memory.content_hash, body_bytes)
    return replace(kept, body_bytes=body_bytes, stubs=(stub, *kept.stubs))


def _with_tombstone(kept: StoredRecord, item: record_items.Item) -> StoredRecord:
    stored = record_items.text_of(item, record_items.DIGEST)
    if stored is None:
        return replace(kept, unsealed_beside=kept.unsealed_beside + 1)
    if stored == record_items.attributes_digest(item):
        return kept
    return replace(kept, flaws=(*kept.flaws, BrokenPart(kept.id, kept.erased_at, "tombstone", NO_MATCH)))


def _unexpected_attributes(
    scope: Scope, kept: StoredRecord, memory: Memory, item: record_items.Item
) -> list[str]:
    """Names of attributes that a record like this does not have, or has with another value."""
    expected = {
        **record_items.item_of(memory, record_items.vectors_of(item), kept.place),
        **keys.record_key(scope, kept.id),
    }
    expected["first_version"] = {"N": str(kept.first_version)}
    expected |= record_items.body_attributes(0 if is_stub(memory) else None)
    names = (expected.keys() | item.keys()) - {
        *record_items.ACCESS_FIELDS,
        *record_items.DUE_ATTRIBUTES,
        record_items.DIGEST,
        record_items.VECTORS_DIGEST,
        record_seals.SEAL,
    }
    return sorted(name for name in names if _compared(name, expected) != _compared(name, item))


def _compared(name: str, item: record_items.Item) -> record_items.Value | bool:
    return name in item if name in _UNCOMPARED else item.get(name, False)


def _with_vectors(kept: StoredRecord, item: record_items.Item) -> StoredRecord:
    if not {*record_items.VECTOR_ATTRIBUTES, record_items.VECTORS_DIGEST} & item.keys():
        return kept
    try:
        blobs = [
            record_items.bytes_of(item[name]) if name in item else None
            for name in record_items.VECTOR_ATTRIBUTES
        ]
        seal = StoredDigest(
            record_items.text_of(item, record_items.VECTORS_DIGEST), search_digest(kept.id, *blobs)
        )
        vectors = record_items.vectors_of(item)
    except UNREADABLE as error:
        return _flawed(kept, None, "vectors", error)
    if vectors is None:
        return replace(kept, vectors_seal=seal)
    return replace(kept, content_vector=vectors.content, context_vector=vectors.context, vectors_seal=seal)


def _with_version(kept: StoredRecord, item: record_items.Item) -> StoredRecord:
    number: int | None = None
    try:
        number = version_number(item)
        seal = StoredDigest(record_items.text_of(item, record_items.DIGEST), item_digest(item))
        line = StoredVersion(
            number, record_items.number_of(item, "before"), record_items.text_of(item, "log_sk"), seal
        )
        if seal.stored is None:
            history_line_of(item)
        kind = record_items.text_of(item, "kind")
    except UNREADABLE as error:
        return _flawed(kept, number, "version", error)
    if kind != "version":
        odd = BrokenPart(kept.id, number, "version", "kind is not as it was written")
        kept = replace(kept, flaws=(*kept.flaws, odd))
    return replace(kept, versions=(*kept.versions, line), stubs=(*kept.stubs, *_stub_in(item)))


def _stub_in(item: record_items.Item) -> Iterator[StoredStub]:
    """Stub of an item; an unreadable one is reported by its digest."""
    with suppress(*UNREADABLE):
        memory = history_line_of(item).memory
        if is_stub(memory):
            yield StoredStub(memory.version, memory.content_hash)


def _with_newest(kept: StoredRecord, item: record_items.Item) -> StoredRecord:
    """Adds the document of the newest version, unless that was reported as unreadable already."""
    if not kept.versions or keys.version_sort(kept.versions[-1].number) != item["sk"]["S"]:
        return kept
    try:
        line = replace(kept.versions[-1], document=unpacked_document(item["record"]))
    except UNREADABLE as error:
        return _flawed(kept, kept.versions[-1].number, "version", error)
    return replace(kept, versions=(*kept.versions[:-1], line))


def _flawed(kept: StoredRecord, version: int | None, part: Part, error: Exception) -> StoredRecord:
    return replace(kept, flaws=(*kept.flaws, BrokenPart(kept.id, version, part, f"cannot be read: {error}")))
