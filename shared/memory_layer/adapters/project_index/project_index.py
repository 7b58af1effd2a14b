"""Index of one project in RAM: vectors, postings and filter columns of every record, searched together."""

import threading
from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index import project_view
from memory_layer.adapters.project_index.content_neighbours import near_slots
from memory_layer.adapters.project_index.filter_columns import FilterColumns, Mask
from memory_layer.adapters.project_index.growing_array import GrowingArray
from memory_layer.adapters.project_index.hash_lists import HashLists
from memory_layer.adapters.project_index.id_column import IdColumn
from memory_layer.adapters.project_index.postings import Postings, holders
from memory_layer.adapters.project_index.project_sample import ProjectSample
from memory_layer.adapters.project_index.record_batch import RecordBatch, fingerprints
from memory_layer.adapters.project_index.slot_directory import ABSENT, SlotDirectory
from memory_layer.adapters.project_index.slot_rows import SlotRows
from memory_layer.adapters.project_index.vector_matrix import VectorMatrix
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters, LabelField
from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.abstention import (
    SAMPLE,
    UNKNOWN_TYPICAL_COSINE,
    sample_seed,
    typical_cosine,
)
from memory_layer.domain.retrieval.candidates import MentionedRows, MentionHash, RecordTable
from memory_layer.domain.retrieval.facts import fact_dtype, is_trusted, pinned_as
from memory_layer.ports.index import NearQuery

_COMPACTED_LEAST = 1_024


