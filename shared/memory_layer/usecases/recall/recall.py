"""Recall: the memories that are relevant to a query, best first, with a receipt.

Steps, in their order: recall.py checks the request; find_candidates.py searches; judge_candidates.py judges;
expand_hits.py adds what the graph ties to hits; rank_hits.py ranks; explore_hits.py tries out; order_by_trust.py,
look_closely.py and place_lines.py place; retrieval.py binds them, and reads; redact_answers.py redacts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final, Literal

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.arrays import np, true_rows
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import Policy, Profile
from memory_layer.domain.ranking import RankedMemory, TaskProfile
from memory_layer.domain.retrieval.asked_part import asked_part
from memory_layer.domain.retrieval.blending import Relevances
from memory_layer.domain.retrieval.pasted_output import without_output
from memory_layer.domain.text.synonyms import by_key
from memory_layer.domain.text_rules import text_problem
from memory_layer.errors import Invalid
from memory_layer.ports.process import Ports
from memory_layer.ports.project_settings import RecallSettings
from memory_layer.usecases.ground.own_receipts import receipt_for
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall import judge_candidates
from memory_layer.usecases.recall.as_of import past_index_filters, refuse_future, written_by
from memory_layer.usecases.recall.explain_matches import explained
from memory_layer.usecases.recall.explore_hits import Exploring, beside_feedback, explore_hits, exploring
from memory_layer.usecases.recall.find_candidates import CandidateSearch, Unseen, embedded
from memory_layer.usecases.recall.first_memories import records_in_standing
from memory_layer.usecases.recall.graph_recall import graph_hits
from memory_layer.usecases.recall.hydrate import damage_notes
from memory_layer.usecases.recall.judge_answer import HITS_JUDGED, AnswerChances
from memory_layer.usecases.recall.order_by_trust import order_by_trust
from memory_layer.usecases.recall.place_lines import lines_in_place
from memory_layer.usecases.recall.rank_hits import RankedHits, rank_hits
from memory_layer.usecases.recall.reads_together import first_reads, note_and_count
from memory_layer.usecases.recall.redact_answers import redacted_hits
from memory_layer.usecases.recall.rerank import reranked
from memory_layer.usecases.recall.retrieval import Retrieval
from memory_layer.usecases.recall.try_newcomer import tried_in, try_newcomer
from memory_layer.usecases.recall.warm_up import announce_warmed

Strategy = Literal["auto", "semantic", "lexical", "entity", "graph"]
Consistency = Literal["strong", "eventual"]

ENTITY_DEPTH = 10_000
"""Records of an entity among which those of a second entity are looked for."""

RANKED_AT_LEAST: Final = 40
"""Candidates ranked; those beyond are too far behind in relevance to come up."""

DEFAULT_HOPS = 2
"""Hops of strategy graph: from an entity to its memories, and on to the other entities that they name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """Request of a recall.

    Args:
        run_id: of the run that asks, whose verdict then meets what it is shown.
        explores: False: the list tries nothing out.

    Source: SPEC 3.1.
    """

    query: str
    strategy: Strategy = "auto"
    limit: int = 10
    filters: Filters = field(default_factory=Filters)
    entities: tuple[str, ...] = ()
    hops: int = DEFAULT_HOPS
    profile: Profile | None = None
    task: TaskProfile = field(default_factory=TaskProfile)
    include_stale: bool = False
    consistency: Consistency = "strong"
    as_of: datetime | None = None
    min_score: float | None = None
    min_relevance: float = 0.0
    explain: bool = False
    run_id: str | None = None
    explores: bool = True

    @property
    def may_abstain(self) -> bool:
        """False: who names a strategy, or asks for every score, gets what there is."""
        return self.strategy == "auto" and self.min_score != 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """Answer of a recall: memories best first, and the way they were found.

    Args:
        note: why it is degraded, and that a section which is asked for goes on behind what is shown.
        evidence: chance that an answer is known, 0..1, on which `abstained` rests.
        evidence_gaps: what the question names and no hit covers.
    """

    recall_id: str
    strategy: Strategy
    ranking: str
    degraded: bool
    note: str | None
    abstained: bool
    evidence: float
    evidence_gaps: tuple[str, ...]
    memories: tuple[RankedMemory, ...]


