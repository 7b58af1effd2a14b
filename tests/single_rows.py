"""Columns of the ranking as single records: tests state what holds of one memory, or of four lists by key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np

from memory_layer.domain import ranking
from memory_layer.domain.memory import Category, Memory
from memory_layer.domain.policy import BlendMode, OutcomeModel
from memory_layer.domain.ranking import Candidate, RankedMemory, Signals
from memory_layer.domain.retrieval import blending, signals
from memory_layer.domain.retrieval.abstention import WordCounts
from memory_layer.domain.retrieval.candidates import (
    LISTS,
    CandidateTable,
    MentionedRows,
    table_of_refs,
)
from memory_layer.domain.retrieval.facts import facts_of
from memory_layer.domain.retrieval.mentions import Key, MentionedRecords
from memory_layer.ports.index import IndexAnswer


class Relevance(NamedTuple):
    """Relevance of one candidate."""

    semantic: float
    lexical: float


@dataclass(frozen=True)
class Lists:
    """Raw scores of four lists by key."""

    content_lexical: Mapping[Any, float] = field(default_factory=dict)
    content_semantic: Mapping[Any, float] = field(default_factory=dict)
    context_lexical: Mapping[Any, float] = field(default_factory=dict)
    context_semantic: Mapping[Any, float] = field(default_factory=dict)
    told_days: Mapping[Any, float] = field(default_factory=dict)


def blend(lists: Lists, mode: BlendMode = "minmax", keywords: float = 1.0) -> dict[str, Relevance]:
    """Relevance by key, of those that a list counts."""
    found = [getattr(lists, name) for name in LISTS]
    keys = list(dict.fromkeys(key for scores in found for key in scores))
    scores = np.array([[one.get(key, np.nan) for key in keys] for one in found]).reshape(
        len(LISTS), len(keys)
    )
    blended = blending.blend(scores, mode=mode, keywords=keywords)
    rows = zip(blended.semantic.tolist(), blended.lexical.tolist(), strict=True)
    return dict(zip(keys, (Relevance(*row) for row in rows), strict=True))


def lists_of(table: CandidateTable) -> Lists:
    """Scores of a table by id, each list best first."""
    return Lists(**{name: {ref.id: score for ref, score in table.ranked(name).items()} for name in LISTS})


def with_evidence(
    relevance: Relevance,
    *,
    is_question: bool = False,
    says: float = np.nan,
    days_from_period: float | None = None,
) -> Relevance:
    found = blending.with_evidence(
        blending.Relevances(np.array([relevance.semantic]), np.array([relevance.lexical])),
        blending.AnswerEvidence(
            np.array([is_question]),
            np.array([says]),
            None if days_from_period is None else np.array([float(days_from_period)]),
        ),
    )
    return Relevance(float(found.semantic[0]), float(found.lexical[0]))


def signals_of(
    memory: Memory,
    *,
    semantic: float,
    lexical: float,
    intent: Category | None,
    now: datetime,
    outcome_model: OutcomeModel,
    recency_share: float = 1.0,
) -> Signals:
    """Signals of one memory."""
    columns = signals.signal_columns(
        facts_of([memory]),
        blending.Relevances(np.array([semantic]), np.array([lexical])),
        intent=intent,
        now=now,
        outcome_model=outcome_model,
        recency_shares=np.array([recency_share]),
    )
    return signals.signals_of(columns, np.array([0]))[0]


def _columns(rows: Sequence[Signals]) -> dict[str, blending.Column]:
    return {name: np.array([getattr(one, name) for one in rows], float) for name in ranking.SIGNALS}


def learned_score(one: Signals) -> float:
    return float(signals.learned_scores(_columns([one]))[0])


def rank_learned(
    candidates: Sequence[Candidate], margin: float = ranking.RELEVANCE_MARGIN
) -> list[RankedMemory]:
    """Ranked candidates, best first."""
    columns = _columns([one.signals for one in candidates])
    records = table_of_refs("t", [one.memory.ref for one in candidates])
    scores = signals.learned_scores(columns)
    rows, _ = signals.rank_learned(columns, records, margin=margin)
    return [
        RankedMemory(candidates[row].memory, float(scores[row]), candidates[row].signals)
        for row in rows.tolist()
    ]


@dataclass(frozen=True)
class Listed:
    """Answer of an index, its lists by ref."""

    arms: Lists
    typical_cosine: float
    searched: int
    words: WordCounts


def listed(answer: IndexAnswer) -> Listed:
    """Reads the lists of an answer, each best first."""
    arms = Lists(**{name: answer.candidates.ranked(name) for name in LISTS})
    return Listed(arms, answer.typical_cosine, answer.searched, answer.words)


def mentioned(rows: MentionedRows, keys: Sequence[Key]) -> dict[Key, MentionedRecords]:
    """Records tied to each key that has any."""
    return {key: one for key, one in zip(keys, rows.by_entity(), strict=True) if one.total}
