"""Fourth step of a recall: hits ranked by the profile of the request, on columns where the profile allows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.memory import Ref
from memory_layer.domain.policy import Policy, Profile
from memory_layer.domain.ranking import (
    Candidate,
    RankedMemory,
    TaskProfile,
    rank_governed,
    rank_task,
)
from memory_layer.domain.retrieval.candidates import RecordTable, Rows
from memory_layer.domain.retrieval.signals import rank_learned, signal_columns, signals_of
from memory_layer.domain.retrieval.trust_order import BY_RELEVANCE, PLACES
from memory_layer.domain.scope_tags import WriteScope
from memory_layer.domain.text.classification import detect_intent
from memory_layer.domain.time.decay import recency_share
from memory_layer.usecases.recall.hydrate import hydrate_records
from memory_layer.usecases.recall.judge_candidates import Hits
from memory_layer.usecases.recall.retrieval import Retrieval

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.blending import Column
    from memory_layer.domain.retrieval.signals import SignalColumns


@dataclass(slots=True, eq=False)
class RankedHits:
    """Ranked hits, best first, never changed.

    Args:
        rows: of `signals`; shape (n,).
        scores: by the profile and the order of trust; shape (n,).
        placed_by: why each stands where it does, as numbers of PLACES; None: all by relevance.
    """

    records: RecordTable
    rows: Rows
    scores: Column
    signals: SignalColumns
    placed_by: NDArray[np.int8] | None = None

    def take(self, places: Rows) -> RankedHits:
        why = None if self.placed_by is None else self.placed_by[places]
        return RankedHits(
            self.records.names(places), self.rows[places], self.scores[places], self.signals, why
        )

    def shown(
        self, retrieval: Retrieval, limit: int, relevance: Mapping[Ref, float]
    ) -> tuple[list[RankedMemory], tuple[str, ...]]:
        """The first `limit` that may be shown, read; and notes on those left out. Args: relevance: 0 of others."""
        refs = self.records.names(slice(limit)).refs()
        memories, notes = retrieval.shown(refs, limit, self.records.refs)
        if len(memories) < min(limit, len(self.records)):  # some may not be shown, or are copies of others
            refs = self.records.refs()
            memories, notes = retrieval.shown(refs, limit)
        known = {ref: place for place, ref in enumerate(refs)}
        shown = [memory.ref for memory in memories]
        places = np.array([known[ref] for ref in shown], np.intp)
        placed = np.full(len(places), BY_RELEVANCE) if self.placed_by is None else self.placed_by[places]
        each = zip(
            *(memories, self.scores[places].tolist(), signals_of(self.signals, self.rows[places])),
            *(shown, placed.tolist()),
            strict=True,
        )
        return [
            RankedMemory(memory, score, signals, relevance=relevance.get(ref, 0.0), placed_by=PLACES[why])
            for memory, score, signals, ref, why in each
        ], notes


def rank_hits(
    retrieval: Retrieval,
    hits: Hits,
    policy: Policy,
    profile: Profile,
    task: TaskProfile,
    active_at: datetime | None,
) -> RankedHits:
    """Ranks hits by a profile.

    Args:
        policy: of the project that asks.
        active_at: last activity in the project; not applied to what the tenant shares.
    """
    search = retrieval.search
    kept = [
        recency_share(active_at, search.now) if scope == search.project else 1.0
        for scope in hits.records.scopes
    ]
    shares = np.array(kept)[hits.records.scope_numbers]
    signals = signal_columns(
        hits.facts,
        hits.relevances,
        intent=detect_intent(search.query),
        now=search.now,
        outcome_model=policy.outcome_model,
        recency_shares=shares,
    )
    if profile == "learned":
        rows, scores = rank_learned(signals, hits.records)
        return RankedHits(hits.records.names(rows), rows, scores, signals)
    candidates = _candidates(retrieval, hits, signals, shares, with_words=bool(task.error_patterns))
    ranked = (
        rank_governed(candidates, WriteScope(task.write_scope))
        if profile == "governed"
        else rank_task(candidates, task, search.now)
    )
    numbers = {ref: row for row, ref in enumerate(hits.records.refs())}
    rows = np.array([numbers[item.memory.ref] for item in ranked], np.intp)
    return RankedHits(hits.records.names(rows), rows, np.array([item.score for item in ranked]), signals)


def _candidates(
    retrieval: Retrieval,
    hits: Hits,
    signals: SignalColumns,
    shares: Column,
    *,
    with_words: bool,
) -> list[Candidate]:
    """Hits with their records read. Args: with_words: whole bodies, in which known errors are looked for."""
    refs = hits.records.refs()
    rows = {ref: row for row, ref in enumerate(refs)}
    memories = retrieval.reading.some(refs)
    if with_words:
        memories, _ = hydrate_records(retrieval.ports.store.memories, memories)
    at = np.array([rows[memory.ref] for memory in memories], np.intp)
    each = zip(memories, signals_of(signals, at), shares[at].tolist(), strict=True)
    return [Candidate(memory, of_memory, share) for memory, of_memory, share in each]
