"""One memory for what many runs teach: the same in whatever order they come, and each run counted once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import reduce
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.learning.promotion import learning_of, memory_fields, merge_learning, pool_learnings
from memory_layer.domain.learning.staging import Learning, learning_id
from memory_layer.domain.lifecycle import archive, default_expiry
from memory_layer.domain.memory import Memory, Status, content_hash
from memory_layer.domain.policy import Policy
from memory_layer.domain.text.classification import first_sentence
from tests.unit.domain.learning.learning_examples import (
    antipattern,
    convention,
    estimate,
    learnings_of_runs,
    said,
    strategy,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=10)
POLICY = Policy()


def memory_of(learning: Learning, at: datetime = NOW, **told: Any) -> Memory:
    """As promotion makes it."""
    fields = memory_fields(learning)
    memory = Memory(
        id=learning_id(learning, None),
        tenant="t",
        project="p",
        created_by="a",
        summary=first_sentence(fields["content"]),
        content_hash=content_hash(fields["content"]),
        expires_at=default_expiry(fields["type"], POLICY, at),
        created_at=at,
        updated_at=at,
        **fields,
    )
    return replace(memory, **told)


def test_the_fields_of_a_new_memory() -> None:
    assert memory_fields(replace(strategy("r1"), source_runs=("r1", "r2"))) == {
        "type": "strategy",
        "category": "pattern",
        "task_type": "feature",
        "content": "Pair on it",
        "detail": {"effectiveness": 0.75, "iterations": 3, "successful_iterations": 4},
        "confidence": 0.75,
        "success_rate": 0.75,
        "source": "run",
        "source_runs": ("r1", "r2"),
        "source_run_id": "r1",
    }


def test_strategies_pool_their_counts() -> None:
    assert pool_learnings(strategy("r1", 3, 4), strategy("r2", 10, 10)) == replace(
        strategy("r1", 13, 14), source_runs=("r1", "r2")
    )


def test_antipatterns_pool_their_counts() -> None:
    both = pool_learnings(antipattern("r1", 3, 4), antipattern("r2", 2, 6))
    assert both.detail == {"occurrences": 5, "failed_iterations": 10, "impact": "high"}
    assert (both.confidence, both.success_rate) == (0.5, 0.0)


def test_estimates_are_means_over_completed_iterations_and_over_runs() -> None:
    both = pool_learnings(estimate("r1", 3, 0, 135_000, 3), estimate("r2", 1, 1, 65_000, 4))
    assert both.content == "Similar feature tasks of medium complexity take about 4 iterations of 50 s each"
    assert both.detail == {
        "avg_iteration_time_ms": 50_000,
        "total_iterations": 4,
        "complexity": "medium",
        "completed_iterations": 4,
        "all_iterations": 5,
        "total_time_ms": 200_000,
        "iterations_sum": 7,
        "runs": 2,
    }
    assert (both.confidence, both.success_rate) == (0.8, 0.8)


def test_saying_it_again_raises_confidence_and_proves_nothing() -> None:
    """A learning begins at .3, as no strategy does, and ends at .6: beyond that outcomes and reviewers decide."""
    runs = [said(f"r{number}") for number in range(1, 8)]
    risen = [reduce(pool_learnings, runs[:many]) for many in range(1, 8)]
    assert [one.confidence for one in risen] == [0.3, 0.4, 0.5, 0.6, 0.6, 0.6, 0.6]
    assert {one.success_rate for one in risen} == {None}
    assert (risen[1].detail["runs"], risen[1].source_runs) == (2, ("r1", "r2"))


def test_runs_of_other_tasks_make_a_learning_general() -> None:
    other = replace(said("r2"), task_type="bug-fix")
    assert pool_learnings(said("r1"), other).task_type == "general"
    known = memory_of(said("r1"), category="general")
    assert merge_learning(known, other, LATER, POLICY).task_type == "general"
    assert merge_learning(replace(known, approved_by="r@x"), other, LATER, POLICY).task_type == "feature"


def test_the_runs_that_said_it_are_named_while_there_is_room() -> None:
    """Falls where the room is not bounded: a detail has 16 KiB, and a run's name up to 1 KiB."""
    many = [said(f"r{number:02}" + "é" * 253) for number in range(40)]
    for order in (many, many[::-1], many[1::2] + many[::2]):
        entries = reduce(pool_learnings, order).detail["said_in"]
        assert [entry["run"][:3] for entry in entries] == [f"r{number:02}" for number in range(len(entries))]
        assert 8 <= len(entries) < 40