def recall(ports: Ports, principal: Principal, project: str, request: RecallRequest) -> RecallResult:
    """Recalls the memories that bear on a query, best first.

    Without the embedder recall is lexical, without the index it reads the newest records; both are labelled `degraded`.
    `as_of` recalls records as they were then, found by their present words, those that are out of use since let in.

    Raises:
        Invalid: there is no query, or no entity to look up; or `as_of` lies in the future.
    """
    _check(request)
    if request.as_of is not None:
        refuse_future(request.as_of, ports.clock, "/as_of")
    now = request.as_of or ports.clock.now()
    scope = principal.scope(project)
    reads_unseen = request.strategy != "entity" and request.consistency == "strong"
    settings, unseen = first_reads(ports, scope, reads_unseen=reads_unseen)
    search = _search(scope, principal, request, now, settings.policy)
    if request.strategy != "entity":
        search = embedded(ports, search)
    return ports.turns.run(partial(_recalled, ports, principal, search, request, settings, unseen))


def _recalled(
    ports: Ports,
    principal: Principal,
    search: CandidateSearch,
    request: RecallRequest,
    settings: RecallSettings,
    unseen: Unseen,
) -> RecallResult:
    """Searches, judges, ranks and reads; the query is embedded."""
    scope, now, policy = search.project, search.now, settings.policy
    visibility = Visibility(
        ports.store.projects, search.viewer, now, include_stale=request.include_stale, known={scope: policy}
    )
    store, filters = ports.store, (search.filters, request.filters)
    reading = judge_candidates.HitReader(
        store.memories, store.history, search, visibility, filters, request.as_of, request.include_stale
    )
    retrieval = Retrieval(ports, search, reading, policy.blend, settings.authors)
    found = _found(retrieval, request, unseen)
    recall_id = ports.new_id("rcl_")
    way = _exploring(principal, request, settings, recall_id)
    hits, feedback = beside_feedback(retrieval, found, way, lambda: _hits(retrieval, request, found))
    hits = reranked(retrieval, hits, request.strategy)
    by_merit = rank_hits(
        retrieval, hits, policy, request.profile or policy.profile, request.task, settings.active_at
    )
    explored = explore_hits(retrieval, by_merit, way, feedback)
    ranked = placed = order_by_trust(retrieval, found, hits, explored.hits, request.limit)
    if way is not None and not request.min_score:
        ranked = try_newcomer(retrieval, hits, by_merit, placed, request.limit)
    tried = tried_in(ranked, placed, request.limit)
    answer = _judged(retrieval, request, found, hits, ranked)
    in_place = lines_in_place(retrieval, hits, ranked, request.limit)
    if in_place.hits is not ranked:
        placed = in_place.hits if placed is ranked else placed
        ranked, answer = in_place.hits, _judged(retrieval, request, found, hits, in_place.hits)
    if explored.seed is not None:
        placed = order_by_trust(retrieval, found, hits, by_merit, request.limit)
    if placed is not ranked:  # what is tried out makes an answer neither better known nor worse
        answer = replace(_judged(retrieval, request, found, hits, placed), relevance=answer.relevance)
    shown, no_bodies = _asked(ranked, answer, request).shown(retrieval, request.limit, answer.relevance)
    refs = tuple(item.memory.ref for item in shown)
    at, told = ports.clock.now(), explored.told(refs, tried)
    receipt = receipt_for(principal, recall_id, scope, refs, at, run_id=request.run_id, exploration=told)
    counted = note_and_count(ports, shown, receipt)
    announce_warmed(ports, [item.memory for item in counted], visibility.policy_of)
    notes = tuple(dict.fromkeys((*found.notes, *hits.notes, *no_bodies, *damage_notes(reading.damaged))))
    return RecallResult(
        recall_id=recall_id,
        strategy=request.strategy,
        ranking="graph" if request.strategy == "graph" else found.ranking,
        degraded=bool(notes),
        note="; ".join([*notes, *((in_place.note,) if in_place.note and shown else ())]) or None,
        abstained=not shown and request.may_abstain,
        evidence=answer.evidence,
        evidence_gaps=answer.gaps,
        memories=tuple(_explained(redacted_hits(counted, scope, visibility), search, request)),
    )


