"""Projects in RAM that are loaded from segments, and follow their manifests."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.aws.segments.manifest import Manifest, SegmentEntry
from memory_layer.adapters.aws.segments.project_catalog import ProjectCatalog
from memory_layer.adapters.aws.segments.segment_form import DamagedSegment
from memory_layer.adapters.aws.segments.segment_rows import SegmentRows, merged, rows_of
from memory_layer.adapters.aws.segments.segment_store import (
    SegmentGone,
    SegmentStore,
    StoredManifest,
    named_damage,
)
from memory_layer.adapters.project_index.project_index import ProjectIndex
from memory_layer.adapters.project_index.record_batch import RecordBatch, VectorRows
from memory_layer.domain.memory import Scope
from memory_layer.ports.process import Clock

MAX_BYTES: Final = 400 * 2**20
"""Bytes of the projects in one process, the one in use aside: a function has a gigabyte, and a model in it."""

IDLE: Final = timedelta(minutes=15)
"""Time after which a project that nobody asked for leaves the process at its next request, erased words with it."""

ATTEMPTS: Final = 4
"""Readings of a manifest whose segments were replaced meanwhile; a compaction takes longer than a reading."""


@dataclass
class SegmentedProject:
    """A project in RAM. Args: names: of the segments that are in it; used_at: when it was last asked for."""

    index: ProjectIndex
    used_at: datetime
    stored: StoredManifest | None = None
    names: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def manifest(self) -> Manifest:
        return Manifest() if self.stored is None else self.stored.manifest


@dataclass(frozen=True, slots=True)
class _KeptCatalog:
    """Catalogue of a project, kept for its next page. Args: used_at: when it was last asked for."""

    scope: Scope
    stored: StoredManifest
    catalogue: ProjectCatalog
    used_at: datetime


class SegmentedProjects:
    """Projects in RAM, in the order in which they were last asked for.

    Args:
        model, dimensions: of the embedder in use; vectors of another model are not loaded.
        max_bytes: projects least recently asked for are dropped beyond this; the one in use always stays.
    """

    def __init__(
        self, store: SegmentStore, model: str, dimensions: int, clock: Clock, max_bytes: int = MAX_BYTES
    ) -> None:
        self._store = store
        self._model = model
        self._dimensions = dimensions
        self._clock = clock
        self._max_bytes = max_bytes
        self._projects: OrderedDict[Scope, SegmentedProject] = OrderedDict()
        self._catalogue: _KeptCatalog | None = None
        self._lock = threading.Lock()

    def up_to_date(self, scopes: Sequence[Scope]) -> list[tuple[Scope, ProjectIndex]]:
        """Those of the projects that have a manifest, with all that their manifests name now.

        Raises:
            IndexUnavailable: the bucket does not answer, or what it holds of a project is damaged.
        """
        self._forget_idle()
        found = [(scope, self._followed(scope)) for scope in scopes]
        self._evict_beside(set(scopes))
        return [(scope, project.index) for scope, project in found if project.manifest.segments]

    def rows(self, scope: Scope) -> tuple[StoredManifest, SegmentRows]:
        """All rows of a project, those out of recall among them, and the manifest that names them.

        Raises:
            IndexUnavailable: as `up_to_date`.
        """
        for _ in range(ATTEMPTS):
            stored = self.manifest(scope)
            try:
                parts = [self._read(scope, entry) for entry in stored.manifest.segments]
            except SegmentGone as gone:
                missing = gone
                continue
            return stored, merged([rows_of([], self._model, self._dimensions), *parts])
        raise named_damage(scope, f"segment {missing} is missing")

    def catalogue(self, scope: Scope) -> ProjectCatalog:
        """Catalogue of a project as of its manifest, the last one kept for its next page.

        Raises:
            IndexUnavailable: as `up_to_date`.
        """
        kept = self._catalogue
        known = kept if kept is not None and kept.scope == scope else None
        stored = self.manifest(scope, None if known is None else known.stored)
        if known is None or stored is not known.stored:
            stored, rows = self.rows(scope)
            known = _KeptCatalog(scope, stored, ProjectCatalog(rows, self._model), self._clock.now())
        self._catalogue = replace(known, used_at=self._clock.now())
        return known.catalogue

    def manifest(self, scope: Scope, known: StoredManifest | None = None) -> StoredManifest:
        """Manifest of a project as it is now. Raises: IndexUnavailable: it is damaged, or cannot be read."""
        self._forget_idle()
        stored = self._store.manifest(scope, known)
        self._forget_older_catalogue(scope, stored)
        if stored.damage is not None:
            raise named_damage(scope, stored.damage)
        return stored

    def _followed(self, scope: Scope) -> SegmentedProject:
        project = self._project(scope)
        with project.lock:
            for _ in range(ATTEMPTS):
                stored = self.manifest(scope, project.stored)
                try:
                    self._catch_up(project, scope, stored)
                except SegmentGone as gone:
                    missing = gone
                    continue
                return project
        raise named_damage(scope, f"segment {missing} is missing")

    def _catch_up(self, project: SegmentedProject, scope: Scope, stored: StoredManifest) -> None:
        """Loads the segments that are new; all of them where something was erased, or most of it is new."""
        manifest = stored.manifest
        if stored is project.stored:
            return
        new = [entry for entry in manifest.segments if entry.name not in project.names]
        is_other = manifest.generation != project.manifest.generation
        if is_other or 2 * sum(entry.records for entry in new) > len(project.index):
            project.index, project.names, project.stored = self._empty(scope), set(), None
            project.index.reserve(sum(entry.records for entry in manifest.segments))
            new = list(manifest.segments)
        for entry in new:
            self._put(project.index, self._read(scope, entry))
        project.index.settle()
        project.names, project.stored = set(manifest.names), stored

    def _read(self, scope: Scope, entry: SegmentEntry) -> SegmentRows:
        try:
            return self._store.segment(scope, entry.name)
        except DamagedSegment as error:
            raise named_damage(scope, f"segment {entry.name}: {error}") from error

    def _put(self, index: ProjectIndex, rows: SegmentRows) -> None:
        is_searched = rows.is_searched
        index.put(self._of_model(rows).take(np.flatnonzero(is_searched)))
        index.remove(rows.batch.keys[~is_searched].tolist())

    def _of_model(self, rows: SegmentRows) -> RecordBatch:
        """Batch of rows without the vectors of other models."""
        is_of, batch = rows.is_of(self._model), rows.batch
        return replace(
            batch,
            content_vectors=self._current(batch.content_vectors, is_of),
            context_vectors=self._current(batch.context_vectors, is_of),
        )

    def _current(self, vectors: VectorRows, is_of: NDArray[np.bool_]) -> VectorRows:
        if vectors.vectors.shape[1] != self._dimensions:
            return VectorRows(np.empty(0, np.intp), np.empty((0, self._dimensions), np.float16))
        kept = is_of[vectors.records]
        return vectors if kept.all() else VectorRows(vectors.records[kept], vectors.vectors[kept])

    def _empty(self, scope: Scope) -> ProjectIndex:
        return ProjectIndex(scope, self._dimensions)

    def _project(self, scope: Scope) -> SegmentedProject:
        now = self._clock.now()
        with self._lock:
            project = self._projects.get(scope)
            if project is None:
                project = self._projects[scope] = SegmentedProject(self._empty(scope), now)
            project.used_at = now
            self._projects.move_to_end(scope)
            return project

    def _forget_idle(self) -> None:
        oldest = self._clock.now() - IDLE
        with self._lock:
            for scope in [scope for scope, project in self._projects.items() if project.used_at < oldest]:
                del self._projects[scope]
            if self._catalogue is not None and self._catalogue.used_at < oldest:
                self._catalogue = None

    def _forget_older_catalogue(self, scope: Scope, stored: StoredManifest) -> None:
        kept = self._catalogue
        if kept is not None and kept.scope == scope and kept.stored.etag != stored.etag:
            self._catalogue = None

    def _evict_beside(self, used: set[Scope]) -> None:
        with self._lock:
            total = sum(project.index.nbytes for project in self._projects.values())
            for idle in [scope for scope in self._projects if scope not in used]:
                if total <= self._max_bytes:
                    return
                total -= self._projects.pop(idle).index.nbytes