def test_conventions_keep_the_first_three_examples() -> None:
    both = pool_learnings(convention("r1", "d", "c", "a"), convention("r2", "b"))
    assert (both.detail, both.confidence, both.success_rate) == ({"examples": ["a", "b", "c"]}, 0.7, 1.0)


def test_a_run_counts_once() -> None:
    """The safeguard is `source_runs`: without it a run that is told again doubles its weight."""
    one, both = strategy("r1"), pool_learnings(strategy("r1"), strategy("r2", 1, 1))
    assert pool_learnings(one, one) == one
    assert pool_learnings(both, one) == pool_learnings(one, both) == both


def test_of_sets_that_share_some_runs_the_larger_stands() -> None:
    more = reduce(pool_learnings, [strategy("r1"), strategy("r2"), strategy("r3")])
    less = pool_learnings(strategy("r3"), strategy("r4"))
    assert pool_learnings(more, less) == pool_learnings(less, more) == more


def test_sixty_four_runs_are_named_and_all_counted() -> None:
    many = reduce(pool_learnings, [strategy(f"r{number:03}", 1, 1) for number in range(100)])
    assert many.source_runs == tuple(f"r{number:03}" for number in range(64))
    assert many.detail["iterations"] == 100


def test_learnings_without_counts_pool_as_their_scores_imply() -> None:
    bare = replace(strategy("r1"), detail={"effectiveness": 0.75, "iterations": 12}, source_runs=("r1", "r2"))
    both = pool_learnings(bare, strategy("r3", 4, 4))
    assert both.detail == {"effectiveness": 0.8, "iterations": 16, "successful_iterations": 20}
    odd = replace(estimate("r1", 3, 0, 9, 3), detail={"complexity": "low", "runs": -1, "total_time_ms": "x"})
    assert pool_learnings(odd, estimate("r2", 1, 0, 50, 1)).detail["runs"] == 2


RUN_IDS = ["r1", "r2", "r3", "r4", "r5"]
of_runs = learnings_of_runs(RUN_IDS)


def is_exact(score: float) -> bool:
    return 0 <= score <= 1 and round(score * 1_000) / 1_000 == score


@given(of_runs, st.randoms())
def test_pooling_is_the_same_in_every_order_and_grouping(told: list[Learning], random: Any) -> None:
    expected = reduce(pool_learnings, told)
    assert is_exact(expected.confidence)
    assert expected.success_rate is None or is_exact(expected.success_rate)
    waiting = list(told)
    while len(waiting) > 1:
        random.shuffle(waiting)
        one, other = waiting.pop(), waiting.pop()
        assert pool_learnings(one, other) == pool_learnings(other, one)
        waiting.append(pool_learnings(one, other))
    assert waiting == [expected]
    for again in told:
        assert pool_learnings(expected, again) == pool_learnings(again, expected) == expected


def known(memory: Memory) -> Memory:
    return replace(memory, version=1)


@given(of_runs, st.lists(st.integers(0, 4), max_size=4), st.randoms())
def test_memories_are_the_same_in_whatever_order_runs_come(
    told: list[Learning], again: list[int], random: Any
) -> None:
    def taken(order: list[Learning]) -> Memory:
        return reduce(
            lambda memory, learning: merge_learning(memory, learning, LATER, POLICY),
            order,
            memory_of(order[0]),
        )

    expected = taken(told)
    shuffled = [*told, *(told[place] for place in again)]
    random.shuffle(shuffled)
    assert known(taken(shuffled)) == known(expected)
    assert expected.version == len(told)
    assert is_exact(expected.confidence)
    whole = reduce(pool_learnings, told)
    assert learning_of(expected) == whole
    assert known(expected) == known(
        replace(
            memory_of(whole),
            updated_at=LATER,
            expires_at=default_expiry(whole.type, POLICY, LATER),
        )
    )