def _exploring(
    principal: Principal, request: RecallRequest, settings: RecallSettings, recall_id: str
) -> Exploring | None:
    """Way in which a list explores; None: it does not: it is one memory, of the past, or ranked for a task."""
    is_learned = (request.profile or settings.policy.profile) == "learned"
    if not request.explores or request.limit <= 1 or request.as_of is not None or not is_learned:
        return None
    return exploring(principal, settings, request.task.task_type, request.limit, recall_id)


def _explained(
    hits: Iterable[RankedMemory], search: CandidateSearch, request: RecallRequest
) -> Iterable[RankedMemory]:
    return explained(list(hits), search, request.entities) if request.explain else hits


def _judged(
    retrieval: Retrieval,
    request: RecallRequest,
    found: judge_candidates.CandidateHits,
    hits: judge_candidates.Hits,
    ranked: RankedHits,
) -> AnswerChances:
    """Judges an answer; what rests on an entity that the caller names is certain."""
    k = len(ranked.records) if request.min_relevance else max(HITS_JUDGED, request.limit)
    is_named = hits.is_named or request.strategy == "entity"
    first = hits.take(ranked.rows[:k])
    in_order = judge_candidates.Hits(first.records, first.relevances, first.facts, is_named, first.notes)
    return retrieval.answer(found, in_order, k, request.limit, request.entities)


def _asked(ranked: RankedHits, answer: AnswerChances, request: RecallRequest) -> RankedHits:
    """Hits that are asked for: none if nothing relevant is known."""
    if request.may_abstain and answer.knows_nothing:
        return ranked.take(ranked.rows[:0])
    is_asked = ranked.scores >= (request.min_score or 0.0)
    if request.min_relevance:
        relevance = [answer.relevance.get(ref, 0.0) for ref in ranked.records.refs()]
        is_asked &= np.array(relevance) >= request.min_relevance
    return ranked if is_asked.all() else ranked.take(true_rows(is_asked))


def _check(request: RecallRequest) -> None:
    problem = text_problem(request.query)
    if problem or not request.query.strip():
        raise Invalid.at("/query", problem or "the query is blank; ask something")
    if request.strategy == "entity" and not request.entities:
        raise Invalid.at("/entities", "strategy entity looks up entities; name at least one URN")


def _search(
    scope: Scope, principal: Principal, request: RecallRequest, now: datetime, policy: Policy
) -> CandidateSearch:
    entities = request.entities if request.strategy == "entity" else request.filters.entities
    return CandidateSearch(
        project=scope,
        query=asked_part(without_output(request.query)),
        filters=replace(request.filters, entities=entities),
        viewer=viewer_of(principal),
        asker=principal.author,
        now=now,
        is_lexical_only=request.strategy == "lexical",
        reads_own_writes=request.consistency == "strong",
        synonyms=by_key(policy.synonyms),
    )


def _found(retrieval: Retrieval, request: RecallRequest, unseen: Unseen) -> judge_candidates.CandidateHits:
    search = retrieval.search
    searches = [search]
    if request.as_of is not None:
        asked = past_index_filters(search.filters, request.as_of)
        searches = [replace(search, filters=filters) for filters in asked]
    if request.strategy == "entity":
        records, notes = records_in_standing(retrieval.ports, searches[0], k=_lookup_depth(request))
        all_alike = np.ones(len(records))
        return judge_candidates.CandidateHits(records, Relevances(all_alike, all_alike), "entity", notes)
    return retrieval.found(searches, unseen)


def _hits(
    retrieval: Retrieval, request: RecallRequest, found: judge_candidates.CandidateHits
) -> judge_candidates.Hits:
    """Judges the visible candidates; expands them by the graph in strategies auto and graph."""
    search, k = retrieval.search, max(RANKED_AT_LEAST, request.limit)
    if request.as_of is not None:  # the index knows only what records are tied to now
        search = replace(search, filters=written_by(request.filters, request.as_of))
    if request.strategy == "auto":
        return retrieval.expanded(found, k, request.entities, search)
    if request.strategy == "graph":
        hits = retrieval.reading.best(found, k)
        return graph_hits(
            retrieval.ports, search, hits, found, retrieval.reading, request.entities, request.hops
        )
    return retrieval.judged(found, k)


def _lookup_depth(request: RecallRequest) -> int:
    """Depth of an entity search; greater where the filters name entities too, which is checked on the records alone."""
    return ENTITY_DEPTH if request.filters.entities else max(RANKED_AT_LEAST, request.limit)
