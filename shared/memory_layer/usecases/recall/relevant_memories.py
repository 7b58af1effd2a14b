"""Memories relevant to an intent, or known first without one, found once for all sources of a context."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memory_layer.domain.arrays import np
from memory_layer.domain.learning.author_records import NO_RECORDS, AuthorRecords
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.policy import BlendMode
from memory_layer.domain.retrieval.trusted_candidates import contents_of, keep_contents
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.commit import Vector
from memory_layer.ports.process import Deadline, DeadlinePassed, Ports
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall.find_candidates import CandidateSearch, unseen_refs
from memory_layer.usecases.recall.first_memories import first_memories
from memory_layer.usecases.recall.judge_candidates import HitReader
from memory_layer.usecases.recall.order_by_trust import hits_by_trust
from memory_layer.usecases.recall.retrieval import Retrieval

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.candidates import RecordTable


@dataclass(frozen=True, slots=True)
class RelevantMemories:
    """Visible records with their relevance to the intent, 0..1, best first; as they lie, without bodies.

    Args:
        unseen: records that the index has not seen yet, whether or not they bear on the intent.
        vectors: of the contents of records that have one, as stored or as rows (VectorLayout).
    """

    memories: tuple[Memory, ...] = ()
    relevance: Mapping[Ref, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unseen: tuple[Ref, ...] = ()
    vectors: Mapping[Ref, Vector] = field(default_factory=dict)

    def of(self, project: str) -> list[Memory]:
        return [memory for memory in self.memories if memory.project == project]


@contextmanager
def _held(lock: threading.Lock, deadline: Deadline) -> Iterator[None]:
    """Holds a lock. Raises: Late: another thread held it until the deadline, or the deadline is over."""
    if not lock.acquire(timeout=max(0.0, deadline.seconds_left)):
        raise DeadlinePassed
    try:
        yield
    finally:
        lock.release()


@dataclass
class RelevantMemorySearch:
    """Search for relevant memories, run when the first source asks; the other sources wait for its result.

    Args:
        search: within the projects that are asked; without words it finds what is known first.
        entities: URNs named beside the words.
        depth: how many records are read.
        authors: whose lines rank lower.
    """

    ports: Ports
    search: CandidateSearch
    visibility: Visibility
    blend: BlendMode
    entities: tuple[str, ...]
    depth: int
    authors: AuthorRecords = NO_RECORDS
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _memories: RelevantMemories | None = None
    _log_lock: threading.Lock = field(default_factory=threading.Lock)
    _unseen: list[Ref] | None = None

    def found(self, deadline: Deadline) -> RelevantMemories:
        """Runs the search, or waits for the run of another source.

        Raises:
            Late: another source was searching until the deadline, or the deadline is over.
        """
        with _held(self._lock, deadline):  # never an empty answer: that would be kept as the whole one
            if self._memories is None:
                self._memories = self._found(deadline)
            return self._memories

    def unseen(self, deadline: Deadline) -> list[Ref] | None:
        """Refs of records that the index has not seen yet, read once; to be read before any other index look-up.

        Returns:
            None: there is no index to ask.

        Raises:
            Late: as `found`.
        """
        with _held(self._log_lock, deadline):
            if self._unseen is None:
                with suppress(IndexUnavailable):
                    self._unseen = unseen_refs(self.ports, self.search)
            return self._unseen

    def _found(self, deadline: Deadline) -> RelevantMemories:
        deadline.check()
        if not self.search.query:
            return self._known_first(deadline)
        reading = self._reader()
        retrieval = Retrieval(self.ports, self.search, reading, self.blend, self.authors)
        found = retrieval.found(unseen=self.unseen(deadline))
        vectors: dict[Ref, Vector] = {}
        knows_vectors = keep_contents(found.records)
        if not knows_vectors:
            reading = self._reader(vectors)
            retrieval = replace(retrieval, reading=reading)
        deadline.check()
        hits = retrieval.expanded(found, self.depth, self.entities)
        deadline.check()
        hits = hits_by_trust(retrieval, found, hits.take(hits.order))
        notes = tuple(dict.fromkeys((*found.notes, *hits.notes)))
        if retrieval.answer(found, hits).knows_nothing:
            return RelevantMemories(notes=notes, unseen=found.unseen)
        refs = hits.records.refs()
        relevance = dict(zip(refs, hits.relevances.semantic.tolist(), strict=True))
        if knows_vectors:
            vectors = _kept_vectors(hits.records, refs)
        return RelevantMemories(tuple(reading.some(refs)), relevance, notes, found.unseen, vectors)

    def _known_first(self, deadline: Deadline) -> RelevantMemories:
        vectors: dict[Ref, Vector] = {}
        unseen = self.unseen(deadline)
        first = first_memories(self.ports, self.search, self._reader(vectors), unseen, self.depth)
        return RelevantMemories(first.memories, first.relevance, first.notes, tuple(unseen or ()), vectors)

    def _reader(self, vectors: dict[Ref, Vector] | None = None) -> HitReader:
        """Reader of the records that the search is for. Args: vectors: as `HitReader`."""
        store = self.ports.store
        asked = (self.search.filters,)
        return HitReader(store.memories, store.history, self.search, self.visibility, asked, vectors=vectors)


def _kept_vectors(records: RecordTable, refs: Sequence[Ref]) -> dict[Ref, Vector]:
    """Rows of the contents that have one, as the index keeps them; none where a record is none of its own."""
    contents = contents_of(records)
    if contents is None:
        return {}
    each = zip(refs, contents.astype(np.float32), records.lack_vectors().tolist(), strict=True)
    return {ref: row for ref, row, is_lacking in each if not is_lacking}
