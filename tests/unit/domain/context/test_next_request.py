"""Prediction of the next request: acted on only while it has mostly been right, and only when the request is near."""

from __future__ import annotations

import pytest

from memory_layer.domain.context.next_request import ASKED_MAX, TRIED_MAX, AskedContext, RequestPattern


def asked(intent: str | None, rest: str = "4000 tokens") -> AskedContext[str]:
    return AskedContext(intent, rest)


def after(*steps: tuple[str | None, str | None]) -> RequestPattern[str]:
    """Pattern after requests. Args: steps: intent, and content of the newest turn before it."""
    pattern: RequestPattern[str] = RequestPattern()
    for intent, turn in steps:
        pattern = pattern.after_request(asked(intent), turn)
    return pattern


def test_nothing_is_expected_before_a_guess_was_right() -> None:
    assert RequestPattern().expected("a turn") is None
    assert after(("deploy", None)).expected(None) is None


def test_an_objective_that_is_repeated_is_expected_again() -> None:
    assert after(("deploy", "one"), ("deploy", "two")).expected("three") == asked("deploy")


def test_a_session_that_asks_for_each_turn_is_expected_to_ask_for_the_newest() -> None:
    pattern = after(("one", "one"), ("two", "two"))
    assert pattern.expected("three") == asked("three")
    assert pattern.expected(None) is None, "there is no turn to ask for"


def test_requests_that_follow_each_other_are_expected_in_their_order() -> None:
    pattern = after(*((intent, None) for intent in ("plan", "build", "test", "plan", "build")))
    assert pattern.expected(None) == asked("test")


def test_a_guess_that_is_mostly_wrong_is_no_longer_acted_on() -> None:
    """Safeguard: the least chance; what is asked by people is seldom known before."""
    pattern = after(("deploy", None), ("deploy", None))
    for number in range(3):
        pattern = pattern.after_request(asked(f"question {number}"), None)
    assert pattern.chance("repeated") == pytest.approx(2 / 6)
    assert pattern.expected(None) is None


def test_another_budget_is_another_request() -> None:
    pattern: RequestPattern[str] = RequestPattern()
    for rest in ("4000 tokens", "500 tokens", "4000 tokens"):
        pattern = pattern.after_request(asked("deploy", rest), None)
    assert pattern.expected(None) is None, "no guess was right: budgets alternate"
    pattern = pattern.after_request(asked("deploy", "500 tokens"), None)
    assert pattern.expected(None) == asked("deploy", "4000 tokens")


def test_what_is_remembered_is_bounded() -> None:
    pattern = after(*(("deploy", f"turn {number}") for number in range(50)))
    assert len(pattern.asked) == ASKED_MAX
    assert {len(tried) for tried in pattern.trials.values()} == {TRIED_MAX}


def test_a_request_is_near_once_as_much_was_written_as_before_the_last_one() -> None:
    pattern = after(("deploy", None))
    assert not pattern.is_due, "nothing was written: the cache has it"
    for due in (True, True, False):  # it may come after one stretch; more than two are for nothing
        pattern = pattern.after_write()
        assert pattern.is_due == due
    pattern = pattern.after_request(asked("deploy"), None)  # three stretches came before it
    for due in (False, False, True, True):
        pattern = pattern.after_write()
        assert pattern.is_due == due
    pattern = pattern.after_request(asked("deploy"), None).after_write().after_write()
    pattern = pattern.after_request(asked("deploy"), None)  # four, then two
    for due in (False, True, True, False):
        pattern = pattern.after_write()
        assert pattern.is_due == due
