"""Second step of a recall: candidates blended, checked and judged, by the facts that the index keeps of their records.

Steps: recall.py, find_candidates.py, judge_candidates.py, expand_hits.py, domain/ranking.py. `Retrieval` binds the
first three: recall, context, prompts and enrichment search by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from memory_layer.domain.arrays import NDArray, np, true_rows
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.policy import BlendMode
from memory_layer.domain.retrieval import blending
from memory_layer.domain.retrieval.abstention import WordCounts
from memory_layer.domain.retrieval.candidates import CandidateTable, RecordTable, Rows, best_rows
from memory_layer.domain.retrieval.facts import facts_of, is_trusted
from memory_layer.domain.retrieval.question_words import is_one_word
from memory_layer.domain.retrieval.release_questions import searched_words
from memory_layer.domain.retrieval.trusted_candidates import TRUSTED_KEPT, with_best_trusted
from memory_layer.domain.retrieval.visible_rows import visible_rows
from memory_layer.ports.commit import Vector
from memory_layer.ports.records import HistoryStore, MemoryStore
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall.as_of import recallable_at
from memory_layer.usecases.recall.find_candidates import Candidates, CandidateSearch

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.facts import Facts

READ_TOGETHER = 40


@dataclass(frozen=True)
class CandidateHits:
    """Candidates with their blended relevance, before any record is read.

    Args:
        ranking: way of the search: hybrid, lexical or entity.
        cosines: of the records, the greater of both texts, shape (n,); NaN: only their words were compared.
        searched: number of memories that could have been found.
        newest: records that were looked at because there was no index to ask; None: there was one.
        trusted: as `Candidates`.
        unseen: records that the index has not seen yet, whether or not the question found them.
    """

    records: RecordTable
    relevances: blending.Relevances
    ranking: str
    notes: tuple[str, ...] = ()
    cosines: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    best_cosine: float = 1.0
    chance_cosine: float = 0.0
    searched: int = 0
    words: WordCounts = field(default_factory=WordCounts)
    unseen: tuple[Ref, ...] = ()
    newest: Mapping[Ref, Memory] | None = None
    trusted: CandidateTable | None = None

    @property
    def is_trusted(self) -> NDArray[np.bool_]:
        """Tests which candidates were found among trusted memories alone."""
        if self.trusted is None:
            return np.zeros(len(self.records), np.bool_)
        return np.isin(self.records.identities, self.trusted.records.identities)

    @cached_property
    def nearness(self) -> Mapping[int, float]:
        """Cosine above chance of each candidate that has one, by its identity."""
        above = (self.cosines - self.chance_cosine).tolist()
        return {
            id: one for id, one in zip(self.records.identities.tolist(), above, strict=True) if one == one
        }

    @property
    def has_cosines(self) -> bool:
        """True: meanings were compared."""
        return self.ranking == "hybrid"

    @property
    def order(self) -> Rows:
        """Rows, the most relevant first."""
        return best_rows(self.relevances.semantic, self.records, len(self.records))


@dataclass(slots=True, eq=False)
class Hits:
    """Records that may be shown, with their relevance and their facts.

    Args:
        records: without their facts.
        facts: of the records, shape (n,).
        is_named: a record is tied to an entity that the caller named: then the question is not off topic, however
            far its words are.
        notes: what was not there to be used.
    """

    records: RecordTable
    relevances: blending.Relevances
    facts: Facts
    is_named: bool = False
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.records)

    @property
    def order(self) -> Rows:
        """Rows, the most relevant first."""
        return best_rows(self.relevances.semantic, self.records, len(self))

    def take(self, rows: Rows) -> Hits:
        """Hits of some of the rows, in the order of `rows`."""
        columns = self.records.names(rows), self.relevances.take(rows), self.facts.take(rows)
        return Hits(*columns, self.is_named, self.notes)

    def with_relevances(self, relevances: blending.Relevances) -> Hits:
        """The same hits with other relevances."""
        return Hits(self.records, relevances, self.facts, self.is_named, self.notes)


def blend_candidates(candidates: Candidates, mode: BlendMode, search: CandidateSearch) -> CandidateHits:
    """Blends one relevance for each candidate that shares a word, is nearer than chance, or tells of asked days."""
    period = search.period
    records, cosines = candidates.table.records, candidates.cosines
    words_only = records.lack_vectors() if candidates.has_semantic_arm else None
    scores = candidates.table.scores
    is_said = bool((~np.isnan(scores[[0, 2]])).any())
    exact = searched_words(search.query) is not None or (is_said and is_one_word(search.query))
    keywords = blending.keyword_part(scores[0], candidates.words.weight(search.query))
    relevances = blending.blend(scores, mode=mode, words_only=words_only, is_exact=exact, keywords=keywords)
    if period is not None:
        told = candidates.table.scores_of("told_days")
        relevances = blending.with_told_days(relevances, told, period.weight)
    rows = true_rows((relevances.lexical > 0.0) | candidates.near_rows())
    if len(rows) < len(records):
        records, relevances, cosines = records.take(rows), relevances.take(rows), cosines[rows]
    return CandidateHits(
        records,
        relevances,
        "hybrid" if candidates.has_semantic_arm else "lexical",
        candidates.notes,
        cosines,
        candidates.best_cosine,
        candidates.chance_cosine,
        candidates.searched,
        candidates.words,
        candidates.unseen,
        candidates.newest,
        candidates.trusted,
    )


@dataclass(frozen=True, slots=True)
class HitReader:
    """Reader of hits that checks each record: the index is no authority.

    Args:
        asked: the filters that a record has to pass, each.
        as_of: show records as they were then; None: as they are.
        include_stale: stale records may be shown.
        known: records that were read and may be shown.
        vectors: receives the content vectors of all records read; None: none are read.
        damaged: receives the records that were left out because they are damaged.
    """

    memories: MemoryStore
    history: HistoryStore
    search: CandidateSearch
    visibility: Visibility
    asked: tuple[Filters, ...]
    as_of: datetime | None = None
    include_stale: bool = False
    vectors: dict[Ref, Vector] | None = None
    known: dict[Ref, Memory] = field(default_factory=dict)
    damaged: list[Ref] = field(default_factory=list)

    def best(self, found: CandidateHits, k: int) -> Hits:
        """The `k` most relevant records that may be shown, best first: read only where the index keeps no facts."""
        facts = found.records.facts
        if facts is None or not self.trusts_facts:
            return self._best_read(found, k)
        is_visible = self._visible(found.records, facts)
        semantic = np.where(is_visible, found.relevances.semantic, -np.inf)
        rows = best_rows(semantic, found.records, min(k, int(np.count_nonzero(is_visible))))
        rows = with_best_trusted(rows, semantic, is_visible & is_trusted(facts), found.records)
        return Hits(found.records.names(rows), found.relevances.take(rows), facts.take(rows))

    def visible(self, records: RecordTable) -> tuple[Rows, Facts]:
        """Rows of the records that may be shown, and the facts of these; read only where the index keeps no facts."""
        if records.facts is not None and self.trusts_facts:
            rows = true_rows(self._visible(records, records.facts))
            return rows, records.facts.take(rows)
        refs = {ref: row for row, ref in enumerate(records.refs())}
        memories = self.some(list(refs))
        return np.array([refs[memory.ref] for memory in memories], np.intp), facts_of(memories)

    def in_order(self, refs: Sequence[Ref]) -> Iterator[Memory]:
        """Yields the records that may be shown, in this order, as they lie, read only as far as they are asked for."""
        for start in range(0, len(refs), READ_TOGETHER):
            yield from self.some(refs[start : start + READ_TOGETHER])

    def some(self, refs: Sequence[Ref]) -> list[Memory]:
        """Reads the records that may be shown, in this order, in one round trip per hundred."""
        new = [ref for ref in refs if ref not in self.known]
        if new:
            asked = {scope.project for scope in self.search.scopes}
            new = [ref for ref in new if ref.project in asked]
            records = self._read(new)
            missing = [ref for ref in new if ref not in records]
            self.damaged.extend(self.memories.damaged_among(self.search.project.tenant, missing))
            self.known.update(self._accepted(records))
        return [self.known[ref] for ref in refs if ref in self.known]

    def unseen(self, refs: Sequence[Ref]) -> list[Memory]:
        """Records that the index has not seen and that may be shown, maybe as kept: for their ties, not to be shown."""
        asked = {scope.project for scope in self.search.scopes}
        tenant = self.search.project.tenant
        read = self.memories.unseen(tenant, [ref for ref in refs if ref.project in asked])
        return list(self._accepted({ref: memory for ref, (memory, _) in read.items()}).values())

    def _accepted(self, records: Mapping[Ref, Memory]) -> dict[Ref, Memory]:
        """Those of these records that may be shown, each as of the moment asked for."""
        if self.as_of is not None:
            records = recallable_at(self.history, records, self.search.viewer, self.as_of)
        for accepts in (*(one.acceptor() for one in dict.fromkeys(self.asked)), self.visibility.shows):
            records = {ref: memory for ref, memory in records.items() if accepts(memory)}
        return dict(records)

    @property
    def trusts_facts(self) -> bool:
        """True: the index answers for the filters asked, as of now."""
        others = self.asked[1:]
        return self.as_of is None and all(one is self.asked[0] or one == self.asked[0] for one in others)

    def _best_read(self, found: CandidateHits, k: int) -> Hits:
        order = found.order
        refs = dict(zip(found.records.names(order).refs(), order.tolist(), strict=True))
        memories = list(islice(self.in_order(list(refs)), k))
        memories += self._more_trusted([ref for ref, row in refs.items() if found.is_trusted[row]], memories)
        rows = np.array([refs[memory.ref] for memory in memories], np.intp)
        return Hits(found.records.names(rows), found.relevances.take(rows), facts_of(memories))

    def _more_trusted(self, refs: Sequence[Ref], memories: Sequence[Memory]) -> list[Memory]:
        """Trusted records beside these, where fewer than TRUSTED_KEPT are among them. Args: refs: of candidates."""
        lacking = TRUSTED_KEPT - sum(memory.is_trusted for memory in memories)
        known = {memory.ref for memory in memories}
        others = self.in_order([ref for ref in refs if ref not in known]) if lacking > 0 else iter(())
        return list(islice(others, max(0, lacking)))

    def _visible(self, records: RecordTable, facts: Facts) -> NDArray[np.bool_]:
        """Tests which records may be shown, by the settings of their own projects."""
        is_visible = np.zeros(len(records), np.bool_)
        for number, scope in enumerate(records.scopes):
            rows = true_rows(records.scope_numbers == number) if len(records.scopes) > 1 else slice(None)
            is_visible[rows] = visible_rows(
                facts[rows],
                now=self.search.now,
                include_stale=self.include_stale,
                filters=self.search.filters,
                review_sources=self.visibility.policy_of(scope).review_sources,
            )
        return is_visible

    def _read(self, refs: Sequence[Ref]) -> dict[Ref, Memory]:
        tenant = self.search.project.tenant
        if self.vectors is None:
            records = self.memories.get_many(tenant, refs, with_bodies=False, with_accesses=False)
        else:
            found = self.memories.with_vectors(tenant, refs)
            self.vectors.update({ref: vectors.content for ref, (_, vectors) in found.items() if vectors})
            records = {ref: memory for ref, (memory, _) in found.items()}
        return records