class ProjectIndex:
    """Index that many threads search while one appends: a lock is held to append and to take a view, no longer.

    A record sits in a slot. A changed text takes a new slot and leaves a dead one, all else changes in place;
    when half of the slots are dead they are squeezed out.

    Args:
        dimensions: of the vectors; a multiple of 4.
    """

    def __init__(self, scope: Scope, dimensions: int) -> None:
        self._scope = scope
        self._lock = threading.RLock()
        self._directory = SlotDirectory()
        self._keys: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._positions: GrowingArray[np.int64] = GrowingArray(np.int64)
        self._prints: GrowingArray[np.uint64] = GrowingArray(np.uint64)
        self._ids = IdColumn()
        self._facts: GrowingArray[np.void] = GrowingArray(fact_dtype())
        self._mention_hashes = HashLists()
        self._columns = FilterColumns()
        self._terms: dict[project_view.TextField, Postings] = {"content": Postings(), "context": Postings()}
        self._mentions = Postings()
        self._vectors: dict[project_view.TextField, VectorMatrix] = {
            "content": VectorMatrix(dimensions),
            "context": VectorMatrix(dimensions),
        }
        self._dead = 0
        self._trusted: Mask | None = None
        self._kept_rows: SlotRows | None = None
        self._sample = ProjectSample(sample_seed(scope))
        self._typical_cosine = UNKNOWN_TYPICAL_COSINE

    def __len__(self) -> int:
        """Number of live records."""
        return len(self._keys) - self._dead

    @property
    def _postings(self) -> tuple[Postings, ...]:
        return (*self._terms.values(), self._mentions)

    @property
    def nbytes(self) -> int:
        terms = sum(postings.nbytes for postings in self._postings)
        vectors = sum(matrix.nbytes for matrix in self._vectors.values())
        names = self._keys.nbytes + self._positions.nbytes + self._ids.nbytes + self._directory.nbytes
        facts = self._facts.nbytes + self._mention_hashes.nbytes + self._prints.nbytes
        return terms + vectors + names + facts + self._columns.nbytes + self._sample.nbytes

    def typical_cosine(self) -> float:
        """Typical cosine of two contents of the project; measured anew whenever its sample has changed."""
        with self._lock:
            if not self._sample.is_known:
                self._typical_cosine = self._measured()
                self._sample.is_known = True
            return self._typical_cosine

    def _measured(self) -> float:
        contents = self._vectors["content"].view
        rows = np.flatnonzero(self._columns.live[contents.slots])
        drawn, places = self._sample.draw(contents.slots[rows])
        ids = self._ids.view.of(contents.slots[rows[drawn]])
        first = sorted(zip(places, ids, rows[drawn].tolist(), strict=True))[:SAMPLE]
        sample = [row for *_, row in first]
        return typical_cosine(contents.rows[sample], contents.scales[sample])

    def reserve(self, records: int) -> None:
        """Makes room for so many records in all, before they are loaded."""
        self._keys.reserve(records)
        self._positions.reserve(records)
        self._sample.reserve(records)
        self._prints.reserve(records)
        self._facts.reserve(records)
        self._columns.reserve(records)
        for matrix in self._vectors.values():
            matrix.reserve(
                records
            )  # room costs nothing until it is written, and rows of one block are read at once
        for postings in self._postings:
            postings.reserve(records)

    def settle(self) -> None:
        """Sorts what was loaded, which the first search would do else."""
        with self._lock:
            for postings in self._postings:
                postings.view(None)

    def put(self, rows: RecordBatch) -> None:
        """Adds these records, or replaces those of the same key; every key once."""
        with self._lock:
            self._trusted = self._kept_rows = None
            slots, prints = self._directory.find(rows.keys), fingerprints(rows)
            is_known = slots != ABSENT
            is_same = is_known.copy()
            is_same[is_known] = self._prints.rows[slots[is_known]] == prints[is_known]
            same, changed = np.flatnonzero(is_same), np.flatnonzero(~is_same)
            if len(same):
                self._columns.replace(slots[same], rows.filters.take(same))
                self._facts.rows[slots[same]] = rows.facts[same]
                self._positions.rows[slots[same]] = rows.positions[same]
            self._kill(slots[is_known & ~is_same])
            if len(changed):
                self._append(rows.take(changed) if len(same) else rows, prints[changed])
            self._compact_if_due()

    def remove(self, keys: Sequence[int]) -> None:
        """Removes these records; unknown keys are passed over."""
        with self._lock:
            wanted = np.array(keys, np.int64)
            slots = self._directory.find(wanted)
            self._directory.assign(wanted, np.full(len(wanted), ABSENT, np.int32))
            self._kill(slots[slots != ABSENT])
            self._compact_if_due()

    def scan(self, query: project_view.ProjectQuery) -> project_view.ProjectScan:
        """Scan for one query, which lists what it finds."""
        with self._lock:
            return project_view.ProjectScan(self._view(query), query)

    def near_contents(self, vectors: NDArray[np.float32], query: NearQuery) -> list[dict[str, float]]:
        """For each vector the records that `query` asks for, by id, with estimates of their cosines."""
        with self._lock:
            accepted = self._columns.mask(Filters(), query.viewer, query.now)
            view, ids = self._vectors["content"].view, self._ids.view
        found = near_slots(view, vectors, accepted, query.k, query.nearer_than)
        named = iter(ids.of(np.array([slot for near in found for slot, _ in near], np.intp)))
        return [{next(named): cosine for _, cosine in near} for near in found]

    def standing(
        self, filters: Filters, viewer: Viewer, now: datetime, k: int
    ) -> tuple[RecordTable, NDArray[np.int64]]:
        """The `k` best by confidence × relevance_score, best first, equal ones by id; and that, in millionths."""
        with self._lock:
            accepted, rows = self._accepted(filters, viewer, now), self._rows()
            standing = self._columns.standing
        slots = rows.first_in_standing(standing, accepted, k)
        return rows.table(slots), standing.of(slots).astype(np.int64)

    def mentioning(
        self,
        hashes: Sequence[MentionHash],
        filters: Filters,
        viewer: Viewer,
        now: datetime,
        k: int,
        hub_above: int,
    ) -> MentionedRows:
        """Number of records tied to each entity, and, unless they are more than `hub_above`, the `k` best of them.

        They are in the order of `standing`.
        """
        with self._lock:
            accepted, rows = self._accepted(filters, viewer, now), self._rows()
            standing = self._columns.standing
            view = self._mentions.view(None)
        entities, slots = holders(view, hashes)
        is_seen = accepted[slots]
        entities, slots = entities[is_seen], slots[is_seen]
        totals = np.bincount(entities, minlength=len(hashes))
        is_told = totals[entities] <= hub_above
        entities, slots = rows.best_of_each(standing, entities[is_told], slots[is_told], k)
        return MentionedRows(totals, rows.table(slots), entities, standing.of(slots).astype(np.int64))

    def labels(self, field: LabelField) -> set[str]:
        """Every tag that a record carries, or every URN that one names."""
        with self._lock:
            return self._columns.labels(field)

    def trusted_tags(self, viewer: Viewer, now: datetime) -> set[str]:
        """Every tag of the trusted records that the viewer finds now."""
        with self._lock:
            return self._columns.tags_among(self._trusted_rows(), viewer, now)

    def standings(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The key of every record, and the position in the log of its last change that has arrived."""
        with self._lock:
            live = self._columns.live
            return self._keys.rows[live], self._positions.rows[live]

    def _accepted(self, filters: Filters, viewer: Viewer, now: datetime) -> NDArray[np.bool_]:
        """Mask of the slots that are asked for and that the viewer may see."""
        accepted = self._columns.mask(filters, viewer, now)
        if filters.standing is not None:
            accepted = accepted & (self._trusted_rows() == (filters.standing == "trusted"))
        return accepted if filters.pinned is None else accepted & pinned_as(self._facts.rows, filters.pinned)

    def _view(self, query: project_view.ProjectQuery) -> project_view.ProjectView:
        live = self._columns.live if self._dead else None
        accepted = self._accepted(query.filters, query.viewer, query.now)
        return project_view.ProjectView(
            accepted,
            self._trusted_rows() if query.trusted else accepted,
            self._rows(),
            {field: postings.view(live) for field, postings in self._terms.items()} if query.terms else {},
            {field: matrix.view for field, matrix in self._vectors.items()},
        )

    def _trusted_rows(self) -> Mask:
        """Mask of the trusted records, kept until a record changes."""
        self._trusted = is_trusted(self._facts.rows) if self._trusted is None else self._trusted
        return self._trusted

    def _rows(self) -> SlotRows:
        """View of the columns that tell of records, kept until a record changes."""
        if self._kept_rows is None:
            names, mentions, contents = (
                self._ids.view,
                self._mention_hashes.view,
                self._vectors["content"].view,
            )
            columns = self._keys.rows, self._facts.rows, names, mentions, contents
            self._kept_rows = SlotRows(self._scope, *columns)
        return self._kept_rows

    def _append(self, rows: RecordBatch, prints: NDArray[np.uint64]) -> None:
        first = len(self._keys)
        self._directory.assign(rows.keys, np.arange(first, first + len(rows.keys), dtype=np.int32))
        self._keys.extend(rows.keys)
        self._positions.extend(rows.positions)
        self._prints.extend(prints)
        self._ids.extend(rows.ids)
        self._facts.extend(rows.facts)
        self._mention_hashes.extend(rows.mentions.hashes, rows.mentions.sizes)
        self._sample.extend(rows.ids, rows.content_vectors.records)
        self._columns.extend(rows.filters)
        self._terms["content"].extend(rows.content_terms)
        self._terms["context"].extend(rows.context_terms)
        self._mentions.extend(rows.mentions)
        self._vectors["content"].extend(first + rows.content_vectors.records, rows.content_vectors.vectors)
        self._vectors["context"].extend(first + rows.context_vectors.records, rows.context_vectors.vectors)

    def _kill(self, slots: NDArray[np.int32]) -> None:
        if len(slots):
            self._sample.remove(slots)
            self._columns.kill(slots)
            for postings in self._postings:
                postings.remove(slots)
            self._dead += len(slots)

    def _compact_if_due(self) -> None:
        if len(self._keys) < _COMPACTED_LEAST:
            return
        if 2 * self._dead > len(self._keys) or self._columns.is_mostly_dropped:
            self._compact()

    def _compact(self) -> None:
        live = self._columns.live
        new_slots = np.where(live, np.cumsum(live) - 1, ABSENT).astype(np.int32)
        for postings in self._postings:
            postings.renumber(new_slots)
        for matrix in self._vectors.values():
            matrix.renumber(new_slots)
        self._keys.keep(live)
        self._positions.keep(live)
        self._sample.keep(live)
        self._prints.keep(live)
        self._ids.keep(live)
        self._facts.keep(live)
        self._trusted = self._kept_rows = None
        self._mention_hashes.keep(live)
        self._columns.renumber(new_slots)
        self._directory.rebuild(self._keys.rows)
        self._dead = 0
