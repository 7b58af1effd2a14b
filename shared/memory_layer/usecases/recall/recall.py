"""Recall: the memories that are relevant to a query, best first, with a receipt.

Steps, in the order of a recall: recall.py checks the request; find_candidates.py searches; judge_candidates.py reads,
checks and judges; expand_hits.py adds what the graph ties to the hits; domain/ranking.py ranks; hydrate.py and
redact_answers.py prepare the shown ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import reduce
from heapq import nsmallest
from itertools import islice
from typing import Literal

from memory_layer.domain.access import Principal, viewer_of, without_copies
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.domain.policy import Policy, Profile
from memory_layer.domain.ranking import (
    Candidate,
    RankedMemory,
    TaskProfile,
    rank_governed,
    rank_learned,
    rank_task,
    signals_of,
)
from memory_layer.domain.retrieval.blending import Relevance
from memory_layer.domain.text.classification import detect_intent
from memory_layer.domain.text_rules import text_problem
from memory_layer.domain.time.decay import recency_share
from memory_layer.errors import IndexUnavailable, Invalid
from memory_layer.ports.process import Ports
from memory_layer.ports.records import RecallReceipt
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall import judge_candidates
from memory_layer.usecases.recall.as_of import past_index_filters, refuse_future, written_by
from memory_layer.usecases.recall.expand_hits import expand_hits
from memory_layer.usecases.recall.find_candidates import (
    NO_INDEX,
    CandidateSearch,
    find_candidates,
    merge_candidates,
    newest_records,
)
from memory_layer.usecases.recall.graph_recall import graph_hits
from memory_layer.usecases.recall.hydrate import damage_notes, hydrate_first, hydrate_records
from memory_layer.usecases.recall.redact_answers import redacted_hits
from memory_layer.usecases.recall.warm_up import announce_warmed

Strategy = Literal["auto", "semantic", "lexical", "entity", "graph"]
Consistency = Literal["strong", "eventual"]

ENTITY_DEPTH = 10_000
"""Records of an entity among which those of a second entity are looked for."""

READ_AT_LEAST = judge_candidates.READ_TOGETHER
"""Candidates re-read and ranked; those beyond are too far behind in relevance to come up."""

DEFAULT_HOPS = 2
"""Hops of strategy graph: from an entity to its memories, and on to the other entities that they name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """Request of a recall. Source: SPEC 3.1."""

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
    min_score: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """Answer of a recall: memories best first, and the way they were found."""

    recall_id: str
    strategy: Strategy
    ranking: str
    degraded: bool
    note: str | None
    abstained: bool
    memories: tuple[RankedMemory, ...]


def recall(ports: Ports, principal: Principal, project: str, request: RecallRequest) -> RecallResult:
    """Recalls the memories that bear on a query, best first.

    A part that is down makes no error: without the embedder recall is lexical, without the index it reads the
    newest records; both are labelled `degraded`.

    `as_of` recalls records as they were then, found by their present words: those that were superseded, archived or
    went stale since are let in, and shown and ranked as they were.

    Raises:
        Invalid: there is no query, or no entity to look up; or `as_of` lies in the future.
    """
    _check(request)
    if request.as_of is not None:
        refuse_future(request.as_of, ports.clock, "/as_of")
    scope, now = principal.scope(project), request.as_of or ports.clock.now()
    policy, active_at = ports.store.policy_and_activity(scope)
    search = _search(scope, principal, request, now)
    found = _found(ports, search, request, policy)
    visibility = Visibility(
        ports.store, search.viewer, now, include_stale=request.include_stale, known={scope: policy}
    )
    reading = judge_candidates.HitReader(
        ports.store,
        search,
        visibility,
        judge_candidates.acceptors(search.filters, request.filters),
        request.as_of,
    )
    tied = _expanded(ports, search, request, found, reading)
    memories = without_copies(tied.memories)
    if _reads_words(request, policy):
        memories, _ = hydrate_records(ports.store, memories)
    ranked = _ranked(memories, tied.relevance, search, request, policy, active_at)
    first = (item.memory for item in ranked)
    if not tied.is_named and judge_candidates.has_no_answer(ports.store, request.query, found, first):
        ranked = []
    asked = [item for item in ranked if item.score >= request.min_score]
    shown, no_bodies = hydrate_first(ports.store, asked, request.limit)
    recall_id = ports.new_id("rcl_")
    refs = tuple(item.memory.ref for item in shown)
    ports.store.note_recall(RecallReceipt(recall_id, scope, principal.name, refs, ports.clock.now()))
    announce_warmed(ports, [item.memory for item in shown], visibility.policy_of)
    notes = tuple(dict.fromkeys((*found.notes, *tied.notes, *no_bodies, *damage_notes(reading.damaged))))
    return RecallResult(
        recall_id=recall_id,
        strategy=request.strategy,
        ranking="graph" if request.strategy == "graph" else found.ranking,
        degraded=bool(notes),
        note="; ".join(notes) or None,
        abstained=not shown,
        memories=tuple(redacted_hits(shown, scope, visibility)),
    )


