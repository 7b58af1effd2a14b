"""Which memory moves where: at the microsecond of each threshold, and never what is pinned."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.context.fragments import Offer
from memory_layer.domain.context.kv_policy import apply_kv_policy
from memory_layer.domain.lifecycle import hidden_because
from memory_layer.domain.memory import BODY_MIN_BYTES, ENDED_STATUSES, OUT_OF_RECALL, Memory, Status, Tier
from memory_layer.domain.policy import Policy
from memory_layer.domain.tier_policy import DEFAULT_TIER_POLICY, GB, MB, TierPolicy, with_overrides
from memory_layer.domain.tiers.costs import usd_per_month
from memory_layer.domain.tiers.eviction import EvictionCandidate, may_exceed, near, quality, select_evictions
from memory_layer.domain.tiers.moves import (
    PinRoom,
    crossing_hours,
    has_no_limit,
    is_held,
    may_be_held,
    move_to_cold,
    move_to_frozen,
    move_to_hot,
    move_to_warm,
    room_for_pins,
)
from memory_layer.domain.time.decay import FREEZE_AFTER_DAYS, due_at, due_from
from memory_layer.edge.shapes.problems import headers_of, problem
from memory_layer.errors import BodyFrozen
from memory_layer.usecases.ground.entity_memories import EVERYONE
from tests.given import START, a_memory, new_scope

SCOPE = new_scope()
HOUR = timedelta(hours=1)
MOMENT = timedelta(microseconds=1)
LONG = "The projector writes what the stream tells it. " * 40
POLICY = DEFAULT_TIER_POLICY


def memory(**fields: Any) -> Memory:
    return a_memory(SCOPE, **{"content": LONG, **fields})


def way(memory_: Memory, after: timedelta, *, ratio: float = 0.1, room: PinRoom | None = None) -> str | None:
    """Why it moves down that long after it was written; None: it stays."""
    size = len(memory_.content.encode())
    move = move_to_warm(
        memory_, POLICY, START + after, packed_bytes=lambda _: int(ratio * size), room=room or PinRoom()
    )
    return None if move is None else move.reason


@pytest.mark.parametrize(("tags", "hours"), [(("a.go",), 6), (("x.rst",), 12), (("a.tex",), 24), ((), 24)])
def test_it_moves_at_the_age_of_its_class_and_not_a_moment_before(tags: tuple[str, ...], hours: int) -> None:
    there = memory(tags=tags)
    assert way(there, hours * HOUR - MOMENT) is None
    assert way(there, hours * HOUR) == f"warm: {hours} hours old, 0 accesses"


def test_its_age_counts_from_the_last_access_if_that_is_later() -> None:
    there = memory(tags=("a.go",), access_count=1, last_accessed_at=START + 10 * HOUR)
    assert way(there, 16 * HOUR - MOMENT) is None
    assert way(there, 16 * HOUR) == "warm: 6 hours old, 1 access"
    assert way(there, (10 + 41 * 24) * HOUR) == "warm: 41 days old, 1 access"


def test_what_is_recalled_as_often_as_its_class_asks_stays() -> None:
    assert way(memory(tags=("a.go",), access_count=2), 100 * HOUR) is not None
    assert way(memory(tags=("a.go",), access_count=3), 100 * HOUR) is None


@pytest.mark.parametrize("tier", get_args(Tier))
def test_only_what_is_hot_cools(tier: Tier) -> None:
    assert (way(memory(tier=tier), 100 * HOUR) is not None) == (tier == "hot")


@given(hours=st.integers(0, 10_000_000), accesses=st.integers(0, 5), tags=st.sampled_from([(), ("a.go",)]))
def test_what_a_person_has_pinned_never_moves(hours: int, accesses: int, tags: tuple[str, ...]) -> None:
    """Falls without the look at `pinned` in each of the four."""
    pinned = memory(pinned=True, access_count=accesses, tags=tags)
    now = START + min(hours, 50_000_000) * timedelta(minutes=1)
    assert move_to_warm(pinned, POLICY, now, packed_bytes=lambda _: 1, room=PinRoom()) is None
    assert move_to_cold(pinned, POLICY, now) is None
    archived = replace(pinned, tier="cold", status="archived")
    assert move_to_frozen(archived) is None
    assert due_at(archived) is None


@pytest.mark.parametrize("tier", get_args(Tier))
def test_what_is_cold_is_kept_out_of_recall_by_the_record_itself(tier: Tier) -> None:
    """Falls without it in `hidden_because`: an index that lags would show what it still has."""
    there = hidden_because(memory(tier=tier), viewer=EVERYONE, now=START, policy=Policy())
    assert there == (f"it is {tier}" if tier in OUT_OF_RECALL else None)


def test_words_that_hardly_shrink_stay_and_short_ones_are_not_asked() -> None:
    assert way(memory(), 100 * HOUR, ratio=0.89) is not None
    assert way(memory(), 100 * HOUR, ratio=0.91) is None
    short = memory(content="x" * (BODY_MIN_BYTES - 1))
    assert way(short, 100 * HOUR, ratio=5.0) is not None
    assert way(memory(content="x" * BODY_MIN_BYTES), 100 * HOUR, ratio=5.0) is None


def test_a_move_is_one_version_on_and_changes_nothing_else() -> None:
    there = memory()
    move = move_to_warm(there, POLICY, START + 100 * HOUR, packed_bytes=lambda _: 1, room=PinRoom())
    assert move is not None
    assert move.after == replace(there, tier="warm", version=there.version + 1)


def test_a_policys_pin_holds_for_its_time() -> None:
    """Falls without the look at the pin: a file's note would go after six hours."""
    there = memory(tags=("a.py",))
    assert way(there, 24 * HOUR - MOMENT) is None
    assert way(there, 24 * HOUR) == "warm: 24 hours old, 0 accesses"