@given(of_runs)
def test_promotion_twice_changes_nothing(told: list[Learning]) -> None:
    memory = memory_of(told[0])
    assert merge_learning(memory, told[0], LATER, POLICY) is memory
    once = merge_learning(memory, told[1], LATER, POLICY)
    assert merge_learning(once, told[1], LATER, POLICY) is once
    assert merge_learning(once, told[0], LATER, POLICY) is once


def test_a_run_that_is_known_changes_nothing_that_people_have_changed() -> None:
    """The safeguard is `source_runs`: told again, the run would write its own counts over theirs."""
    corrected = memory_of(strategy("r1", 3, 4), detail={"iterations": 1, "successful_iterations": 4})
    assert merge_learning(corrected, strategy("r1", 3, 4), LATER, POLICY) is corrected


def test_what_a_person_approved_is_believed_as_before() -> None:
    approved = memory_of(strategy("r1", 3, 4), confidence=1.0, approved_by="r@x", approved_at=NOW)
    after = merge_learning(approved, strategy("r2", 5, 10), LATER, POLICY)
    assert (after.confidence, after.success_rate, after.approved_by) == (1.0, 0.75, "r@x")
    assert (after.detail["effectiveness"], after.detail["successful_iterations"]) == (0.75, 14)


def test_what_outcomes_did_to_confidence_stays() -> None:
    doubted = memory_of(strategy("r1", 3, 4), confidence=0.65)
    assert merge_learning(doubted, strategy("r2", 13, 16), LATER, POLICY).confidence == 0.7
    praised = memory_of(strategy("r1", 3, 4), confidence=0.95)
    assert merge_learning(praised, strategy("r2", 100, 100), LATER, POLICY).confidence == 1.0
    ruined = memory_of(strategy("r1", 9, 10), confidence=0.1)
    assert merge_learning(ruined, strategy("r2", 50, 100), LATER, POLICY).confidence == 0.0
    worn = memory_of(convention("r1", "a"), confidence=0.5)
    assert merge_learning(worn, convention("r2", "b"), LATER, POLICY).confidence == 0.5


def test_the_words_of_a_person_stay() -> None:
    edited = memory_of(estimate("r1", 3, 0, 135_000, 3), content="Allow an hour", summary="An hour")
    edited = replace(edited, content_hash=content_hash("Allow an hour"))
    after = merge_learning(edited, estimate("r2", 1, 1, 65_000, 4), LATER, POLICY)
    assert (after.content, after.summary, after.content_hash) == (
        "Allow an hour",
        "An hour",
        edited.content_hash,
    )
    assert after.detail["runs"] == 2
    named = memory_of(strategy("r1"), content="Pair on it, in person")
    assert merge_learning(named, strategy("r2"), LATER, POLICY).content == "Pair on it, in person"


def test_our_sentence_follows_the_counts() -> None:
    after = merge_learning(
        memory_of(estimate("r1", 3, 0, 135_000, 3)), estimate("r2", 1, 1, 65_000, 4), LATER, POLICY
    )
    assert after.content.endswith("take about 4 iterations of 50 s each")
    assert (after.summary, after.content_hash) == (after.content, content_hash(after.content))


def test_what_others_put_into_detail_stays_as_far_as_there_is_room() -> None:
    beside = memory_of(strategy("r1"))
    noted = replace(beside, detail={**beside.detail, "note": "ours"})
    assert merge_learning(noted, strategy("r2"), LATER, POLICY).detail["note"] == "ours"
    crowded = replace(beside, detail={"iterations": 3, "note": "x" * 16_370})
    assert merge_learning(crowded, strategy("r2"), LATER, POLICY).detail == {
        "effectiveness": 0.75,
        "iterations": 6,
        "successful_iterations": 8,
    }


