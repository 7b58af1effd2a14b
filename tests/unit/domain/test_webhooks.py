"""Webhooks: signatures as Standard Webhooks has them, pauses between attempts, the end of patience."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from datetime import timedelta

import pytest

from memory_layer.domain.webhooks import (
    ATTEMPTS_KEPT,
    Attempt,
    Webhook,
    after_attempt,
    paused_sentence,
    signature,
    taken_up,
    url_problem,
    webhook_of_json,
    webhook_to_json,
)
from tests.given import SCOPE, START

WEBHOOK = Webhook(
    id="whk_1",
    scope=SCOPE,
    url="https://example.com/",
    types=(),
    created_by="ada",
    created_at=START,
    delivered=4,
)
TAKEN = Attempt(event="5", at=START, ms=3, status=204)
REFUSED = Attempt(event="5", at=START, ms=3, status=500, error="answered 500")


def test_the_signature_is_that_of_the_standards_example() -> None:
    """The example of Standard Webhooks' specification and of its libraries' tests."""
    secret = b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    at = START.fromtimestamp(1614265330, START.tzinfo)
    signed = signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}')
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_what_is_taken_moves_the_place_and_what_is_not_waits_longer_each_time() -> None:
    taken = after_attempt(replace(WEBHOOK, failures=3, last_error="x"), TAKEN, 5, 0.0)
    assert (taken.delivered, taken.failures, taken.last_error) == (5, 0, None)
    webhook, pauses = WEBHOOK, []
    for _ in range(8):
        webhook = after_attempt(webhook, REFUSED, 5, 0.0)
        pauses.append((webhook.next_at - START).total_seconds() if webhook.next_at else 0)
    assert pauses == [5, 30, 120, 600, 1_800, 3_600, 3_600, 3_600]
    assert (webhook.delivered, webhook.last_error) == (4, "answered 500")
    assert webhook.next_at is not None
    assert (webhook.is_due(START), webhook.is_due(webhook.next_at)) == (False, True)


def test_three_days_of_failures_or_a_receiver_that_wants_no_more_pause_it() -> None:
    """Falls without `PAUSED_AFTER` and without `GONE`."""
    failing = after_attempt(WEBHOOK, REFUSED, 5, 0.0)
    later = after_attempt(failing, replace(REFUSED, at=START + timedelta(days=3)), 5, 0.0)
    gone = after_attempt(WEBHOOK, replace(REFUSED, status=410), 5, 0.0)
    assert (failing.paused_at, later.paused_at, gone.paused_at) == (None, START + timedelta(days=3), START)
    assert not later.is_due(START + timedelta(days=300))
    assert taken_up(later).is_due(START)
    assert paused_sentence([failing]) is None
    assert "1 webhook is paused" in (paused_sentence([failing, later]) or "")


def test_so_many_attempts_are_kept_the_last_first() -> None:
    webhook = WEBHOOK
    for number in range(ATTEMPTS_KEPT + 5):
        webhook = after_attempt(webhook, replace(TAKEN, event=str(number)), number, 0.0)
    assert [one.event for one in webhook.attempts] == [str(number) for number in range(24, 4, -1)]


def test_it_is_stored_and_read_back() -> None:
    webhook = after_attempt(replace(WEBHOOK, types=("memory.erased",)), REFUSED, 5, 0.5)
    assert webhook_of_json("whk_1", SCOPE, webhook_to_json(webhook)) == webhook


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://example.com", "example.com", "https://", "https://a b.example/", "https://example.com:0/"),
        *(
            "https://example.com:x/",
            "https://user:word@example.com/",
            "https://example.com/#a",
            "https://é.example/",
        ),
        "https://example.com/" + "a" * 3_000,
    ],
)
def test_what_is_no_url_to_send_to_is_refused(url: str) -> None:
    assert url_problem(url)


def test_a_url_may_have_a_port_and_a_query() -> None:
    assert url_problem("https://hooks.example.com:8443/a/b?c=d") is None
