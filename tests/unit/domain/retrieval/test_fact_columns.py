"""Columns judge and rank as the rules do that are written for one record.

The formulas of the signals stand here a second time, in plain floats. Facts keep scores as whole thousandths and times
as whole microseconds, which is what records hold, so that nothing is lost; a float64 made of them and the record's own
differ by some units in the last place, and numpy's exp and log from the library's as much: 1e-12 leaves room for that.
"""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime, timedelta
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.lifecycle import hidden_because
from memory_layer.domain.memory import Category, Memory, Source
from memory_layer.domain.outcome import decayed_evidence
from memory_layer.domain.policy import OutcomeModel, Policy
from memory_layer.domain.ranking import CATEGORY_BOOSTS, LEARNED_WEIGHTS, SIGNALS, age_days
from memory_layer.domain.retrieval.blending import Relevances
from memory_layer.domain.retrieval.facts import AMOUNT_MAX, facts_of
from memory_layer.domain.retrieval.signals import learned_scores, merits, signal_columns
from memory_layer.domain.retrieval.visible_rows import visible_rows
from tests.fuzzing import examples
from tests.records_at_bounds import NOW, filters, huge, moments, presents, records, shares

EVERYONE = Viewer(sees_all_personas=True)
EXACT = 1e-12
CUT = AMOUNT_MAX / 1000
"""Evidence beyond two million verdicts, which an import alone can bring, counts as two million.

So do uses beyond AMOUNT_MAX count as AMOUNT_MAX.
"""


def may_be_shown(memory: Memory, asked: Filters, now: datetime, policy: Policy, include_stale: bool) -> bool:
    """By the record itself: not hidden, and past the filters that no index applies."""
    only = Filters(
        status=(),
        is_approved=asked.is_approved,
        is_doubted=asked.is_doubted,
        pinned=asked.pinned,
        standing=asked.standing,
    )
    hidden = hidden_because(memory, viewer=EVERYONE, now=now, policy=policy, include_stale=include_stale)
    return hidden is None and only.accept(memory)


@given(
    records(**huge),
    filters,
    presents,
    st.booleans(),
    st.sets(st.sampled_from(get_args(Source))).map(tuple),
)
@settings(max_examples=examples(150))
def test_rows_are_visible_where_the_rule_hides_no_record(
    drawn: list[Memory], asked: Filters, now: datetime, include_stale: bool, waiting: tuple[Source, ...]
) -> None:
    """Falls without any one condition of `visible_rows`."""
    shown = visible_rows(
        facts_of(drawn), now=now, include_stale=include_stale, filters=asked, review_sources=waiting
    )
    policy = Policy(review_sources=waiting)
    expected = [may_be_shown(memory, asked, now, policy, include_stale) for memory in drawn]
    assert shown.tolist() == expected


def evidence_of(memory: Memory) -> Memory:
    """Memory with the evidence that ranking goes by: what one stranger alone says against it is none."""
    failed = 0.0 if memory.unseconded else min(CUT, memory.failed_weight)
    return replace(memory, worked_weight=min(CUT, memory.worked_weight), failed_weight=failed)


def outcome_of(memory: Memory, now: datetime, model: OutcomeModel) -> float:
    if model == "fixed":
        return (min(1.0, memory.outcome_score + memory.unseconded) + 1.0) / 2.0
    worked, failed = decayed_evidence(evidence_of(memory), now)
    return (worked + 2.0) / (worked + 2.0 + 2.0 + 1.5 * failed)


def helpful_uses_of(memory: Memory) -> float:
    evidence = evidence_of(memory)
    whole = evidence.worked_weight + evidence.failed_weight
    uses = max(0, min(AMOUNT_MAX, memory.use_count) - (memory.unseconded != 0.0))
    return uses * (evidence.worked_weight / whole if whole else 1.0)


def signals_by_hand(
    memory: Memory, now: datetime, model: OutcomeModel, intent: Category | None
) -> dict[str, float]:
    return {
        "outcome": outcome_of(memory, now, model),
        "recency": math.exp(-age_days(memory, now) / 30.0),
        "frequency": min(1.0, math.log(helpful_uses_of(memory) + 1) / math.log(100)),
        "confidence": memory.confidence,
        "boost": CATEGORY_BOOSTS.get(intent, 1.0) if intent and memory.category == intent else 1.0,
    }


@given(
    records(**huge),
    moments,
    st.sampled_from(get_args(OutcomeModel)),
    st.none() | st.sampled_from(get_args(Category)),
    shares,
    shares,
)
@settings(max_examples=examples(150))
def test_signals_are_those_of_the_formulas(
    drawn: list[Memory],
    now: datetime,
    model: OutcomeModel,
    intent: Category | None,
    kept: float,
    semantic: float,
) -> None:
    """Falls with another constant in any column, and without the decay, the saturation or the unseconded verdict.

    So it does where failures count as uses.
    """
    relevances = Relevances(np.full(len(drawn), semantic), np.zeros(len(drawn)))
    columns = signal_columns(
        facts_of(drawn),
        relevances,
        intent=intent,
        now=now,
        outcome_model=model,
        recency_shares=np.full(len(drawn), kept),
    )
    assert set(columns) == set(SIGNALS)
    scores, merit = learned_scores(columns), merits(columns)
    for row, memory in enumerate(drawn):
        found = {name: float(column[row]) for name, column in columns.items()}
        one = signals_by_hand(memory, now, model, intent)
        one |= {"semantic": semantic, "lexical": 0.0, "recency": kept * one["recency"]}
        experience = sum(weight * one[name] for name, weight in LEARNED_WEIGHTS.items() if name != "semantic")
        one["formula"] = (0.35 * semantic + experience) * one["boost"]
        assert found == pytest.approx(one, abs=EXACT)
        assert scores[row] == pytest.approx((0.35 * semantic + experience) * one["boost"], abs=EXACT)
        assert merit[row] == pytest.approx(min(1.0, experience * one["boost"] / 0.65), abs=EXACT)


@given(records(), st.integers(1, 60))
def test_evidence_fades_by_the_microsecond(drawn: list[Memory], microseconds: int) -> None:
    """The columns' times are as fine as the records'."""
    at = NOW + timedelta(microseconds=microseconds)
    relevances = Relevances(np.zeros(len(drawn)), np.zeros(len(drawn)))
    columns = signal_columns(facts_of(drawn), relevances, intent=None, now=at, outcome_model="beta")
    expected = [outcome_of(memory, at, "beta") for memory in drawn]
    assert columns["outcome"].tolist() == pytest.approx(expected, abs=EXACT)