def test_a_merge_renews_the_expiry_and_the_date() -> None:
    after = merge_learning(memory_of(strategy("r1")), strategy("r2"), LATER, POLICY)
    assert (after.expires_at, after.updated_at) == (LATER + timedelta(days=180), LATER)
    lasting = memory_of(strategy("r1"), expires_at=None)
    assert merge_learning(lasting, strategy("r2"), LATER, POLICY).expires_at is None
    long = memory_of(strategy("r1"), expires_at=NOW + timedelta(days=999))
    assert merge_learning(long, strategy("r2"), LATER, POLICY).expires_at == long.expires_at
    late = merge_learning(memory_of(strategy("r1"), at=LATER), strategy("r2"), NOW, POLICY)
    assert (late.updated_at, late.expires_at) == (LATER, LATER + timedelta(days=180))


def test_what_had_merely_expired_is_back_whether_or_not_it_was_swept() -> None:
    expired = memory_of(strategy("r1"), expires_at=NOW)
    for memory in (expired, archive(expired, "expired")):
        after = merge_learning(memory, strategy("r2"), LATER, POLICY)
        assert (after.status, after.status_reason) == ("active", None)
        assert after.expires_at == LATER + timedelta(days=180)
    aside = replace(expired, status="inactive", status_reason="deactivated by r@x")
    for memory in (aside, archive(aside, "expired")):
        after = merge_learning(memory, strategy("r2"), LATER, POLICY)
        assert (after.status, after.status_reason) == ("inactive", "deactivated by r@x")


@pytest.mark.parametrize("status", ["inactive", "pending", "rejected", "stale", "superseded", "quarantined"])
def test_any_other_status_stays(status: Status) -> None:
    """The safeguard is the status: a run must not bring back what a person took out."""
    for reason in ("so", "expired"):
        out = memory_of(strategy("r1"), status=status, status_reason=reason, expires_at=NOW)
        assert merge_learning(out, strategy("r2"), LATER, POLICY).status == status
    by_hand = memory_of(strategy("r1"), status="archived", status_reason="archived by r@x", expires_at=NOW)
    assert merge_learning(by_hand, strategy("r2"), LATER, POLICY).status == "archived"
    unexpired = memory_of(strategy("r1"), status="archived", status_reason="expired")
    assert merge_learning(unexpired, strategy("r2"), LATER, POLICY).status == "archived"


def test_a_memory_that_is_no_learning_any_more_only_remembers_the_run() -> None:
    turned = memory_of(strategy("r1"), type="pattern", detail={"mine": 1})
    after = merge_learning(turned, strategy("r2"), LATER, POLICY)
    assert learning_of(turned) is None
    assert merge_learning(turned, strategy("r1"), LATER, POLICY) is turned
    assert (after.source_runs, after.detail, after.confidence) == (("r1", "r2"), {"mine": 1}, 0.75)
    assert learning_of(memory_of(estimate("r1", 1, 0, 5, 1), detail={})) is None


def test_evidence_of_no_known_run_is_built_upon() -> None:
    foreign = memory_of(replace(antipattern("r0", 3, 4), source_runs=()))
    after = merge_learning(foreign, antipattern("r2", 2, 6), LATER, POLICY)
    assert (after.detail["occurrences"], after.source_runs) == (5, ("r2",))


def test_several_runs_at_once_are_taken_in_unless_that_would_count_one_twice() -> None:
    three = reduce(pool_learnings, [strategy("r1"), strategy("r2"), strategy("r3")])
    memory = memory_of(three)
    assert merge_learning(memory, pool_learnings(strategy("r3"), strategy("r4")), LATER, POLICY) is memory
    five = merge_learning(memory, pool_learnings(strategy("r5"), strategy("r4")), LATER, POLICY)
    assert (five.detail["iterations"], len(five.source_runs)) == (15, 5)


def test_the_first_run_by_name_is_the_source() -> None:
    for order in permutations(["r1", "r2", "r3"]):
        first, *others = [strategy(name) for name in order]
        memory = reduce(
            lambda known, told: merge_learning(known, told, LATER, POLICY), others, memory_of(first)
        )
        assert (memory.source_run_id, memory.source_runs) == ("r1", ("r1", "r2", "r3"))
