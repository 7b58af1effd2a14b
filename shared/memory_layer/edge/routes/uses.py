"""Routes of the uses of a memory: verdicts on it, the estimate that runs make of it, and recalls that showed it."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from memory_layer.domain.memory import TaskType
from memory_layer.edge.http import caller
from memory_layer.edge.shapes import use_answers
from memory_layer.usecases.learn.estimate_outcome import estimate_outcome
from memory_layer.usecases.learn.read_uses import recalls_that_showed, verdicts_on

router = Router()
_MEMORY = "/v1/projects/<project>/memories/<id>"


@router.get(
    f"{_MEMORY}/verdicts",
    summary="Verdicts on a memory, the last first",
    operation_id="list_memory_verdicts",
    tags=["learning"],
    responses=caller.described_response(200, use_answers.VerdictsAnswer, "The verdicts, with who and why"),
)
def verdicts(call: caller.Calling, project: caller.Project, id: caller.MemoryId) -> Response[str]:
    found = verdicts_on(call.ports, call.principal, project, id)
    return caller.json_response(200, use_answers.verdicts_json(found))


@router.get(
    f"{_MEMORY}/outcome",
    summary="How well a memory serves the caller, and how sure that is",
    operation_id="get_outcome_estimate",
    tags=["learning"],
    responses=caller.described_response(
        200, use_answers.OutcomeEstimateAnswer, "The estimate, with the evidence that it rests on"
    ),
)
def outcome_estimate(
    call: caller.Calling,
    project: caller.Project,
    id: caller.MemoryId,
    task_type: Annotated[
        TaskType | None, Query(description="For this kind of task; omitted: all kinds alike")
    ] = None,
) -> Response[str]:
    estimate = estimate_outcome(call.ports, call.principal, project, id, task_type)
    return caller.json_response(200, use_answers.estimate_json(estimate))


@router.get(
    f"{_MEMORY}/recalls",
    summary="Recalls that showed a memory, the last first (reviewers)",
    operation_id="list_memory_recalls",
    tags=["reviews"],
    responses=caller.described_response(
        200, use_answers.ShowingRecallsAnswer, "Who was shown it, when and where"
    ),
)
def recalls(call: caller.Calling, project: caller.Project, id: caller.MemoryId) -> Response[str]:
    found = recalls_that_showed(call.ports, call.principal, project, id)
    return caller.json_response(200, use_answers.recalls_json(found))
