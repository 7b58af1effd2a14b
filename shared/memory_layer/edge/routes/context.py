"""Contexts: what to put before a model, within a budget; and how good it was."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body

from memory_layer.edge.call import Calling, Project, answered, described
from memory_layer.edge.context_answers import ContextAnswer, context_json
from memory_layer.edge.context_schemas import ContextQuery, context_request
from memory_layer.usecases.assemble import assemble_context

router = Router()


@router.post(
    "/v1/projects/<project>/context",
    summary="A context for an intent, within a budget of tokens and of time",
    operation_id="assemble_context",
    tags=["context"],
    responses=described(200, ContextAnswer, "The page, its fragments, and what became of all the rest"),
)
def context(call: Calling, project: Project, body: Annotated[ContextQuery, Body()]) -> Response[str]:
    found = assemble_context(call.ports, call.principal, project, context_request(body))
    return answered(200, context_json(found))
