"""Webhooks of a project: registered, listed, tried out and removed by its admins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_layer.domain import webhooks
from memory_layer.domain.access import Principal
from memory_layer.domain.audit import WEBHOOK_ADDED, WEBHOOK_REMOVED
from memory_layer.domain.change_types import ChangeType
from memory_layer.domain.webhooks import Attempt, Webhook
from memory_layer.errors import Conflict, Invalid, NotFound
from memory_layer.ports.process import Ports
from memory_layer.ports.webhooks import WebhookPorts
from memory_layer.usecases.ground.audit_log import entered
from memory_layer.usecases.ground.change_record import require_admin
from memory_layer.usecases.world.deliver_webhooks import trial_delivery
from memory_layer.usecases.world.list_changes import last_position


@dataclass(frozen=True, slots=True)
class NewWebhook:
    """New webhook, with the secret that is shown this once."""

    webhook: Webhook
    secret: str


def add_webhook(
    ports: Ports,
    principal: Principal,
    project: str,
    url: str,
    types: Sequence[ChangeType] = (),
    *,
    after: int | None = None,
) -> NewWebhook:
    """Registers a receiver, who is told of changes from now on.

    Args:
        types: none: every type.
        after: position behind which it is told; None: the end of now.

    Raises:
        Forbidden: the caller is no admin.
        Invalid: the URL is none to send to, by the rule of deliveries, or the position lies behind the end.
        Conflict: there are as many as a project may have, or this backend has none.
    """
    scope, known = principal.scope(project), _webhooks(ports, principal)
    problem = webhooks.url_problem(url) or known.sender.refusal(url)
    end = last_position(ports, principal, project)
    if problem:
        raise Invalid.at("/url", problem)
    if after is not None and after > end:
        raise Invalid.at("/after", f"{after} lies behind the end, {end}")
    if len(known.store.of(scope)) >= webhooks.WEBHOOKS_MAX:
        raise Conflict(f"project {project} has {webhooks.WEBHOOKS_MAX} webhooks; remove one first")
    webhook = Webhook(
        id=ports.new_id(webhooks.WEBHOOK_PREFIX),
        scope=scope,
        url=url,
        types=tuple(dict.fromkeys(types)),
        created_by=principal.name,
        created_at=ports.clock.now(),
        delivered=end if after is None else after,
    )
    secret = webhooks.secret_text(known.store.secret(webhook.id))
    with entered(ports, scope, principal.name, WEBHOOK_ADDED, about=webhook.id):
        known.store.add(webhook)
    return NewWebhook(webhook, secret)


def list_webhooks(ports: Ports, principal: Principal, project: str) -> Sequence[Webhook]:
    """Lists the webhooks of a project, the oldest first. Raises: Forbidden; Conflict: this backend has none."""
    return _webhooks(ports, principal).store.of(principal.scope(project))


def remove_webhook(ports: Ports, principal: Principal, project: str, id: str) -> None:
    """Removes a webhook; a delivery that has begun is ended. Raises: Forbidden, NotFound, Conflict."""
    scope, known = principal.scope(project), _webhooks(ports, principal)
    with entered(ports, scope, principal.name, WEBHOOK_REMOVED, about=id):
        if not known.store.remove(scope, id):
            raise _not_found(project, id)


def try_webhook(ports: Ports, principal: Principal, project: str, id: str) -> Attempt:
    """Sends an event that tells of no change; a receiver that takes it is taken up again, if it was paused.

    Raises:
        Forbidden, NotFound, Conflict
    """
    known = _webhooks(ports, principal)
    found = [one for one in known.store.of(principal.scope(project)) if one.id == id]
    if not found:
        raise _not_found(project, id)
    attempt = trial_delivery(ports, known, found[0])
    if attempt.error is None and found[0].failures:
        known.store.save(webhooks.taken_up(found[0]))
    return attempt


def paused_webhooks(ports: Ports) -> str | None:
    """Sentence about the paused webhooks of all projects; None: there are none."""
    return None if ports.webhooks is None else webhooks.paused_sentence(ports.webhooks.store.every())


def _webhooks(ports: Ports, principal: Principal) -> WebhookPorts:
    require_admin(principal, "a webhook")
    if ports.webhooks is None:
        raise Conflict(
            "webhooks are a laptop's; here every change is on the bus: make a rule there with an API destination"
        )
    return ports.webhooks


def _not_found(project: str, id: str) -> NotFound:
    return NotFound(f"no webhook {id} in project {project}; list them to find its id")
