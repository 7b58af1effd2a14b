"""Routes of recall, of the prompt section made of it, and of verdicts on what a page showed."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body

from memory_layer.edge.http.caller import (
    Calling,
    IdempotencyKey,
    Project,
    described_response,
    json_response,
)
from memory_layer.edge.shapes import answers
from memory_layer.edge.shapes.answer_models import PageOutcomeAnswer, PromptAnswer
from memory_layer.edge.shapes.answers import prompt_json
from memory_layer.edge.shapes.problems import problem
from memory_layer.edge.shapes.recall_answers import RecallAnswer, recalled_json
from memory_layer.edge.shapes.recall_requests import PromptQuery, RecallQuery, prompt_for, recall_request
from memory_layer.edge.shapes.requests import PageOutcome
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.learn.report_on_page import report_on_page
from memory_layer.usecases.learn.report_outcome import OutcomeReport
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


@router.post(
    "/v1/projects/<project>/outcome",
    summary="Report whether memories of a page helped, by their numbers on it",
    operation_id="report_page_outcome",
    tags=["learning"],
    responses=described_response(200, PageOutcomeAnswer, "What became of each"),
)
def page_outcome(
    call: Calling, project: Project, body: Annotated[PageOutcome, Body()], key: IdempotencyKey = None
) -> Response[str]:
    report = OutcomeReport(**body.model_dump(exclude={"refs"}))

    def once(line: int) -> IdempotentRequest | None:
        return call.once(
            key, lambda reported: (200, answers.to_text(answers.moved_json(reported))), kind=f"line {line}"
        )

    judged = report_on_page(call.ports, call.principal, project, body.recall_id, body.refs, report, once=once)
    shown = answers.page_outcome_json(
        body.recall_id,
        judged,
        lambda error: problem(error, instance=call.path, request_id=call.request_id),
    )
    is_replay = all(isinstance(one.outcome, IdempotencyRecord) for one in judged)
    return json_response(200, shown, {"Idempotent-Replayed": "true"} if is_replay else None)
