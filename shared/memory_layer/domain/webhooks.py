"""Webhooks: subscriptions to changes, the signature of a delivery, and the times of the next attempts."""

from __future__ import annotations

import hmac
from base64 import b64encode
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from memory_layer.domain.change_types import ChangeType
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.memory import Scope

WEBHOOK_PREFIX: Final = "whk_"
SECRET_PREFIX: Final = "whsec_"
WEBHOOKS_MAX: Final = 20
"""Webhooks of one project."""

URL_MAX: Final = 2_048
ATTEMPTS_KEPT: Final = 20
PAUSES_S: Final = (5, 30, 120, 600, 1_800, 3_600)
"""Seconds before the next attempt after so many failures; after more, the last of them."""

PAUSED_AFTER: Final = timedelta(days=3)
"""Time of failures alone after which a webhook is paused."""

GONE: Final = 410
"""Status by which a receiver says that it wants nothing more. Source: Standard Webhooks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Attempt of a delivery.

    Args:
        event: id of the change.
        ms: how long it took.
        status: of the answer; absent: there was none.
        error: absent: it was taken.
    """

    event: str
    at: datetime
    ms: int
    status: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """Subscription of a receiver.

    Args:
        types: none: every type.
        created_by: the admin with whose rights events are told.
        delivered: position of the last event that the receiver took, or of what it is not to hear of behind it.
        failures: attempts without success since the last one with.
        attempts: the newest ones, the last first.
    """

    id: str
    scope: Scope
    url: str
    types: tuple[ChangeType, ...]
    created_by: str
    created_at: datetime
    delivered: int
    failures: int = 0
    failing_since: datetime | None = None
    next_at: datetime | None = None
    paused_at: datetime | None = None
    last_error: str | None = None
    attempts: tuple[Attempt, ...] = ()

    def is_due(self, now: datetime) -> bool:
        return self.paused_at is None and (self.next_at is None or self.next_at <= now)


def url_problem(url: str) -> str | None:
    """Flaw of a receiver's URL by its form; its address is the sender's to judge."""
    if len(url) > URL_MAX or not url.isascii() or not url.isprintable() or " " in url:
        return f"it is no URL of at most {URL_MAX} printable ASCII characters"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "it is no URL"
    if parts.scheme not in ("https", "http") or not parts.hostname or port == 0:
        return "it is no http or https URL"
    if parts.username is not None or parts.password is not None or parts.fragment:
        return "a user, a password or a fragment in it would be sent nowhere; leave it out"
    return None


def signature(secret: bytes, message_id: str, at: datetime, body: bytes) -> str:
    """Signature of a message. Source: Standard Webhooks, symmetric signatures."""
    signed = f"{message_id}.{int(at.timestamp())}.".encode() + body
    return f"v1,{b64encode(hmac.digest(secret, signed, 'sha256')).decode()}"


def delivery_headers(
    webhook: Webhook, event: str, secret: bytes, at: datetime, body: bytes
) -> dict[str, str]:
    """Headers of a delivery, the id the same at every attempt."""
    message_id = f"{webhook.id}_{event}"
    return {
        "content-type": "application/cloudevents+json; charset=utf-8",
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": signature(secret, message_id, at, body),
    }


def secret_text(secret: bytes) -> str:
    return SECRET_PREFIX + b64encode(secret).decode()


def after_attempt(webhook: Webhook, attempt: Attempt, position: int, share: float) -> Webhook:
    """Webhook after an attempt. Args: position: of the event; share: 0..1, random, by which a pause is shorter."""
    attempts = (attempt, *webhook.attempts)[:ATTEMPTS_KEPT]
    if attempt.error is None:
        return replace(taken_up(webhook), delivered=position, attempts=attempts)
    failures, since = webhook.failures + 1, webhook.failing_since or attempt.at
    pause_s = PAUSES_S[min(failures, len(PAUSES_S)) - 1] * (1.0 - share / 5)
    is_over = attempt.status == GONE or attempt.at - since >= PAUSED_AFTER
    return replace(
        webhook,
        failures=failures,
        failing_since=since,
        next_at=attempt.at + timedelta(seconds=pause_s),
        paused_at=attempt.at if is_over else None,
        last_error=attempt.error,
        attempts=attempts,
    )


def taken_up(webhook: Webhook) -> Webhook:
    """Webhook without failures, whose next event is due."""
    return replace(webhook, failures=0, failing_since=None, next_at=None, paused_at=None, last_error=None)


def paused_sentence(webhooks: Collection[Webhook]) -> str | None:
    """Sentence about the paused ones; None: there are none."""
    count = sum(1 for one in webhooks if one.paused_at is not None)
    if not count:
        return None
    said = "1 webhook is" if count == 1 else f"{count} webhooks are"
    return f"{said} paused after failures: mem webhook list says why, mem webhook test takes one up again"


_TIMES: Final = ("created_at", "failing_since", "next_at", "paused_at")


def webhook_to_json(webhook: Webhook) -> dict[str, Any]:
    """JSON object of a webhook as it is stored, without its place."""
    values = {name: getattr(webhook, name) for name in webhook.__slots__ if name not in ("id", "scope")}
    times = {name: None if values[name] is None else rfc3339(values[name]) for name in _TIMES}
    attempts = [
        {**{name: getattr(one, name) for name in one.__slots__}, "at": rfc3339(one.at)}
        for one in webhook.attempts
    ]
    return {**values, **times, "types": list(webhook.types), "attempts": attempts}


def webhook_of_json(id: str, scope: Scope, stored: dict[str, Any]) -> Webhook:
    times = {name: None if stored[name] is None else instant(stored[name]) for name in _TIMES}
    attempts = tuple(Attempt(**{**one, "at": instant(one["at"])}) for one in stored["attempts"])
    return Webhook(
        id=id, scope=scope, **{**stored, **times, "types": tuple(stored["types"]), "attempts": attempts}
    )
