"""Access counts of records: each a small item beside its record, so that counting writes neither record nor index."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from memory_layer.adapters.aws.table import keys, record_items
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.records_table import READ_CHUNK, ConditionFailed, RecordsTable
from memory_layer.adapters.stored_form.stored_values import UNREADABLE
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.errors import StoreUnavailable

KIND: Final = "accesses"

_IS_NUMBER: Final = "attribute_type(access_count, :number)"
"""Condition of a count that is there and whole: a damaged one is begun anew."""

_COUNTED: Final = ("pk", *record_items.ACCESS_FIELDS)


class Accesses(NamedTuple):
    """Recalls that showed a record, and the time of the last of them."""

    recalls: int
    last_at: datetime


class AccessCounts:
    """Counts of all projects' records, in items of their own: one write unit an update, whatever a record's size.

    A record's first count takes over what its own item has: counts of an earlier release, or brought by an import.
    """

    def __init__(self, table: RecordsTable, reading: BatchReads, executor: Executor) -> None:
        self._table = table
        self._reading = reading
        self._executor = executor

    def counted(self, memories: Sequence[Memory]) -> list[Memory]:
        """Records with their counts; the reads are eventually consistent, as the counts are minutes late anyway."""
        if not memories:
            return []
        wanted = dict.fromkeys((memory.scope, memory.id) for memory in memories)
        found = self._read([keys.accesses_key(scope, id) for scope, id in wanted])
        return [_with_counts(memory, found.get(memory.ref)) for memory in memories]

    def beside(
        self, tenant: str, refs: Collection[Ref], read: Callable[[], Iterable[Memory]]
    ) -> list[Memory]:
        """Records with their counts, which are read while the records are. Args: read: the records of these refs."""
        wanted = [keys.accesses_key(Scope(tenant, ref.project), ref.id) for ref in dict.fromkeys(refs)]
        if not 0 < len(wanted) <= READ_CHUNK:  # a thread of the executor never waits for another
            return self.counted(list(read()))
        counts = self._executor.submit(self._read, wanted)
        memories = list(read())
        found = counts.result()
        return [_with_counts(memory, found.get(memory.ref)) for memory in memories]

    def last_shown(self, tenant: str, refs: Iterable[Ref]) -> dict[Ref, datetime]:
        """Times of the last recalls of these records, as far as they are counted."""
        scopes = [(Scope(tenant, ref.project), ref.id) for ref in dict.fromkeys(refs)]
        records = [keys.record_key(*one) for one in scopes]
        found = self._read([*records, *(keys.accesses_key(*one) for one in scopes)])
        return {ref: accesses.last_at for ref, accesses in found.items()}

    def _read(self, wanted: Sequence[Key]) -> dict[Ref, Accesses]:
        """Reads counts; of a record's own and those beside it the latter, which are never the lower ones."""
        items = self._reading.items(wanted, _COUNTED, is_consistent=False)
        counts = [(keys.ref_of(item), found) for item in items if (found := _accesses_of(item)) is not None]
        return dict(sorted(counts, key=lambda one: one[1]))

    def count(self, counts: Mapping[tuple[Scope, str], int], at: datetime) -> None:
        """Adds recalls to the records' counts; records that were erased count nothing.

        Args:
            counts: by project and id; how often since the last call.
            at: of the last of these recalls.

        Raises:
            StoreUnavailable: some may be counted.
        """
        work = [(scope, id, count) for (scope, id), count in counts.items()]
        for done in [self._executor.submit(self._count, *one, at) for one in work]:
            done.result()

    def _count(self, scope: Scope, id: str, count: int, at: datetime) -> None:
        """Adds to one count; its time never goes back, whatever order receipts come in."""
        key = keys.accesses_key(scope, id)
        for _ in self._table.backoff.rounds():
            if self._add(key, count, at) or self._begin(scope, id, count, at):
                return
        raise StoreUnavailable(
            f"others count {id} of {scope.project} all the time; the receipt is told again"
        )

    def _add(self, key: Key, count: int, at: datetime) -> bool:
        """Adds to a count that is there; False: none is."""
        added = {":n": {"N": str(count)}, ":number": {"S": "N"}}
        latest = {**added, ":at": {"S": rfc3339(at)}}
        return self._updates(
            key,
            "ADD access_count :n SET last_accessed_at = :at",
            f"{_IS_NUMBER} AND last_accessed_at < :at",
            latest,
        ) or self._updates(key, "ADD access_count :n", _IS_NUMBER, added)

    def _updates(self, key: Key, expression: str, condition: str, values: Mapping[str, Any]) -> bool:
        try:
            self._table.update(
                Key=key,
                UpdateExpression=expression,
                ConditionExpression=condition,
                ExpressionAttributeValues=values,
            )
        except ConditionFailed:
            return False
        return True

    def _begin(self, scope: Scope, id: str, count: int, at: datetime) -> bool:
        """Begins the count of a record, or finds it erased; False: somebody else has begun it meanwhile."""
        record = self._table.get(keys.record_key(scope, id), ("pk", "kind", *record_items.ACCESS_FIELDS))
        if record is None or not record_items.is_memory(record):
            return True
        before = _accesses_of(record)
        total = count + (before.recalls if before else 0)
        latest = max(at, before.last_at) if before else at
        return self._updates(
            keys.accesses_key(scope, id),
            "SET kind = :kind, access_count = :n, last_accessed_at = :at",
            f"NOT {_IS_NUMBER}",
            {
                ":number": {"S": "N"},
                ":kind": {"S": KIND},
                ":n": {"N": str(total)},
                ":at": {"S": rfc3339(latest)},
            },
        )


def accesses_item(memory: Memory) -> dict[str, record_items.Value] | None:
    """Item of the counts that a record itself brings; None: it brings none."""
    if memory.last_accessed_at is None:
        return None
    return {
        **keys.accesses_key(memory.scope, memory.id),
        "kind": {"S": KIND},
        "access_count": {"N": str(memory.access_count)},
        "last_accessed_at": {"S": rfc3339(memory.last_accessed_at)},
    }


def _accesses_of(item: record_items.Item) -> Accesses | None:
    """Counts of an item; None where there are none, or damaged ones: they are no evidence, and are begun anew."""
    if "access_count" not in item:
        return None
    try:
        return Accesses(int(item["access_count"]["N"]), instant(item["last_accessed_at"]["S"]))
    except UNREADABLE:
        return None


def _with_counts(memory: Memory, accesses: Accesses | None) -> Memory:
    if accesses is None:
        return memory
    return replace(memory, access_count=accesses.recalls, last_accessed_at=accesses.last_at)
