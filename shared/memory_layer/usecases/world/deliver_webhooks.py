"""Delivery of changes to the receivers of webhooks: in order, each until it is taken, at least once."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from memory_layer.domain.access import Principal
from memory_layer.domain.change_events import as_cloud_event, source_of
from memory_layer.domain.change_types import TEST_TYPE
from memory_layer.domain.fields import canonical_json, rfc3339
from memory_layer.domain.portability.trace_context import TRACEPARENT
from memory_layer.domain.webhooks import Attempt, Webhook, after_attempt, delivery_headers
from memory_layer.errors import Invalid
from memory_layer.ports.process import Ports
from memory_layer.ports.webhooks import WebhookPorts
from memory_layer.usecases.world.list_changes import list_changes

AT_ONCE: Final = 50
"""Events of one turn: other webhooks have theirs."""


def deliver(
    ports: Ports,
    webhook: Webhook,
    is_stopping: Callable[[], bool] = lambda: False,
    share: Callable[[], float] = random.random,
) -> bool:
    """Delivers the next events of a webhook, until one is not taken. Its place is stored after each.

    Args:
        share: 0..1, random, so that receivers that went together are not asked together.

    Returns:
        True if there is more to deliver at once.
    """
    if ports.webhooks is None:
        return False
    reader = Principal(webhook.scope.tenant, webhook.created_by, roles=frozenset({"admin"}))
    try:
        page = list_changes(
            ports,
            reader,
            webhook.scope.project,
            after=webhook.delivered,
            types=frozenset(webhook.types),
            limit=AT_ONCE,
        )
    except Invalid as error:  # the log is another one: an older database was put back
        attempt = Attempt(event="", at=ports.clock.now(), ms=0, error=error.detail)
        ports.webhooks.store.save(after_attempt(webhook, attempt, webhook.delivered, share()))
        return False
    for event in page.events:
        attempt = _sent(ports, ports.webhooks, webhook, as_cloud_event(event))
        webhook = after_attempt(webhook, attempt, int(event.id), share())
        if not ports.webhooks.store.save(webhook) or attempt.error is not None or is_stopping():
            return False
    if page.next_after > webhook.delivered:
        ports.webhooks.store.save(replace(webhook, delivered=page.next_after))
    return not page.is_last


def trial_delivery(ports: Ports, known: WebhookPorts, webhook: Webhook) -> Attempt:
    """Sends an event that tells of no change."""
    now = ports.clock.now()
    told = {
        "specversion": "1.0",
        "id": ports.new_id("test_"),
        "source": source_of(webhook.scope),
        "type": TEST_TYPE,
        "time": rfc3339(now),
        "subject": webhook.id,
    }
    return _sent(ports, known, webhook, told)


def _sent(ports: Ports, known: WebhookPorts, webhook: Webhook, told: dict[str, Any]) -> Attempt:
    at, body = ports.clock.now(), canonical_json(told).encode()
    headers = delivery_headers(webhook, told["id"], known.store.secret(webhook.id), at, body)
    headers |= {name: told[name] for name in (TRACEPARENT,) if name in told}
    began = ports.contexts.timer()
    sent = known.sender.send(webhook.url, headers, body)
    return Attempt(
        event=told["id"],
        at=at,
        ms=_milliseconds(ports.contexts.timer() - began),
        status=sent.status,
        error=sent.error,
    )


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1_000)


def has_more(ports: Ports, webhook: Webhook, now: datetime) -> bool:
    """Tells if a webhook has something to deliver now."""
    return webhook.is_due(now) and ports.store.audit.head(webhook.scope).position != webhook.delivered