def _reads_words(request: RecallRequest, policy: Policy) -> bool:
    """Tells if the ranking reads whole bodies: it looks for known errors in them."""
    return (request.profile or policy.profile) == "task" and bool(request.task.error_patterns)


def _check(request: RecallRequest) -> None:
    problem = text_problem(request.query)
    if problem or not request.query.strip():
        raise Invalid.at("/query", problem or "the query is blank; ask something")
    if request.strategy == "entity" and not request.entities:
        raise Invalid.at("/entities", "strategy entity looks up entities; name at least one URN")


def _search(scope: Scope, principal: Principal, request: RecallRequest, now: datetime) -> CandidateSearch:
    return CandidateSearch(
        project=scope,
        query=request.query,
        filters=_filters(request),
        viewer=viewer_of(principal),
        now=now,
        is_lexical_only=request.strategy == "lexical",
        reads_own_writes=request.consistency == "strong",
    )


def _filters(request: RecallRequest) -> Filters:
    if request.strategy != "entity":
        return request.filters
    return replace(request.filters, entities=request.entities)


def _found(
    ports: Ports, search: CandidateSearch, request: RecallRequest, policy: Policy
) -> judge_candidates.CandidateHits:
    searches = [search]
    if request.as_of is not None:
        asked = past_index_filters(search.filters, request.as_of)
        searches = [replace(search, filters=filters) for filters in asked]
    if request.strategy == "entity":
        refs, notes = _in_standing(ports, searches[0], k=_lookup_depth(request))
        return judge_candidates.CandidateHits(dict.fromkeys(refs, Relevance(1.0, 1.0)), "entity", notes)
    return judge_candidates.blend_candidates(
        reduce(merge_candidates, (find_candidates(ports, one) for one in searches)), policy.blend
    )


def _expanded(
    ports: Ports,
    search: CandidateSearch,
    request: RecallRequest,
    found: judge_candidates.CandidateHits,
    reading: judge_candidates.HitReader,
) -> judge_candidates.ExpandedHits:
    """Reads and judges the visible candidates; expands them by the graph in strategies auto and graph."""
    hits = list(islice(reading.in_order(found.refs), max(READ_AT_LEAST, request.limit)))
    if request.as_of is not None:  # the index knows only what records are tied to now
        search = replace(search, filters=written_by(request.filters, request.as_of))
    if request.strategy == "auto":
        return expand_hits(ports, search, hits, found, reading, request.entities)
    if request.strategy == "graph":
        return graph_hits(ports, search, hits, found, reading, request.entities, request.hops)
    return judge_candidates.ExpandedHits(
        hits, judge_candidates.weigh_evidence(hits, found.relevance, search.query)
    )


def _lookup_depth(request: RecallRequest) -> int:
    """Depth of an entity search; greater where the filters name entities too, which is checked on the records alone."""
    return ENTITY_DEPTH if request.filters.entities else max(READ_AT_LEAST, request.limit)


def _in_standing(ports: Ports, search: CandidateSearch, *, k: int) -> tuple[list[Ref], tuple[str, ...]]:
    try:
        return ports.index.standing(search.scopes, search.filters, search.viewer, now=search.now, k=k), ()
    except IndexUnavailable:
        newest = newest_records(ports, search).values()
        best = nsmallest(
            k, newest, key=lambda memory: (-memory.confidence * memory.relevance_score, memory.ref)
        )
        return [memory.ref for memory in best], (NO_INDEX,)


def _ranked(
    memories: list[Memory],
    relevance: Mapping[Ref, Relevance],
    search: CandidateSearch,
    request: RecallRequest,
    policy: Policy,
    active_at: datetime | None,
) -> list[RankedMemory]:
    """Ranks by the profile. Args: active_at: last activity in the project; not applied to what the tenant shares."""
    intent = detect_intent(request.query)
    share = recency_share(active_at, search.now)
    candidates = []
    for memory in memories:
        kept = share if memory.scope == search.project else 1.0
        near = relevance[memory.ref]
        signals = signals_of(
            memory,
            semantic=near.semantic,
            lexical=near.lexical,
            intent=intent,
            now=search.now,
            outcome_model=policy.outcome_model,
            recency_share=kept,
        )
        candidates.append(Candidate(memory, signals, kept))
    profile = request.profile or policy.profile
    if profile == "governed":
        return rank_governed(candidates, request.task.write_scope)
    if profile == "task":
        return rank_task(candidates, request.task, search.now)
    return rank_learned(candidates)
