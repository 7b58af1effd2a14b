"""Exploration: today's order at 0, the same list for the same seed, and no memory that is less relevant."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.learning.exploration import (
    ABOUT_AS_RELEVANT,
    EXPLORATION_MARGIN,
    explore,
    raised_by_failures,
    reach,
    relatedness,
    rows_in_reach,
    seed_of,
)
from memory_layer.domain.ranking import RELEVANCE_MARGIN

SCORES = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=40).map(lambda found: sorted(found, reverse=True))


def explored(scores: list[float], worked: float, failed: float, amount: float, k: int, seed: int):  # type: ignore[no-untyped-def]
    n = len(scores)
    return explore(
        np.array(scores),
        np.full(n, worked),
        np.full(n, failed),
        k=k,
        amount=amount,
        randomness=np.random.default_rng(seed),
    )


@given(SCORES, st.floats(0.0, 12.0), st.floats(0.0, 12.0), st.integers(1, 10), st.integers(0, 99))
def test_nothing_is_explored_at_0(
    scores: list[float], worked: float, failed: float, k: int, seed: int
) -> None:
    order = explored(scores, worked, failed, 0.0, k, seed)
    assert order.rows.tolist() == list(range(len(scores)))
    assert order.scores.tolist() == scores
    assert not order.has_risen.any()
    assert order.chances.tolist() == [float(row < k) for row in range(len(scores))]


@given(SCORES, st.integers(1, 10), st.integers(0, 99))
def test_a_list_stays_in_the_order_of_its_scores(scores: list[float], k: int, seed: int) -> None:
    order = explored(scores, 1.0, 1.0, 1.0, k, seed)
    assert sorted(order.rows.tolist()) == list(range(len(scores)))
    assert (np.diff(order.scores) <= 0.0).all()
    assert order.chances.sum() <= k + 1e-9


def test_the_same_seed_gives_the_same_list() -> None:
    scores = [0.9 - 0.001 * place for place in range(12)]
    first, again = (explored(scores, 0.0, 0.0, 1.0, 5, seed_of("rcl_1")) for _ in range(2))
    other = explored(scores, 0.0, 0.0, 1.0, 5, seed_of("rcl_2"))
    assert first.rows.tolist() == again.rows.tolist() != other.rows.tolist()


def test_what_has_served_is_shown_and_what_has_failed_is_not() -> None:
    scores, n = np.full(10, 0.8), 10
    worked = np.array([0.0] * 5 + [9.0] * 5)
    shown = [
        set(
            explore(scores, worked, 9.0 - worked, k=5, amount=1.0, randomness=np.random.default_rng(seed))
            .rows[:5]
            .tolist()
        )
        for seed in range(50)
    ]
    assert sum(len(rows & set(range(5, n))) for rows in shown) / 250 > 0.95


def test_a_list_explores_more_the_more_of_its_best_have_failed() -> None:
    best, none = np.arange(10) < 5, np.zeros(10)
    scores = np.where(best, 0.8, 0.4)
    amounts = [
        raised_by_failures(scores, worked * best, failed * best, k=5, amount=0.25)
        for worked, failed in ((0.0, 0.0), (6.0, 0.0), (5.0, 1.0), (4.0, 2.0), (0.0, 6.0))
    ]
    assert np.allclose(amounts, [0.25, 0.25, 0.375, 0.5, 1.0])
    assert raised_by_failures(scores, 4.0 * best, 4.0 * ~best, k=5, amount=0.25) == 0.25, "of others"
    assert raised_by_failures(scores, none, none + 4.0, k=5, amount=0.0) == 0.0
    assert raised_by_failures(scores, none, none + 4.0, k=5, amount=0.9) == 1.0


def test_next_to_no_failure_moves_next_to_nothing() -> None:
    """Falls where the share is one of what is known alone: a run of years ago would raise it in full."""
    scores, none = np.full(10, 0.8), np.zeros(10)
    assert raised_by_failures(scores, none, none + 0.001, k=5, amount=0.5) < 0.51


def test_failures_make_draws_weigh_more() -> None:
    """Falls where a list explores by the setting alone: a lead of .2 is more than half an amount can make up."""
    scores = np.where(np.arange(10) < 5, 0.8, 0.6)
    best = np.arange(10) < 5

    def risen(worked: float, failed: float) -> int:
        orders = (
            explore(
                scores, worked * best, failed * best, k=5, amount=0.5, randomness=np.random.default_rng(seed)
            )
            for seed in range(200)
        )
        return sum(int((order.rows[:5] >= 5).sum()) for order in orders)

    assert reach(0.5) * 2 < 0.2 < reach(1.0) * 2
    assert risen(2.0, 4.0) > 0
    assert risen(6.0, 0.0) == 0


def test_a_lead_beyond_the_margin_is_never_made_up() -> None:
    lead = EXPLORATION_MARGIN / (1 + RELEVANCE_MARGIN) + 0.001
    for seed in range(200):
        assert explored([0.9, 0.9 - lead], 0.0, 0.0, 1.0, 1, seed).rows[0] == 0


def test_what_is_less_relevant_than_the_last_shown_is_out_of_reach() -> None:
    """Falls without ABOUT_AS_RELEVANT: what is famous on another topic would be tried out."""
    semantic = np.array([1.0, 0.9, 0.9 - ABOUT_AS_RELEVANT + 0.001, 0.9 - ABOUT_AS_RELEVANT - 0.001, 0.1])
    assert rows_in_reach(semantic, 2).tolist() == [0, 1, 2]


def test_what_is_shown_by_merit_stays_in_reach() -> None:
    assert rows_in_reach(np.array([0.9, 0.1, 0.85, 0.3]), 2).tolist() == [0, 1, 2]


def test_few_hits_are_all_in_reach() -> None:
    assert rows_in_reach(np.array([0.9, 0.1]), 5).tolist() == [0, 1]


def test_runs_that_were_shown_other_lists_say_nothing_of_this_one() -> None:
    """Falls without RELATED_FROM: what a memory did for another question would reorder this list."""
    each_by_another = [{f"run-{number}"} for number in range(10)]
    assert relatedness(each_by_another, 5) == relatedness([], 5) == 0.0
    assert relatedness([{"run-1"}, {"run-1"}, {"run-2"}, set(), set()], 5) == 0.0
    assert 0.0 < relatedness([{"run-1"}] * 4 + [{"run-2"}], 5) < 1.0
    assert relatedness([{"run-1", "run-2"}] * 5, 5) == 1.0
