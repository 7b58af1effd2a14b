"""Routes of the uses of a memory: verdicts on it, and recalls that showed it."""

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router

from memory_layer.edge.http import caller
from memory_layer.edge.shapes import use_answers
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
