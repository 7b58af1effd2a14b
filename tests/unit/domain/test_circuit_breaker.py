"""The breaker's states: closed, open, half-open, and the pauses between probes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.circuit_breaker import (
    FIRST_PAUSE_S,
    LONGEST_PAUSE_S,
    OPENS_AT,
    CircuitBreaker,
)

CLOSED = CircuitBreaker()


def test_one_quick_failure_opens_nothing_and_a_success_forgets_it() -> None:
    once = CLOSED.failed(0.0, is_slow=False)
    assert (once.is_open, once.failures) == (False, 1)
    assert once.asked(0.0)[0] == "call"
    assert once.succeeded() == CLOSED
    assert once.failed(0.0, is_slow=False).is_open


def test_one_slow_failure_opens_it() -> None:
    """Falls if only the number counts: every container would wait seconds more than once."""
    breaker = CLOSED.failed(10.0, is_slow=True)
    assert breaker.is_open
    assert breaker.asked(10.0 + FIRST_PAUSE_S - 0.01)[0] == "refuse"
    assert breaker.seconds_left(10.0) == FIRST_PAUSE_S


def test_one_probe_goes_and_others_wait_for_its_end() -> None:
    breaker = CLOSED.failed(0.0, is_slow=True)
    permission, probing = breaker.asked(FIRST_PAUSE_S)
    assert permission == "probe"
    assert probing.asked(FIRST_PAUSE_S)[0] == "refuse"
    assert probing.succeeded() == CLOSED


def test_a_probe_of_which_nothing_is_heard_blocks_nobody_for_ever() -> None:
    """Falls without a new pause at the probe: its thread may be frozen with its container."""
    _, probing = CLOSED.failed(0.0, is_slow=True).asked(FIRST_PAUSE_S)
    assert probing.asked(2 * FIRST_PAUSE_S)[0] == "probe"


def test_pauses_grow_up_to_a_limit() -> None:
    breaker, now, pauses = CLOSED, 0.0, []
    for _ in range(8):
        breaker = breaker.failed(now, is_slow=True)
        pauses.append(breaker.pause_s)
        now = breaker.open_until
        assert breaker.asked(now)[0] == "probe"
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, LONGEST_PAUSE_S, LONGEST_PAUSE_S, LONGEST_PAUSE_S]


def test_an_outage_of_many_hours_keeps_its_longest_pause() -> None:
    """Falls where the pause is a power of all openings: beyond 1,024 of them it is no number any more."""
    breaker = CircuitBreaker(failures=6_000, opened=3_000).failed(0.0, is_slow=True)
    assert (breaker.pause_s, breaker.asked(LONGEST_PAUSE_S)[0]) == (LONGEST_PAUSE_S, "probe")


@given(st.lists(st.tuples(st.sampled_from(["ask", "ok", "quick", "slow"]), st.floats(0, 5)), max_size=40))
def test_it_refuses_only_after_failures_in_a_row_and_never_for_longer_than_the_longest_pause(
    steps: list[tuple[str, float]],
) -> None:
    breaker, now, weight = CLOSED, 0.0, 0
    for what, passed in steps:
        now += passed
        if what == "ok":
            breaker, weight = breaker.succeeded(), 0
        elif what == "ask":
            _, breaker = breaker.asked(now)
        else:
            breaker = breaker.failed(now, is_slow=what == "slow")
            weight += 2 if what == "slow" else 1
        assert breaker.is_open == (weight >= OPENS_AT)
        assert breaker.seconds_left(now) <= LONGEST_PAUSE_S + 1e-9
        assert breaker.asked(now + breaker.seconds_left(now))[0] != "refuse"
