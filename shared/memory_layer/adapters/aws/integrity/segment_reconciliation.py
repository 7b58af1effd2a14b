"""Comparison of a project's segments with its records: what differs is read again and brought, damage is built anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from memory_layer.adapters.aws.integrity.record_entries import RecordEntry, ids_on_their_way, record_entries
from memory_layer.adapters.aws.projection.compactor import Compactor
from memory_layer.adapters.aws.segments.segment_form import DamagedSegment
from memory_layer.adapters.aws.segments.segment_rows import merged
from memory_layer.adapters.aws.segments.segment_store import SegmentGone, SegmentStore
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import version_of
from memory_layer.adapters.aws.table.records_table import READ_CHUNK, RecordsTable
from memory_layer.domain.integrity.index_comparison import ReconcileReport
from memory_layer.domain.memory import Scope
from memory_layer.ports.process import Clock

Kind = Literal["missing", "stale", "orphan", "resurrected"]

ATTEMPTS: Final = 3


class SegmentReconciliation:
    """Comparison and repair of one project at a time.

    Args:
        compactor: writes what differs, after it has read it strongly consistent.
    """

    def __init__(self, store: SegmentStore, table: RecordsTable, compactor: Compactor, clock: Clock) -> None:
        self._store = store
        self._table = table
        self._compactor = compactor
        self._clock = clock

    def run(self, scope: Scope, *, after: str | None, is_dry_run: bool) -> ReconcileReport:
        """Compares a project and repairs it. Args: after: is not needed, as one call compares all.

        Raises:
            IndexUnavailable, StoreUnavailable: bucket or table do not answer.
        """
        del after
        in_table = {entry.id: entry for entry in record_entries(self._table, scope)}
        in_segments = self._versions(scope)
        if in_segments is None:
            return self._built_anew(scope, in_table, is_dry_run=is_dry_run)
        kinds = {
            id: kind
            for id in in_table.keys() | in_segments.keys()
            if (kind := _kind(in_segments.get(id), in_table.get(id))) is not None
        }
        coming = ids_on_their_way(self._table, scope, self._clock.now()) if kinds else set()
        if coming is None:
            return ReconcileReport(
                left=(f"{scope.project}: the index is far behind; the next run compares it",)
            )
        differing = {id: kind for id, kind in kinds.items() if id not in coming}
        if self._is_ahead(scope, [id for id, kind in differing.items() if kind == "stale"], in_segments):
            return self._built_anew(scope, in_table, is_dry_run=is_dry_run)
        broken: Mapping[str, str] = {}
        if not is_dry_run:
            broken = self._compactor.bring(scope, list(differing)) if differing else {}
            self._store.delete_orphans(scope, self._store.manifest(scope).manifest.names, self._clock.now())
        counts = Counter(differing.values())
        return ReconcileReport(
            looked_at=len(in_table),
            missing=counts["missing"],
            stale=counts["stale"],
            orphan=counts["orphan"],
            resurrected=counts["resurrected"],
            left=_left(scope, broken),
        )

    def rebuild(self, scope: Scope) -> Mapping[str, str]:
        """Builds a project's segments anew from its records; returns why items cannot be read, by `_id`.

        The index by age lags a moment: what it did not list yet is found by a comparison behind it.
        """
        broken = self._compactor.build_anew(scope, lambda: self._live(scope))
        self.run(scope, after=None, is_dry_run=False)
        return broken

    def _built_anew(
        self, scope: Scope, in_table: Mapping[str, RecordEntry], *, is_dry_run: bool
    ) -> ReconcileReport:
        live = [entry.id for entry in in_table.values() if not entry.is_tombstone]
        if is_dry_run:
            found = (
                f"{scope.project}: its index is damaged; mem admin reindex builds it anew from the records"
            )
            return ReconcileReport(looked_at=len(in_table), missing=len(live), left=(found,))
        broken = self._compactor.build_anew(scope, lambda: self._live(scope))
        return ReconcileReport(looked_at=len(in_table), missing=len(live), left=_left(scope, broken))

    def _live(self, scope: Scope) -> list[str]:
        return [entry.id for entry in record_entries(self._table, scope) if not entry.is_tombstone]

    def _is_ahead(self, scope: Scope, ids: Sequence[str], in_segments: Mapping[str, int]) -> bool:
        """Tells if segments have newer records than the table, as after that was restored to an earlier state."""
        for start in range(0, len(ids), READ_CHUNK):
            wanted = [keys.record_key(scope, id) for id in ids[start : start + READ_CHUNK]]
            for item in self._table.get_chunk(wanted, ("pk", "version")):
                if version_of(item) < in_segments[keys.id_of(item)]:
                    return True
        return False

    def _versions(self, scope: Scope) -> dict[str, int] | None:
        """Version of each record in the segments, by id; None: they are damaged."""
        for _ in range(ATTEMPTS):
            stored = self._store.manifest(scope)
            if stored.damage is not None:
                return None
            try:
                parts = [self._store.segment(scope, entry.name) for entry in stored.manifest.segments]
            except SegmentGone:
                continue
            except DamagedSegment:
                return None
            rows = merged(parts).batch if parts else None
            return {} if rows is None else dict(zip(rows.ids, rows.positions.tolist(), strict=True))
        return None


def _kind(version: int | None, entry: RecordEntry | None) -> Kind | None:
    """Kind of difference of a record, given its version in the segments and what the index by age says of it."""
    if entry is None:
        return None if version is None else "orphan"
    if entry.is_tombstone:
        return None if version is None else "resurrected"
    if version is None:
        return "missing"
    return None if version == entry.version else "stale"


def _left(scope: Scope, broken: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{scope.project}: {id.rsplit('#', 1)[-1]}: {reason}" for id, reason in broken.items())
