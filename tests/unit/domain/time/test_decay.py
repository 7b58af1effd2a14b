"""When disuse changes a record, to the day and to the microsecond; a record is due exactly when a sweep changes it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.lifecycle import archive_if_expired
from memory_layer.domain.memory import Memory, content_hash, to_thousandths
from memory_layer.domain.outcome import drift
from memory_layer.domain.time.decay import decayed, due_at, due_from

USED = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
MOMENT = timedelta(microseconds=1)

MEMORY = Memory(
    id="m1",
    tenant="acme",
    project="web",
    content="Run each test alone first.",
    content_hash=content_hash("Run each test alone first."),
    created_by="ada",
    outcome_score=0.8,
    last_used_at=USED,
    created_at=USED - 100 * DAY,
    updated_at=USED - 100 * DAY,
)


def after(memory: Memory, *days: float) -> Memory:
    """Swept at these days after the last use, one after the other."""
    for day in days:
        memory = decayed(memory, USED + day * DAY)
    return memory


def test_thirty_unused_days_change_nothing_and_the_thirty_first_does() -> None:
    assert decayed(MEMORY, USED + 31 * DAY - MOMENT) is MEMORY
    first = decayed(MEMORY, USED + 31 * DAY)
    assert (first.outcome_score, first.version) == (0.76, 2)
    assert (first.updated_at, first.last_used_at) == (MEMORY.updated_at, USED)


def test_the_days_count_once_however_often_the_sweep_runs() -> None:
    daily = after(MEMORY, *range(60))
    hourly = after(MEMORY, *(hour / 24 for hour in range(24 * 60 - 23)))
    once = after(MEMORY, 59)
    assert daily.outcome_score == hourly.outcome_score == once.outcome_score == drift(0.8, 59)
    assert daily.drifted_at == hourly.drifted_at == once.drifted_at == USED + 59 * DAY
    assert (daily.version, hourly.version, once.version) == (30, 30, 2)


def test_a_late_sweep_counts_whole_days_and_the_next_one_goes_on_from_there() -> None:
    late = after(MEMORY, 33.9)
    assert late.outcome_score == drift(0.8, 33)
    assert after(late, 33.99) is late
    assert after(late, 34).outcome_score == drift(0.8, 34)


def test_a_use_begins_the_thirty_days_anew() -> None:
    drifted = after(MEMORY, 40)
    used = replace(drifted, outcome_score=0.5, last_used_at=USED + 41 * DAY)
    assert after(used, 41 + 30.999) is used
    assert after(used, 41 + 31).outcome_score == 0.475


def test_never_used_counts_from_its_creation() -> None:
    unused = replace(MEMORY, last_used_at=None, created_at=USED)
    assert after(unused, 30.999) is unused
    assert after(unused, 31).outcome_score == 0.76


def test_days_are_days_of_the_clock_over_a_leap_day() -> None:
    used = datetime(2028, 2, 1, 12, 0, tzinfo=UTC)
    memory = replace(MEMORY, last_used_at=used)
    assert decayed(memory, datetime(2028, 3, 3, 11, 59, 59, 999_999, tzinfo=UTC)) is memory
    assert decayed(memory, datetime(2028, 3, 3, 12, 0, tzinfo=UTC)).outcome_score == 0.76


@pytest.mark.parametrize("back", [0.5, 1, 5, 9, 40])
def test_a_clock_set_back_counts_nothing_twice_and_takes_nothing_back(back: float) -> None:
    """The safeguard is drifted_at: with the days since the last use alone, each sweep would count them all again."""
    drifted = after(MEMORY, 40)
    assert after(drifted, 40 - back) is drifted
    assert after(drifted, 40 - back, 41).outcome_score == drift(0.8, 41)


def test_it_ends_at_nothing_and_is_not_due_any_more() -> None:
    ended = after(MEMORY, 400)
    assert ended.outcome_score == 0.0
    assert due_at(ended) is None
    assert after(ended, 500) is ended


def test_a_failing_score_drifts_up_and_what_a_stranger_took_off_goes_with_it() -> None:
    """Else the memory would rank as if the stranger had praised it, once the score is back at nothing."""
    blamed = replace(MEMORY, outcome_score=-0.3, unseconded=0.3)
    assert after(blamed, 31).outcome_score == -0.285
    assert after(blamed, 31).unseconded == 0.285
    balanced = replace(MEMORY, outcome_score=0.0, unseconded=0.3)
    assert after(balanced, 31).unseconded == 0.285


@pytest.mark.parametrize("status", ["archived", "superseded", "rejected"])
def test_what_has_ended_stays_as_it_is(status: str) -> None:
    ended = replace(MEMORY, status=status, confidence=0.0, expires_at=USED)
    assert decayed(ended, USED + 400 * DAY) is ended
    assert archive_if_expired(ended, USED + 400 * DAY) is ended
    assert due_at(ended) is None


@pytest.mark.parametrize(
    ("confidence", "score", "status", "reason"),
    [
        (0.2, -0.5, "active", None),
        (0.199, 0.0, "inactive", "confidence below 0.2"),
        (0.199, -0.501, "archived", "outcome_score below -0.5"),
        (0.9, -0.501, "archived", "outcome_score below -0.5"),
    ],
)
def test_what_is_refuted_goes_out_of_use(
    confidence: float, score: float, status: str, reason: str | None
) -> None:
    memory = replace(MEMORY, confidence=confidence, outcome_score=score)
    settled = decayed(memory, USED)
    assert (settled.status, settled.status_reason) == (status, reason)
    assert (settled is memory) == (status == "active")
    assert decayed(settled, USED) is settled


@pytest.mark.parametrize("status", ["pending", "quarantined", "inactive"])
def test_what_is_out_of_use_already_keeps_its_status(status: str) -> None:
    memory = replace(MEMORY, status=status, confidence=0.0)
    assert decayed(memory, USED) is memory


def test_what_has_expired_is_left_to_its_own_sweep() -> None:
    memory = replace(MEMORY, expires_at=USED + 40 * DAY)
    assert after(memory, 40) is memory
    assert after(memory, 39.999).outcome_score == drift(0.8, 39)


# ---- due


moments = st.integers(0, 120 * 24 * 60).map(lambda minutes: USED + timedelta(minutes=minutes))
memories = st.builds(
    lambda score, unseconded, confidence, status, used, drifted, expires: replace(
        MEMORY,
        created_at=USED,
        outcome_score=to_thousandths(score),
        unseconded=to_thousandths(unseconded),
        confidence=to_thousandths(confidence),
        status=status,
        last_used_at=used,
        drifted_at=drifted,
        expires_at=expires,
    ),
    st.floats(-1.0, 1.0),
    st.sampled_from([0.0, 0.1, 0.3]),
    st.floats(0.0, 1.0),
    st.sampled_from(["active", "stale", "inactive", "pending", "quarantined", "archived", "superseded"]),
    st.none() | moments,
    st.none() | moments,
    st.none() | moments,
)


@given(memories, moments)
def test_a_record_is_due_exactly_when_a_sweep_changes_it(memory: Memory, now: datetime) -> None:
    due = due_at(memory)
    is_changed = decayed(memory, now) is not memory or archive_if_expired(memory, now) is not memory
    assert is_changed == (due is not None and due <= now)


@given(memories, st.lists(moments, min_size=1, max_size=6))
def test_sweeps_at_any_times_end_where_one_sweep_ends(memory: Memory, times: list[datetime]) -> None:
    swept = memory
    for now in times:
        swept = decayed(swept, now)
    once = decayed(memory, max(times))
    before_expiry = memory.expires_at is None or memory.expires_at > max(times)
    if before_expiry:
        assert replace(swept, version=1) == replace(once, version=1)


@given(memories, moments)
def test_what_was_swept_is_due_later(memory: Memory, now: datetime) -> None:
    swept = archive_if_expired(decayed(memory, now), now)
    due = due_at(swept)
    assert due is None or due > now


def test_the_list_does_not_hold_a_record_before_it_was_written() -> None:
    assert due_from(replace(MEMORY, expires_at=USED - DAY), USED) == USED
    assert due_from(replace(MEMORY, expires_at=USED + DAY), USED) == USED + DAY
    assert due_from(replace(MEMORY, outcome_score=0.0), USED) is None
