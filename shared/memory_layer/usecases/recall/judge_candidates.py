"""Second step of a recall, shared with context assembly: candidates blended, read, checked and judged.

Steps: recall.py, find_candidates.py, judge_candidates.py, expand_hits.py, domain/ranking.py.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, is_stub, searchable_text
from memory_layer.domain.policy import BlendMode
from memory_layer.domain.retrieval import blending
from memory_layer.domain.retrieval.abstention import WordCounts, coverage, is_off_topic
from memory_layer.domain.text.analyzer import analyze
from memory_layer.domain.time.periods import Period, named_period
from memory_layer.ports.commit import Vector
from memory_layer.ports.process import Ports
from memory_layer.ports.records import RecordStore
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall.as_of import recallable_at
from memory_layer.usecases.recall.find_candidates import Candidates, CandidateSearch
from memory_layer.usecases.recall.hydrate import hydrate_records

READ_TOGETHER = 40

HITS_JUDGED = 10
"""First hits, one of which has to share its words with the query if none is near it in meaning."""


@dataclass(frozen=True, slots=True)
class CandidateHits:
    """Candidates with their blended relevance, before any record is read.

    Args:
        ranking: way of the search: hybrid, lexical or entity.
        newest: records that were looked at because there was no index to ask; None: there was one.
        unseen: records that the index has not seen yet, whether or not the question found them.
    """

    relevance: Mapping[Ref, blending.Relevance]
    ranking: str
    notes: tuple[str, ...] = ()
    best_cosine: float = 1.0
    chance_cosine: float = 0.0
    words: WordCounts = field(default_factory=WordCounts)
    unseen: tuple[Ref, ...] = ()
    newest: Mapping[Ref, Memory] | None = None

    @property
    def refs(self) -> list[Ref]:
        """Refs, the most relevant first."""
        return sorted(self.relevance, key=lambda ref: (-self.relevance[ref].semantic, ref))


@dataclass(frozen=True, slots=True)
class ExpandedHits:
    """Hits with the records tied to them, and the relevance of all.

    Args:
        is_named: a record is tied to an entity that the caller named: then the question is not off topic, however
            far its words are.
        notes: what was not there to be used.
    """

    memories: list[Memory]
    relevance: Mapping[Ref, blending.Relevance]
    is_named: bool = False
    notes: tuple[str, ...] = ()


def blend_candidates(candidates: Candidates, mode: BlendMode) -> CandidateHits:
    """Blends one relevance for each candidate that shares a word with the query, or is nearer to it than chance."""
    relevance = {
        ref: found
        for ref, found in blending.blend(candidates.arms, mode=mode).items()
        if found.lexical > 0.0 or candidates.is_near(ref)
    }
    ranking = "hybrid" if candidates.has_semantic_arm else "lexical"
    return CandidateHits(
        relevance,
        ranking,
        candidates.notes,
        candidates.best_cosine,
        candidates.chance_cosine,
        candidates.words,
        candidates.unseen,
        candidates.newest,
    )


def has_no_answer(store: RecordStore, query: str, found: CandidateHits, best: Iterable[Memory]) -> bool:
    """Tells if none of the hits bears on the query. Args: best: the first hits, as they lie."""

    def best_coverage() -> float:
        whole, _ = hydrate_records(store, islice(best, HITS_JUDGED))
        texts = (searchable_text(memory.content, memory.context) or memory.content for memory in whole)
        asked = analyze(query)
        return max((coverage(asked, analyze(text), found.words) for text in texts), default=0.0)

    return is_off_topic(found.best_cosine, found.chance_cosine, best_coverage)


def weigh_evidence(
    memories: Iterable[Memory], relevance: Mapping[Ref, blending.Relevance], query: str
) -> dict[Ref, blending.Relevance]:
    """Relevance with the evidence weighed in that only a read record gives."""
    period = named_period(query)
    return {(ref := m.ref): blending.with_evidence(relevance[ref], _evidence(m, period)) for m in memories}


def _evidence(memory: Memory, period: Period | None) -> blending.AnswerEvidence:
    """Evidence in a record: is it a question, its distance from the day asked about, and the length of a turn's words.

    The length of a note is no evidence: a note is brief on purpose. A stub counts as no question: questions are brief.
    """
    is_asking = not is_stub(memory) and blending.asks(memory.content)
    said = None if memory.session_id is None else blending.amount_said(memory.content)
    if period is None:
        return blending.AnswerEvidence(is_asking, says=said)
    day = (memory.valid_from or memory.created_at).date()
    return blending.AnswerEvidence(is_asking, period.days_from(day), said)


@dataclass(frozen=True, slots=True)
class HitReader:
    """Reader of hits that checks each record: the index is no authority.

    Args:
        accepts: the filters that a record has to pass, each.
        as_of: show records as they were then; None: as they are.
        vectors: receives the content vectors of all records read; None: none are read.
        damaged: receives the records that were left out because they are damaged.
    """

    store: RecordStore
    search: CandidateSearch
    visibility: Visibility
    accepts: tuple[Callable[[Memory], bool], ...]
    as_of: datetime | None = None
    vectors: dict[Ref, Vector] | None = None
    damaged: list[Ref] = field(default_factory=list)

    def in_order(self, refs: Sequence[Ref]) -> Iterator[Memory]:
        """Yields the records that may be shown, in this order, read only as far as they are asked for.

        They come as they lie: without the words of a long one that is not hot.
        """
        for start in range(0, len(refs), READ_TOGETHER):
            yield from self.some(refs[start : start + READ_TOGETHER])

    def some(self, refs: Sequence[Ref]) -> list[Memory]:
        """Reads the records that may be shown, in this order, in one round trip per hundred."""
        records = self._read(refs)
        self.damaged.extend(
            self.store.damaged_among(self.search.project.tenant, [ref for ref in refs if ref not in records])
        )
        if self.as_of is not None:
            records = recallable_at(self.store, records, self.search.viewer, self.as_of)
        return [records[ref] for ref in refs if ref in records and self._shows(records[ref])]

    def _read(self, refs: Sequence[Ref]) -> dict[Ref, Memory]:
        tenant = self.search.project.tenant
        if self.vectors is None:
            return self.store.get_many(tenant, refs, with_bodies=False)
        found = self.store.with_vectors(tenant, refs)
        self.vectors.update({ref: vectors.content for ref, (_, vectors) in found.items() if vectors})
        return {ref: memory for ref, (memory, _) in found.items()}

    def _shows(self, memory: Memory) -> bool:
        return all(accept(memory) for accept in self.accepts) and self.visibility.shows(memory)


def acceptors(*filters: Filters) -> tuple[Callable[[Memory], bool], ...]:
    return tuple(one.acceptor() for one in dict.fromkeys(filters))


def search_for_all(ports: Ports, principal: Principal, project: str) -> CandidateSearch:
    """Search without words: for all memories in use that this caller may see."""
    return CandidateSearch(
        project=principal.scope(project),
        query="",
        filters=Filters(),
        viewer=viewer_of(principal),
        now=ports.clock.now(),
    )