@pytest.mark.parametrize("after", [24 * HOUR - MOMENT, 24 * HOUR, 25 * HOUR])
def test_a_policys_pin_is_as_old_as_what_it_pins_in_its_tier_and_in_a_context(after: timedelta) -> None:
    """Falls where either counts from the last use: what a pin brings up would renew the pin."""
    used = memory(tags=("a.py",), access_count=1, last_accessed_at=START + 23 * HOUR)
    own = with_pin(max_size_mb=99)
    offers = [Offer(memory=used, layer="project", relevance=0.5)]
    (offer,) = apply_kv_policy(offers, {}, own, START + after)
    assert may_be_held(used, own["code"], START + after) == offer.is_pinned == (after < 24 * HOUR)


def test_of_two_that_are_pinned_the_one_changed_last_has_room_whichever_was_used_last() -> None:
    old, new = (
        replace(memory(id=f"m{n}", content="x" * MB, tags=("a.py",)), updated_at=START + n * HOUR)
        for n in range(2)
    )
    used = replace(old, access_count=1, last_accessed_at=START + 5 * HOUR)
    policy, now = with_pin(max_size_mb=1), START + 12 * HOUR
    room = room_for_pins([used, new], policy, now)
    assert [one.id for one in (used, new) if is_held(one, policy, now, room)] == ["m1"]


def test_a_policys_pin_has_room_for_the_newest_alone() -> None:
    big = "x" * (MB - 1)
    policy = with_pin(max_size_mb=3)
    notes = [
        replace(memory(id=f"m{n}", content=big, tags=("a.py",)), updated_at=START + n * HOUR)
        for n in range(5)
    ]
    now = START + 12 * HOUR
    room = room_for_pins(notes, policy, now)
    assert [note.id for note in notes if is_held(note, policy, now, room)] == ["m2", "m3", "m4"]
    assert room_for_pins(notes[:3], policy, now) == PinRoom()
    assert room_for_pins(reversed(notes), policy, now) == room


def with_pin(**pin: Any) -> TierPolicy:
    return {**POLICY, "code": with_overrides(POLICY["code"], {"pin": pin})}


def test_while_all_that_is_hot_has_room_nothing_is_counted() -> None:
    assert has_no_limit(50 * MB, POLICY)
    assert not has_no_limit(50 * MB + 1, POLICY)


def test_times_at_which_something_may_cross() -> None:
    assert crossing_hours(POLICY) == (6, 12, 24, 48)
    assert 30 in crossing_hours(with_pin(ttl_hours=30))


def test_what_is_warm_goes_up_by_its_accesses() -> None:
    there = memory(tier="warm", tags=("a.go",))
    assert move_to_hot(replace(there, access_count=2), POLICY) is None
    up = move_to_hot(replace(there, access_count=3), POLICY)
    assert up is not None
    assert (up.after.tier, up.reason) == ("hot", "hot: 3 accesses")
    assert move_to_hot(replace(there, access_count=2), POLICY, uncounted=1) is not None
    for tier in ("hot", "cold", "frozen"):
        assert move_to_hot(replace(there, access_count=9, tier=tier), POLICY) is None


@pytest.mark.parametrize("status", get_args(Status))
@pytest.mark.parametrize("tier", get_args(Tier))
def test_only_what_is_cold_and_out_of_use_freezes(tier: Tier, status: Status) -> None:
    """Falls without the look at the status: nothing in use ever freezes."""
    move = move_to_frozen(memory(tier=tier, status=status))
    assert (move is not None) == (tier == "cold" and status in ENDED_STATUSES)


