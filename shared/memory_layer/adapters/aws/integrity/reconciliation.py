"""Reconciliation of a project's documents with its records: digests of both first, then what differs by entry.

The table's index by age says id and version of every record, erased ones too, so that no body and no vector is read;
the search index sums the same up by bucket. Both lag: a difference counts if a strongly consistent read says so, and
the project's log does not say that its record is on its way here.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal

from memory_layer.adapters.aws.integrity.index_digest import BUCKET_WIDTH
from memory_layer.adapters.aws.integrity.index_entries import DigestBucket, IndexEntry, IndexEntryReader
from memory_layer.adapters.aws.integrity.record_entries import (
    LOG_PAGE,
    LOG_PAGES_MAX,
    RecordEntry,
    ids_on_their_way,
    record_entries,
)
from memory_layer.adapters.aws.projection.bulk_writes import BulkWriter
from memory_layer.adapters.aws.projection.item_documents import documents_of
from memory_layer.adapters.aws.search.aliases import IndexNames, WriteTarget
from memory_layer.adapters.aws.search.documents import document_id, key_hash, version_hash
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import Item, is_memory, version_of
from memory_layer.adapters.aws.table.records_table import READ_CHUNK, RecordsTable
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.integrity.index_comparison import ReconcileReport
from memory_layer.domain.memory import Scope
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.process import Clock

Kind = Literal["missing", "stale", "orphan", "resurrected", "ahead"]

ENTRIES_MAX: Final = 20_000
"""Entries of differing buckets that one call compares; further ones are the next call's."""

WRITE_S: Final = 60.0

_IDENTITY: Final = ("pk", "sk", "kind", "version")


@dataclass(slots=True)
class _Found:
    """Differences by kind, and failed repairs."""

    counts: Counter[Kind] = field(default_factory=Counter)
    left: list[str] = field(default_factory=list)


class Reconciliation:
    """Comparison and repair of one project at a time.

    Args:
        targets: the indexes that are written to.
        writer: waits until what it wrote can be found.
        bodies: with the words of what is warm.
    """

    def __init__(
        self,
        names: IndexNames,
        table: RecordsTable,
        writer: BulkWriter,
        bodies: Bodies,
        targets: Callable[[], Sequence[WriteTarget]],
        clock: Clock,
    ) -> None:
        self._entries = IndexEntryReader(names)
        self._table = table
        self._writer = writer
        self._bodies = bodies
        self._targets = targets
        self._clock = clock

    def run(self, scope: Scope, *, after: str | None, is_dry_run: bool) -> ReconcileReport:
        """Reconciles as SearchIndex.reconcile; the cursor is the number of a bucket."""
        in_table, in_index = self._table_digest(scope), self._entries.digest(scope)
        differing = _differing(in_table, in_index, -1 if after is None else int(after))
        looked_at = sum(bucket.documents for bucket in in_table.values()) if after is None else 0
        if not differing:
            return ReconcileReport(looked_at=looked_at)
        chosen = _as_many_as_fit(differing, in_table, in_index)
        found = self._compare(scope, set(chosen), is_dry_run)
        return ReconcileReport(
            looked_at=looked_at,
            missing=found.counts["missing"],
            stale=found.counts["stale"],
            orphan=found.counts["orphan"],
            resurrected=found.counts["resurrected"],
            left=tuple(found.left),
            next_cursor=str(chosen[-1]) if len(chosen) < len(differing) else None,
        )

    def _table_digest(self, scope: Scope) -> dict[int, DigestBucket]:
        found: dict[int, DigestBucket] = {}
        for entry in record_entries(self._table, scope):
            name = document_id(scope, entry.id)
            number = key_hash(name) // BUCKET_WIDTH
            bucket = found.get(number, DigestBucket(0, 0, 0))
            found[number] = bucket.with_one(version_hash(name, entry.version), entry.is_tombstone)
        return found

    def _compare(self, scope: Scope, buckets: Collection[int], is_dry_run: bool) -> _Found:
        """Compares every entry of these buckets."""
        on_its_way = ids_on_their_way(self._table, scope, self._clock.now())
        if on_its_way is None:
            return _Found(left=[_too_far_behind(scope)])
        in_index = {entry.id: entry for entry in self._entries.of(scope, buckets)}
        in_table = {
            entry.id: entry
            for entry in record_entries(self._table, scope)
            if key_hash(document_id(scope, entry.id)) // BUCKET_WIDTH in buckets
        }
        differing = [
            id
            for id in in_index.keys() | in_table.keys()
            if not _is_equal(in_index.get(id), in_table.get(id))
        ]
        return self._settle(scope, sorted(set(differing) - on_its_way), in_index, is_dry_run)

    def _settle(
        self, scope: Scope, ids: Sequence[str], in_index: Mapping[str, IndexEntry], is_dry_run: bool
    ) -> _Found:
        found = _Found()
        for start in range(0, len(ids), READ_CHUNK):
            chunk = ids[start : start + READ_CHUNK]
            items = self._items(scope, chunk, _IDENTITY if is_dry_run else ())
            lately = ids_on_their_way(self._table, scope, self._clock.now()) or set()
            kinds = {
                id: kind
                for id in chunk
                if id not in lately and (kind := _kind(in_index.get(id), items.get(id))) is not None
            }
            left = {} if is_dry_run else self._repair(scope, kinds, items, in_index)
            found.counts.update(kind for id, kind in kinds.items() if id not in left)
            found.left += [f"{scope.project}: {id}: {reason}" for id, reason in left.items()]
        if ahead := found.counts.pop("ahead", 0):
            found.left.append(_ahead(scope, ahead))
        return found

    def _items(self, scope: Scope, ids: Sequence[str], names: Sequence[str]) -> dict[str, Item]:
        """Reads items, strongly consistent."""
        found = self._table.get_chunk([keys.record_key(scope, id) for id in ids], names)
        return {keys.id_of(item): item for item in found}

    def _repair(
        self,
        scope: Scope,
        kinds: Mapping[str, Kind],
        items: Mapping[str, Item],
        in_index: Mapping[str, IndexEntry],
    ) -> dict[str, str]:
        """Repairs documents and returns those that failed, with the reason.

        Raises:
            IndexUnavailable
        """
        found = documents_of([items[id] for id, kind in kinds.items() if kind in _WRITTEN], self._bodies)
        written = self._writer.write(list(found.made.values()), self._targets, seconds=WRITE_S)
        if written.waiting:
            raise IndexUnavailable(
                f"the index did not take {len(written.waiting)} documents of project {scope.project} "
                f"({next(iter(written.waiting.values()))}); the next run goes on"
            )
        failed = {**found.broken, **written.refused}
        self._entries.remove(scope, [in_index[id] for id, kind in kinds.items() if kind == "orphan"])
        return {name.removeprefix(document_id(scope, "")): why for name, why in failed.items()}


