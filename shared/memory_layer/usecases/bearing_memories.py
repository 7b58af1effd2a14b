"""What bears on an intent, found once for all sources of a context that go by it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memory_layer.context_ports import Deadline
from memory_layer.domain.abstention import is_off_topic, term_coverage
from memory_layer.domain.analysis import analyze
from memory_layer.domain.blending import Evidence, Relevance, asks, blend, with_evidence
from memory_layer.domain.memory import Memory, Ref, Scope, searchable_text
from memory_layer.domain.periods import named_period
from memory_layer.domain.policy import Policy
from memory_layer.ports import Ports
from memory_layer.usecases.find_candidates import Search, find_candidates
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
        candidates = find_candidates(self.ports, self.search)
        relevance = {
            ref: found
            for ref, found in blend(candidates.arms, mode=self.policy.blend).items()
            if found.lexical > 0.0 or candidates.is_near(ref)
        }
        return Bearing(relevance, candidates.notes, candidates.best_cosine, candidates.typical_cosine)

    def judged(self, memories: Sequence[Memory], bearing: Bearing) -> dict[Ref, float]:
        """Relevance once the records are read: nothing is relevant where even the best is no nearer than chance."""
        period = named_period(self.search.query)
        judged: dict[Ref, float] = {}
        for memory in memories:
            if memory.ref not in bearing.relevance:
                continue
            day = (memory.valid_from or memory.created_at).date()
            days = None if period is None else period.days_from(day)
            evidence = Evidence(asks(memory.content), days)
            judged[memory.ref] = with_evidence(bearing.relevance[memory.ref], evidence).semantic
        found = [memory for memory in memories if memory.ref in judged][:10]
        if is_off_topic(bearing.best_cosine, bearing.typical_cosine, lambda: self._coverage(found)):
            return {}
        return judged

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
