"""What bears on an intent, found and read once for all sources of a context that go by it."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.policy import BlendMode
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.commit import Vector
from memory_layer.ports.process import Deadline, DeadlinePassed, Ports
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall.expand_hits import tie_hits
from memory_layer.usecases.recall.find_candidates import CandidateSearch, find_candidates, unseen_refs
from memory_layer.usecases.recall.judge_candidates import HitReader, acceptors, blended, has_no_answer

SPARE = 25
"""Records read beyond those wanted, in one go with them: some may not be shown."""


@dataclass(frozen=True, slots=True)
class RelevantMemories:
    """Visible records with their relevance to the intent, 0..1, best first; as they lie, without bodies.

    Args:
        news: what the index has not seen yet, whether or not it bears on the intent.
        vectors: of the contents of all that was read and has one.
    """

    memories: tuple[Memory, ...] = ()
    relevance: Mapping[Ref, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    news: tuple[Ref, ...] = ()
    vectors: Mapping[Ref, Vector] = field(default_factory=dict)

    def of(self, project: str) -> list[Memory]:
        return [memory for memory in self.memories if memory.project == project]


@contextmanager
def _held(lock: threading.Lock, deadline: Deadline) -> Iterator[None]:
    """Raises: Late: another thread has held it until the deadline; or that is over."""
    if not lock.acquire(timeout=max(0.0, deadline.seconds_left)):
        raise DeadlinePassed
    try:
        yield
    finally:
        lock.release()


@dataclass
class RelevantMemorySearch:
    """Finds them when the first source asks; the others wait for it.

    Args:
        search: within the projects that are asked.
        entities: URNs that are named beside the words.
        depth: how many records are read.
    """

    ports: Ports
    search: CandidateSearch
    visibility: Visibility
    blend: BlendMode
    entities: tuple[str, ...]
    depth: int
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _bearing: RelevantMemories | None = None
    _log_lock: threading.Lock = field(default_factory=threading.Lock)
    _unseen: list[Ref] | None = None

    def found(self, deadline: Deadline) -> RelevantMemories:
        """
        Raises:
            Late: another source has been looking for them until the deadline; or it is over.
        """
        with _held(self._lock, deadline):  # never an empty answer: that would be kept as the whole one
            if self._bearing is None:
                self._bearing = self._found(deadline)
            return self._bearing

    def unseen(self, deadline: Deadline) -> list[Ref] | None:
        """What the index has not seen yet, read once; whoever asks the index besides asks for this first.

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
        found = blended(find_candidates(self.ports, self.search, self.unseen(deadline)), self.blend)
        deadline.check()
        vectors: dict[Ref, Vector] = {}
        accepts = acceptors(self.search.filters)
        reading = HitReader(self.ports.store, self.search, self.visibility, accepts, vectors=vectors)
        hits = self._read(reading, found.refs)
        deadline.check()
        tied = tie_hits(self.ports, self.search, hits, found, reading, self.entities)
        deadline.check()
        relevance = {memory.ref: tied.relevance[memory.ref].semantic for memory in tied.memories}
        best = sorted(tied.memories, key=lambda memory: (-relevance[memory.ref], memory.ref))
        notes = tuple(dict.fromkeys((*found.notes, *tied.notes)))
        if not tied.is_named and has_no_answer(self.ports.store, self.search.query, found, best):
            return RelevantMemories(notes=notes, news=found.unseen)
        return RelevantMemories(tuple(best), relevance, notes, found.unseen, vectors)

    def _read(self, reading: HitReader, refs: Sequence[Ref]) -> list[Memory]:
        """The first that may be shown; where many may not, as since settings became stricter, those behind them."""
        first, others = refs[: self.depth + SPARE], refs[self.depth + SPARE :]
        hits = reading.some(first)
        if others and len(hits) < self.depth:
            hits += reading.some(others)
        return hits[: self.depth]