_WRITTEN: Final = ("missing", "stale", "resurrected")


def _differing(
    in_table: Mapping[int, DigestBucket], in_index: Mapping[int, DigestBucket], after: int
) -> list[int]:
    """Numbers of the buckets after this one whose digests differ."""
    numbers = in_table.keys() | in_index.keys()
    return sorted(n for n in numbers if n > after and in_table.get(n) != in_index.get(n))


def _as_many_as_fit(
    numbers: Sequence[int], in_table: Mapping[int, DigestBucket], in_index: Mapping[int, DigestBucket]
) -> list[int]:
    """First of these buckets that hold ENTRIES_MAX entries together; at least one."""
    entries = 0
    for count, number in enumerate(numbers):
        entries += max(side[number].documents for side in (in_table, in_index) if number in side)
        if entries > ENTRIES_MAX and count:
            return list(islice(numbers, count))
    return list(numbers)


def _is_equal(document: IndexEntry | None, record: RecordEntry | None) -> bool:
    return (
        document is not None
        and record is not None
        and document.has_ties
        and (document.version, document.is_tombstone) == (record.version, record.is_tombstone)
    )


def _kind(document: IndexEntry | None, item: Item | None) -> Kind | None:
    """Kind of flaw of a document, if it has one, given its record as it is now."""
    if item is None:
        return None if document is None else "orphan"
    if document is None:
        return "missing"
    version, is_erased = version_of(item), not is_memory(item)
    if document.version != version:
        behind: Kind = "resurrected" if is_erased and not document.is_tombstone else "stale"
        return behind if document.version < version else "ahead"
    if document.is_tombstone == is_erased:
        return None if document.has_ties else "stale"
    return "resurrected" if is_erased else "stale"


def _ahead(scope: Scope, count: int) -> str:
    return (
        f"{scope.project}: {count} documents are newer than their records, as after the table was restored to an "
        "earlier state; searches check every hit, and a new index brings it right: mem admin reindex"
    )


def _too_far_behind(scope: Scope) -> str:
    return (
        f"{scope.project}: the index is more than {LOG_PAGES_MAX * LOG_PAGE:,} changes behind, and is not compared; "
        "the next run does"
    )
