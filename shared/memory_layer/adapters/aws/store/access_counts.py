"""Access counts of records: each a small item beside its record, so that counting writes neither record nor index."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from memory_layer.adapters.aws.store import stream_positions
from memory_layer.adapters.aws.store.stream_positions import Showing
from memory_layer.adapters.aws.table import keys, record_items
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.records_table import READ_CHUNK, ConditionFailed, RecordsTable
from memory_layer.adapters.stored_form.stored_values import UNREADABLE
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.errors import StoreUnavailable

KIND: Final = "accesses"

_COUNTED_TO: Final = "counted_to"
"""Attribute with the positions in the stream up to which receipts are in a count."""

_COUNTED: Final = ("pk", *record_items.ACCESS_FIELDS)
_COUNTING: Final = (*_COUNTED, _COUNTED_TO)
_COMPARED: Final = ("access_count", _COUNTED_TO)
"""Attributes that a count must still have as they were read, to be replaced."""


class Accesses(NamedTuple):
    """Recalls that showed a record, and the time of the last of them."""

    recalls: int
    last_at: datetime


class AccessCounts:
    """Counts of all projects' records, in items of their own: one write unit an update, whatever a record's size.

    A record's first count takes over what its own item has: counts of an earlier release, or brought by an import.
    Beside each count stands up to where in the stream it goes, so that receipts that are delivered again, in whichever
    batches, are not counted again.
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

    def count(self, showings: Mapping[tuple[Scope, str], Sequence[Showing]]) -> None:
        """Adds recalls to the records' counts, each once however often it is told; erased records count nothing.

        Args:
            showings: by project and id: the recalls of a batch of the stream that showed the record.

        Raises:
            StoreUnavailable: some may be counted; told again, they are not counted twice.
        """
        wanted = {keys.accesses_key(scope, id)["pk"]["S"]: (scope, id) for scope, id in showings}
        items = self._reading.items(
            [keys.accesses_key(*one) for one in wanted.values()], _COUNTING, is_consistent=False
        )
        known = {wanted[item["pk"]["S"]]: item for item in items}
        work = [(*one, shown, known.get(one)) for one, shown in showings.items()]
        for done in [self._executor.submit(self._count, *one) for one in work]:
            done.result()

    def _count(
        self, scope: Scope, id: str, showings: Sequence[Showing], known: record_items.Item | None
    ) -> None:
        """Adds to one count, as it was read or, once somebody has changed it since, as it is now."""
        for attempt in self._table.backoff.rounds():
            before = known if attempt == 0 else self._table.get(keys.accesses_key(scope, id), _COUNTING)
            if self._add(scope, id, showings, before or {}):
                return
        raise StoreUnavailable(
            f"others count {id} of {scope.project} all the time; the receipt is told again"
        )

    def _add(self, scope: Scope, id: str, showings: Sequence[Showing], before: record_items.Item) -> bool:
        """Adds what a count lacks; False: it is not as it was read."""
        counted = stream_positions.positions_of(before.get(_COUNTED_TO))
        new = stream_positions.uncounted(showings, counted)
        if not new:
            return True
        accesses = _accesses_of(before)
        if accesses is None:  # the first, or damaged: the record's own are taken over
            record = self._table.get(keys.record_key(scope, id), ("kind", *record_items.ACCESS_FIELDS))
            if record is None or not record_items.is_memory(record):
                return True
            accesses = _accesses_of(record) or Accesses(0, new[0].at)
        last_at = max(accesses.last_at, *(one.at for one in new))
        after = {
            "kind": {"S": KIND},
            "access_count": {"N": str(accesses.recalls + len(new))},
            "last_accessed_at": {"S": rfc3339(last_at)},
            _COUNTED_TO: stream_positions.positions_value(stream_positions.counted_positions(counted, new)),
        }
        return self._replaces(keys.accesses_key(scope, id), before, after)

    def _replaces(self, key: Key, before: record_items.Item, after: record_items.Item) -> bool:
        """Writes a count in place of the one that was read; False: another is there."""
        is_as_read = {name: before.get(name) for name in _COMPARED}
        conditions = [
            f"attribute_not_exists({name})" if value is None else f"{name} = :before_{name}"
            for name, value in is_as_read.items()
        ]
        compared = {f":before_{name}": value for name, value in is_as_read.items() if value is not None}
        try:
            self._table.update(
                Key=key,
                UpdateExpression=f"SET {', '.join(f'{name} = :{name}' for name in after)}",
                ConditionExpression=" AND ".join(conditions),
                ExpressionAttributeValues={
                    **{f":{name}": value for name, value in after.items()},
                    **compared,
                },
            )
        except ConditionFailed:
            return False
        return True


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
