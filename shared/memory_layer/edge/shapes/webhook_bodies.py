"""Webhooks as admins register them, and the answers about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from memory_layer.domain.change_types import ChangeType
from memory_layer.domain.webhooks import URL_MAX, Attempt, Webhook
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.usecases.world.manage_webhooks import NewWebhook


class WebhookRequest(BaseModel):
    """Receiver of changes."""

    model_config = REFUSE_UNKNOWN
    url: Annotated[str, Field(min_length=1, max_length=URL_MAX, description="https, of a public address.")]
    types: Annotated[list[ChangeType], Field(max_length=32, description="Empty: every type.")] = []
    after: Annotated[
        int | None, Field(ge=0, description="Position behind which it is told; omitted: from now on.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookAnswer:
    """Webhook, and its newest deliveries.

    Args:
        url: where changes are sent.
        types: empty: every type.
        created_by: the admin with whose rights changes are told.
        delivered: position of the last change that it has, or is not to have.
        failures: attempts since the last one that was taken.
        failing_since: time of the first of them.
        next_at: time of the next attempt.
        paused_at: absent: it is not paused. A test that is taken takes it up again.
        last_error: absent: the last delivery was taken.
        attempts: the last first.
        secret: the key of its signatures (Standard Webhooks), shown when it is made and never again.
    """

    id: str
    url: str
    types: Sequence[ChangeType]
    created_by: str
    created_at: datetime
    delivered: int
    failures: int
    failing_since: datetime | None = None
    next_at: datetime | None = None
    paused_at: datetime | None = None
    last_error: str | None = None
    attempts: Sequence[Attempt]
    secret: str | None = None


@dataclass(frozen=True, slots=True)
class WebhooksAnswer:
    """Webhooks of a project. Args: webhooks: the oldest first."""

    webhooks: Sequence[WebhookAnswer]


def webhook_json(made: NewWebhook) -> dict[str, Any]:
    return document(answer_from(WebhookAnswer, made.webhook, secret=made.secret))


def webhooks_json(webhooks: Sequence[Webhook]) -> dict[str, Any]:
    return document(WebhooksAnswer([answer_from(WebhookAnswer, one, secret=None) for one in webhooks]))


def attempt_json(attempt: Attempt) -> dict[str, Any]:
    return document(attempt)
