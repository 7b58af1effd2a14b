"""Signals of candidates on columns, and the learned ranking, which weighs them by the weights of domain.ranking."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.memory import Category
from memory_layer.domain.policy import OutcomeModel
from memory_layer.domain.ranking import (
    CATEGORY_BOOSTS,
    EXPERIENCE_WEIGHT,
    FREQUENCY_SATURATION,
    LEARNED_WEIGHTS,
    RECENCY_SCALE_DAYS,
    RELEVANCE_MARGIN,
    SIGNALS,
    Signals,
)
from memory_layer.domain.retrieval import facts as columns
from memory_layer.domain.retrieval.outcome_signal import outcome_basis, outcome_signal

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.blending import Column, Relevances
    from memory_layer.domain.retrieval.candidates import RecordTable, Rows
    from memory_layer.domain.retrieval.facts import Facts

    SignalColumns = Mapping[str, Column]
    """Signals of n candidates: a column for each field of `Signals`, shape (n,)."""


def signal_columns(
    facts: Facts,
    relevances: Relevances,
    *,
    intent: Category | None,
    now: datetime,
    outcome_model: OutcomeModel,
    recency_shares: Column | float = 1.0,
) -> SignalColumns:
    """Signals of n candidates for one query.

    Args:
        facts, relevances: of the candidates; shape (n,).
        intent: the category that the query asks for, if it is clear.
        recency_shares: share of its recency that each keeps, 0..1 (see domain.time.decay).
    """
    standing = outcome_basis(facts, now)
    boosts = np.ones(len(facts))
    if intent is not None:
        boosts[facts["category"] == columns.category_code(intent)] = CATEGORY_BOOSTS.get(intent, 1.0)
    signals = {
        "semantic": relevances.semantic,
        "lexical": relevances.lexical,
        "outcome": outcome_signal(standing, outcome_model),
        "recency": recency_shares * np.exp(-_ages_days(facts, now) / RECENCY_SCALE_DAYS),
        "frequency": np.minimum(1.0, np.log(standing.helpful_uses + 1.0) / math.log(FREQUENCY_SATURATION)),
        "confidence": facts["confidence"] / 1000,
        "boost": boosts,
    }
    return {**signals, "formula": learned_scores(signals)}


def signals_of(signals: SignalColumns, rows: Rows) -> list[Signals]:
    """Signals of some of the candidates, in the order of `rows`."""
    columns = (signals[name][rows].tolist() for name in SIGNALS)  # in the order of its fields
    return [Signals(*values) for values in zip(*columns, strict=True)]


def _ages_days(facts: Facts, now: datetime) -> NDArray[np.int64]:
    """`age_days` of each record."""
    return np.asarray(np.maximum(0, (columns.microseconds(now) - facts["updated_at"]) // columns.DAY_US))


def learned_scores(signals: SignalColumns) -> Column:
    """Weighted sums of the signals, times the boost; 0..1.5."""
    return (LEARNED_WEIGHTS["semantic"] * signals["semantic"] + _experience(signals)) * signals["boost"]


def _experience(signals: SignalColumns) -> Column:
    """Weighted sum of the signals that are independent of the query; 0..`EXPERIENCE_WEIGHT`."""
    return sum(
        (weight * signals[name] for name, weight in LEARNED_WEIGHTS.items() if name != "semantic"),
        start=np.zeros(len(signals["semantic"])),
    )


def merits(signals: SignalColumns) -> Column:
    """Merit of each memory beside its relevance, boost included; 0..1."""
    return np.minimum(1.0, _experience(signals) / EXPERIENCE_WEIGHT * signals["boost"])


def standings(signals: SignalColumns, *, margin: float = RELEVANCE_MARGIN) -> Column:
    """Scores by which memories are ordered: relevance first, merit within a margin of it; 0..1.

    Experience decides among memories about as relevant as each other, and never beyond: a score is
    (semantic + margin * merit) / (1 + margin). As merit is 0..1, a memory that is more relevant by more than
    `margin` always comes first, however famous the other; among equally relevant ones merit decides; and
    between the two, the smaller the difference in relevance, the less experience it takes to turn it.

    Args:
        margin: in units of `semantic`; 0 leaves relevance alone.

    Source: ADR-0005, which compares it with the plain sum (`learned_scores`), which lets fame beat relevance, with
    bands of relevance, and with the score inside a sliding window.
    """
    return np.asarray((signals["semantic"] + margin * merits(signals)) / (1.0 + margin))


def rank_learned(
    signals: SignalColumns, records: RecordTable, *, margin: float = RELEVANCE_MARGIN
) -> tuple[Rows, Column]:
    """Ranks by `standings`.

    Args:
        signals: of `records`.

    Returns:
        All rows, best first, equal standing by project and id; and their standings, in this order.
    """
    from memory_layer.domain.retrieval.candidates import best_rows  # late: it loads numpy

    scores = standings(signals, margin=margin)
    rows = best_rows(scores, records, len(records))
    return rows, scores[rows]
