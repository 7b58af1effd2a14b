"""Routes of webhooks."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Path

from memory_layer.domain.webhooks import Attempt
from memory_layer.edge.http import caller
from memory_layer.edge.shapes import webhook_bodies
from memory_layer.edge.shapes.requests import Nothing
from memory_layer.usecases.world import manage_webhooks

router = Router()

WebhookId = Annotated[str, Path(pattern=r"^whk_[0-9a-z]{1,64}$", description="As the list has it")]


@router.post(
    "/v1/projects/<project>/webhooks",
    summary="Have changes sent to a receiver (admins)",
    operation_id="add_webhook",
    tags=["settings"],
    responses=caller.described_response(
        201, webhook_bodies.WebhookAnswer, "Registered, with the secret that is shown this once"
    ),
)
def add(
    call: caller.Calling, project: caller.Project, body: Annotated[webhook_bodies.WebhookRequest, Body()]
) -> Response[str]:
    made = manage_webhooks.add_webhook(
        call.ports, call.principal, project, body.url, body.types, after=body.after
    )
    return caller.json_response(201, webhook_bodies.webhook_json(made))


@router.get(
    "/v1/projects/<project>/webhooks",
    summary="Webhooks with their newest deliveries (admins)",
    operation_id="list_webhooks",
    tags=["settings"],
    responses=caller.described_response(200, webhook_bodies.WebhooksAnswer, "The oldest first"),
)
def listed(call: caller.Calling, project: caller.Project) -> Response[str]:
    found = manage_webhooks.list_webhooks(call.ports, call.principal, project)
    return caller.json_response(200, webhook_bodies.webhooks_json(found))


@router.delete(
    "/v1/projects/<project>/webhooks/<id>",
    summary="Remove a webhook (admins)",
    operation_id="remove_webhook",
    tags=["settings"],
    responses={204: {"description": "Removed"}},
)
def remove(call: caller.Calling, project: caller.Project, id: WebhookId) -> Response[str]:
    manage_webhooks.remove_webhook(call.ports, call.principal, project, id)
    return Response(204, None, "")


@router.post(
    "/v1/projects/<project>/webhooks/<id>/test",
    summary="Send a test event now, and take up what was paused if it is taken (admins)",
    operation_id="try_webhook",
    tags=["settings"],
    responses=caller.described_response(200, Attempt, "How it ended; with an error, where it was not taken"),
)
def try_out(
    call: caller.Calling,
    project: caller.Project,
    id: WebhookId,
    body: Annotated[Nothing | None, Body()] = None,
) -> Response[str]:
    del body
    attempt = manage_webhooks.try_webhook(call.ports, call.principal, project, id)
    return caller.json_response(200, webhook_bodies.attempt_json(attempt))