def test_it_is_due_a_year_after_the_change_that_left_it_so() -> None:
    cold = memory(tier="cold", status="archived", updated_at=START - 900 * 24 * HOUR)
    assert due_from(cold, START) == START + timedelta(days=FREEZE_AFTER_DAYS)
    at = due_at(cold)
    assert at is not None
    assert at <= START + timedelta(days=FREEZE_AFTER_DAYS)
    assert due_from(replace(cold, tier="warm"), START) is None
    assert due_from(replace(cold, tier="frozen"), START) is None


def held(id: str, size: int, **fields: Any) -> EvictionCandidate:
    there = {"name": "code", "is_warm": True, "age_hours": 10.0, "quality": 0.5}
    return EvictionCandidate(id=id, size_bytes=size, **{**there, **fields})


def test_nothing_is_evicted_up_to_the_limit() -> None:
    assert select_evictions([held("a", GB), held("b", GB)], POLICY) == []
    assert select_evictions([held("a", GB), held("b", GB), held("c", 1)], POLICY) == ["a"]
    assert not may_exceed(GB, POLICY)
    assert may_exceed(GB + 1, POLICY)


def test_warm_ones_go_first_then_the_worst_then_by_id() -> None:
    found = select_evictions(
        [
            held("hot-and-old", GB, is_warm=False, age_hours=100.0, quality=0.0),
            held("young-and-bad", GB, age_hours=1.0, quality=0.0),
            held("old-and-good", GB, age_hours=100.0, quality=1.0),
            held("same-b", GB, age_hours=1.0, quality=1.0),
            held("same-a", GB, age_hours=1.0, quality=1.0),
        ],
        POLICY,
    )
    assert found == ["old-and-good", "young-and-bad", "same-a"], "code: age counts .6, quality .4"


def test_each_class_has_its_own_limit_and_its_own_weights() -> None:
    young_and_bad = held("young-and-bad", 4 * GB, name="research", age_hours=1.0, quality=0.0)
    old_and_good = held("old-and-good", 4 * GB, name="research", age_hours=100.0, quality=1.0)
    assert select_evictions([young_and_bad, old_and_good, held("code", 2 * GB)], POLICY) == ["young-and-bad"]


@given(
    st.lists(st.tuples(st.integers(1, GB), st.booleans(), st.floats(0, 1), st.floats(0, 1e5)), max_size=30)
)
def test_it_moves_as_much_as_it_must_and_no_more(rows: list[tuple[int, bool, float, float]]) -> None:
    there = [
        held(f"m{number:02}", size, is_warm=is_warm, quality=goodness, age_hours=age)
        for number, (size, is_warm, goodness, age) in enumerate(rows)
    ]
    sizes = {one.id: one.size_bytes for one in there}
    gone = select_evictions(there, POLICY)
    left = sum(sizes.values()) - sum(sizes[id] for id in gone)
    assert left <= 2 * GB
    assert not gone or left + sizes[gone[-1]] > 2 * GB
    assert len(set(gone)) == len(gone)


def test_quality_is_belief_in_what_has_worked() -> None:
    assert quality(memory(confidence=1.0, outcome_score=1.0)) == 1.0
    assert quality(memory(confidence=0.8, outcome_score=0.0)) == 0.4
    assert quality(memory(confidence=1.0, outcome_score=-1.0)) == 0.0
    found = near(memory(tier="warm", confidence=0.5), 7, POLICY, START + 3 * HOUR)
    assert (found.is_warm, found.size_bytes, found.age_hours, found.quality) == (True, 7, 3.0, 0.25)


def test_who_asks_for_frozen_words_is_told_when_to_come_back() -> None:
    error = BodyFrozen("the words of m1 are in deep archive")
    assert problem(error, instance="/", request_id="r")["status"] == 503
    assert headers_of(error) == {"Retry-After": "43200"}


def test_no_tier_costs_more_than_the_one_above() -> None:
    costs = [usd_per_month(tier, GB, 0 if tier == "hot" else GB) for tier in get_args(Tier)]
    assert costs == sorted(costs, reverse=True) == pytest.approx([0.372, 0.145, 0.023, 0.023])


def test_what_stays_in_its_row_costs_what_rows_cost_whatever_its_tier() -> None:
    """Falls where a tier has one price: short words never leave the table, and warm ones not the index."""
    costs = [usd_per_month(tier, GB, 0) for tier in get_args(Tier)]
    assert costs == pytest.approx([0.372, 0.372, 0.25, 0.25])
    assert usd_per_month("warm", GB, GB // 2) == pytest.approx((0.372 + 0.145) / 2)
