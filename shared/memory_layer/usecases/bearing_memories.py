"""What bears on an intent, found once for all sources of a context that go by it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memory_layer.context_ports import Deadline
from memory_layer.domain.abstention import is_off_topic, term_coverage
from memory_layer.domain.analysis import analyze
from memory_layer.domain.blending import Relevance
from memory_layer.domain.memory import Memory, Ref, Scope, searchable_text
from memory_layer.domain.policy import Policy
from memory_layer.ports import Ports
from memory_layer.usecases.find_candidates import Search, find_candidates
from memory_layer.usecases.finding import blended, judged
from memory_layer.usecases.tie_hits import hanging_together
from memory_layer.usecases.visibility import Visibility
from memory_layer.usecases.words_of_hits import whole_or_told


@dataclass(frozen=True, slots=True)
class Bearing:
    """Relevance to the intent of what was found, 0..1, before any record is read; and what was not there to be used."""

    relevance: Mapping[Ref, Relevance]
    notes: tuple[str, ...]
    best_cosine: float
    typical_cosine: float

    def refs(self, project: str | None = None) -> list[Ref]:
        """The most relevant first. Args: project: of this one alone."""
        own = [ref for ref in self.relevance if project in (None, ref.project)]
        return sorted(own, key=lambda ref: (-self.relevance[ref].semantic, ref))


@dataclass
class BearingMemories:
    """Finds them when the first source asks; the others wait for it.

    Args:
        search: within the projects that are asked.
    """

    ports: Ports
    search: Search
    policy: Policy
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _found: Bearing | None = None

    def found(self, deadline: Deadline) -> Bearing:
        """
        Raises:
            Late: another source has been looking for them until the deadline; or it is over.
        """
        deadline.check()
        if not self._lock.acquire(timeout=max(0.0, deadline.seconds_left)):
            deadline.check()
        try:
            if self._found is None:
                self._found = self._find()
            return self._found
        finally:
            self._lock.release()

    def _find(self) -> Bearing:
        found = blended(find_candidates(self.ports, self.search), self.policy.blend)
        return Bearing(found.relevance, found.notes, found.best_cosine, found.typical_cosine)

    def judged(self, memories: Sequence[Memory], bearing: Bearing) -> dict[Ref, float]:
        """Relevance once the records are read: nothing is relevant where even the best is no nearer than chance."""
        found = [memory for memory in memories if memory.ref in bearing.relevance]
        if is_off_topic(bearing.best_cosine, bearing.typical_cosine, lambda: self._coverage(found[:10])):
            return {}
        relevance = judged(found, bearing.relevance, self.search.query)
        near = hanging_together(found, relevance, self.search.query)
        return {ref: one.semantic for ref, one in near.items()}

    def _coverage(self, memories: Iterable[Memory]) -> float:
        asked = analyze(self.search.query)
        texts = (searchable_text(memory.content, memory.context) or memory.content for memory in memories)
        return max((term_coverage(asked, analyze(text)) for text in texts), default=0.0)


def visible_whole(
    ports: Ports, scope: Scope, refs: Iterable[Ref], visibility: Visibility, limit: int
) -> tuple[list[Memory], tuple[str, ...]]:
    """The first of these that may be shown, read from the record store with all their words, and notes."""
    wanted = list(dict.fromkeys(refs))
    records = ports.store.get_many(scope.tenant, wanted, with_bodies=False)
    shown = [records[ref] for ref in wanted if ref in records and visibility.shows(records[ref])]
    return whole_or_told(ports.store, shown[:limit])
