"""Routes of recall, and of the prompt section made of it."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body

from memory_layer.edge.http.caller import Calling, Project, described_response, json_response
from memory_layer.edge.shapes.answer_models import PromptAnswer, RecallAnswer
from memory_layer.edge.shapes.answers import prompt_json, recalled_json
from memory_layer.edge.shapes.recall_requests import PromptQuery, RecallQuery, prompt_for, recall_request
from memory_layer.usecases.recall.recall import recall

router = Router()


@router.post(
    "/v1/projects/<project>/recall",
    summary="Recall what bears on a question, best first",
    operation_id="recall",
    tags=["recall"],
    responses=described_response(200, RecallAnswer, "Memories with their signals"),
)
def recall_memories(call: Calling, project: Project, body: Annotated[RecallQuery, Body()]) -> Response[str]:
    request = recall_request(body)
    return json_response(200, recalled_json(recall(call.ports, call.principal, project, request)))


@router.post(
    "/v1/projects/<project>/prompt",
    summary="A section of a prompt: memories, or what earlier runs taught",
    operation_id="compose_prompt",
    tags=["recall"],
    responses=described_response(200, PromptAnswer, "Markdown, and the memories in it"),
)
def prompt(call: Calling, project: Project, body: Annotated[PromptQuery, Body()]) -> Response[str]:
    return json_response(200, prompt_json(prompt_for(call.ports, call.principal, project, body)))
