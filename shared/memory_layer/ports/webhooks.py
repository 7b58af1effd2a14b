"""Ports of webhooks: where they are kept, and how something is sent to a receiver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory_layer.domain.memory import Scope
from memory_layer.domain.webhooks import Webhook


class WebhookStore(Protocol):
    """Webhooks of all projects."""

    def add(self, webhook: Webhook) -> None:
        """Stores a new webhook, durable when it returns."""

    def save(self, webhook: Webhook) -> bool:
        """Stores the state of a webhook; False: it was removed meanwhile, and stays so."""

    def every(self) -> Sequence[Webhook]:
        """Webhooks of all tenants, the oldest first, without damaged ones."""

    def of(self, scope: Scope) -> Sequence[Webhook]:
        """Webhooks of a project, the oldest first. Raises: StoreUnavailable: one is damaged."""

    def remove(self, scope: Scope, id: str) -> bool:
        """Removes a webhook; False: there is none."""

    def secret(self, id: str) -> bytes:
        """Secret by which deliveries of a webhook are signed: made of its id and a key that is not in the database.

        Raises:
            StoreUnavailable: the key cannot be read, or made.
        """


@dataclass(frozen=True, slots=True)
class Sent:
    """End of an attempt. Args: status: None: no answer came; error: None: the receiver took it."""

    status: int | None
    error: str | None


class WebhookSender(Protocol):
    """Sender to receivers outside."""

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Sent:
        """Posts a body, to no address that it may not, in bounded time, and follows no redirect."""

    def refusal(self, url: str) -> str | None:
        """Reason for which nothing would be sent to a URL; None: it would be, as far as its host is known by now."""


@dataclass(frozen=True, slots=True)
class WebhookPorts:
    """Ports of webhooks."""

    store: WebhookStore
    sender: WebhookSender
