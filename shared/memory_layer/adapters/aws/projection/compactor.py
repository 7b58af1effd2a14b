"""Compactor: brings changes of the stream into the segments of their projects, in the projector's place.

The stream only says which records have changed: they are read as they are now, after the manifest, and the manifest is
replaced only if nobody else has meanwhile. So no order of deliveries, and no number of them, brings back what is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from memory_layer.adapters.aws.projection.bulk_writes import BulkResult
from memory_layer.adapters.aws.projection.item_documents import WholeItem, WholeItems, scope_of, whole_items
from memory_layer.adapters.aws.projection.stream_changes import RecordChange
from memory_layer.adapters.aws.search.documents import document_id, said_bytes
from memory_layer.adapters.aws.segments.compaction import Compaction, compacted, counts_of
from memory_layer.adapters.aws.segments.manifest import Manifest, SegmentEntry
from memory_layer.adapters.aws.segments.segment_form import DamagedSegment
from memory_layer.adapters.aws.segments.segment_rows import Keys, SegmentRows, WholeRecord, rows_of
from memory_layer.adapters.aws.segments.segment_store import (
    IndexDamaged,
    ManifestChanged,
    SegmentGone,
    SegmentStore,
    StoredManifest,
    named_damage,
)
from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.records_table import READ_CHUNK, RecordsTable
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.memory import Ref, Scope
from memory_layer.domain.retrieval.candidates import identity_of
from memory_layer.errors import IndexUnavailable, Unavailable
from memory_layer.ports.process import Clock

COMPACTION_BACKOFF: Final = Backoff(attempts=8, base_s=0.05, longest_s=2.0)
"""Each attempt at a manifest that another compactor has replaced reads its segments anew."""


@dataclass(frozen=True, slots=True)
class _Held:
    """Project as its manifest says it is, with the rows of each segment."""

    stored: StoredManifest
    segments: list[SegmentRows]


class Compactor:
    """Writer of segments.

    Args:
        table: of the records, read strongly consistent.
        bodies: with the words of what is warm.
        model, dimensions: of the vectors that are kept.
    """

    def __init__(
        self,
        store: SegmentStore,
        table: RecordsTable,
        bodies: Bodies,
        *,
        model: str,
        dimensions: int,
        clock: Clock,
        backoff: Backoff = COMPACTION_BACKOFF,
    ) -> None:
        self._store = store
        self._table = table
        self._bodies = bodies
        self._model = model
        self._dimensions = dimensions
        self._clock = clock
        self._backoff = backoff

    def write(self, changes: Sequence[RecordChange]) -> BulkResult:
        """Brings each project up to its changes; what cannot be reached now waits, what is not whole is refused.

        So are changes of a project whose index is damaged: were they told again, every project behind them in the
        stream would wait for a rebuild of this one, which brings them from the records.
        """
        written = BulkResult()
        for scope, ids in _by_project(changes).items():
            try:
                written.refused |= self.bring(scope, ids)
            except IndexDamaged as error:
                written.refused |= {document_id(scope, id): error.detail for id in ids}
            except Unavailable as error:
                written.waiting |= {document_id(scope, id): error.detail for id in ids}
        return written

    def bring(self, scope: Scope, ids: Collection[str]) -> dict[str, str]:
        """Brings records of a project into its segments, as they are now.

        Returns:
            Why an item cannot be read, by `_id`.

        Raises:
            IndexDamaged: what the bucket holds of the project is damaged, or not all there.
            IndexUnavailable: the bucket does not answer, or others write all the time.
            StoreUnavailable: the table or a body cannot be read now.
        """
        return self._brought(scope, lambda: ids, anew=False)

    def build_anew(self, scope: Scope, list_ids: Callable[[], Collection[str]]) -> dict[str, str]:
        """Builds a project's segments of its records alone, whatever they hold now.

        Args:
            list_ids: lists the project's records. It is asked after the manifest was read, again where somebody else
                has replaced that: what others bring meanwhile is in the list, or in a manifest that this one is not.

        Returns:
            Why an item cannot be read, by `_id`.

        Raises:
            IndexUnavailable, StoreUnavailable: as `bring`.
        """
        return self._brought(scope, list_ids, anew=True)

    def _brought(
        self, scope: Scope, list_ids: Callable[[], Collection[str]], *, anew: bool
    ) -> dict[str, str]:
        lacking: str | None = None
        for _ in self._backoff.rounds():
            stored = self._store.manifest(scope)
            try:
                ids = list_ids()
                held = _Held(stored, [] if anew else list(self._segments(scope, stored)))
                found = self._read(scope, ids)
                self._replace(scope, held, found, ids, anew=anew)
            except SegmentGone as gone:
                if (
                    stored.etag == lacking
                ):  # nobody has replaced it: a segment goes after the manifest that names it
                    raise named_damage(scope, f"segment {gone} is missing") from gone
                lacking = stored.etag
            except ManifestChanged:
                continue
            else:
                return found.broken
        raise IndexUnavailable(
            f"the index of project {scope.project} was written by others at {self._backoff.attempts} attempts; "
            "try again in a moment"
        )

    def _segments(self, scope: Scope, stored: StoredManifest) -> Iterator[SegmentRows]:
        if stored.damage is not None:
            raise named_damage(scope, stored.damage)
        for entry in stored.manifest.segments:
            try:
                yield self._store.segment(scope, entry.name)
            except DamagedSegment as error:
                raise named_damage(scope, f"segment {entry.name}: {error}") from error

    def _read(self, scope: Scope, ids: Collection[str]) -> WholeItems:
        wanted = [keys.record_key(scope, id) for id in sorted(ids)]
        chunks = [wanted[start : start + READ_CHUNK] for start in range(0, len(wanted), READ_CHUNK)]
        return whole_items([item for chunk in chunks for item in self._table.get_chunk(chunk)], self._bodies)

    def _replace(
        self, scope: Scope, held: _Held, found: WholeItems, ids: Collection[str], *, anew: bool
    ) -> None:
        fresh = rows_of([_whole(one) for one in found.records], self._model, self._dimensions)
        gone = _gone(scope, ids, found)
        made = (
            Compaction(0, fresh if len(fresh) else None, is_purge=True)
            if anew
            else compacted(held.segments, fresh, gone)
        )
        named = held.stored.manifest.names
        if made is not None:
            named = self._put(scope, held, made)
        elif len(gone):
            self._hold_off(scope, held.stored)
        if len(gone) or anew:
            self._store.delete_orphans(scope, named, self._clock.now())

    def _put(self, scope: Scope, held: _Held, made: Compaction) -> frozenset[str]:
        """Writes the new segment, then the manifest that names it, then deletes what that names no more."""
        old = held.stored.manifest
        kept = old.segments[: made.kept]
        entry = None if made.written is None else self._new_entry(scope, made.written)
        rows = [*held.segments[: made.kept], *(() if made.written is None else (made.written,))]
        counts = counts_of(rows)
        segments = kept if entry is None else (*kept, entry)
        manifest = Manifest(
            segments, old.generation + made.is_purge, counts.by_persona, dict(counts.embedded), old.revision
        )
        try:
            self._store.replace_manifest(scope, manifest, held.stored.etag)
        except ManifestChanged:
            if entry is not None:
                self._store.delete_segment(scope, entry.name)
            raise
        for name in old.names - manifest.names:
            self._store.delete_segment(scope, name)
        return manifest.names

    def _hold_off(self, scope: Scope, stored: StoredManifest) -> None:
        """Replaces a manifest by one that says the same, for an erasure that found nothing to take out.

        Somebody else may have read the record before it was erased, and be about to write it: that fails then.
        """
        again = replace(stored.manifest, revision=stored.manifest.revision + 1)
        self._store.replace_manifest(scope, again, stored.etag)

    def _new_entry(self, scope: Scope, rows: SegmentRows) -> SegmentEntry:
        name, size = self._store.put_segment(scope, rows)
        return SegmentEntry(name, len(rows), size)


def _by_project(changes: Sequence[RecordChange]) -> Mapping[Scope, set[str]]:
    found: dict[Scope, set[str]] = {}
    for change in changes:
        found.setdefault(scope_of(change.image), set()).add(keys.id_of(change.image))
    return found


def _whole(item: WholeItem) -> WholeRecord:
    said = said_bytes(item.memory, item.body_bytes)
    return WholeRecord(
        memory=item.memory, vectors=item.vectors, said_bytes=said, body_bytes=item.body_bytes or 0
    )


def _gone(scope: Scope, ids: Collection[str], found: WholeItems) -> Keys:
    """Keys of the records that are there no more; an item that cannot be read leaves its older rows alone."""
    there = {item.memory.id for item in found.records}
    broken = {name.removeprefix(document_id(scope, "")) for name in found.broken}
    left = [id for id in ids if id not in there and id not in broken]
    return np.array([identity_of(Ref(scope.project, id)) for id in left], np.int64)
