"""Routes of contexts: assembly within a budget, and feedback on the result."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Path

from memory_layer.edge.http.caller import Calling, Project, described_response, json_response
from memory_layer.edge.http.request_context import ARRIVED
from memory_layer.edge.shapes import context_answers
from memory_layer.edge.shapes.context_requests import REQUEST_ID, ContextQuery, GivenFeedback, context_request
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.review.tune_context import get_tuning, give_feedback, reset_tuning

router = Router()
RequestId = Annotated[str, Path(pattern=REQUEST_ID, description="Of the answer that the feedback is on")]


@router.post(
    "/v1/projects/<project>/context",
    summary="A context for an intent, within a budget of tokens and of time",
    operation_id="assemble_context",
    tags=["context"],
    responses=described_response(
        200, context_answers.ContextAnswer, "The page, its fragments, and what became of all the rest"
    ),
)
def context(call: Calling, project: Project, body: Annotated[ContextQuery, Body()]) -> Response[str]:
    request = context_request(body)
    found = assemble_context(call.ports, call.principal, project, request, since=ARRIVED.get())
    return json_response(200, context_answers.context_json(found))


@router.post(
    "/v1/projects/<project>/context/<request_id>/feedback",
    summary="Say how good a context was; tunes how the project assembles them, once for each context",
    operation_id="give_context_feedback",
    tags=["context"],
    responses=described_response(
        200, context_answers.FeedbackAnswer, "How contexts are assembled from now on"
    ),
)
def feedback(
    call: Calling, project: Project, request_id: RequestId, body: Annotated[GivenFeedback, Body()]
) -> Response[str]:
    tuned = give_feedback(call.ports, call.principal, project, request_id, body.feedback(), body.useful)
    return json_response(200, context_answers.feedback_json(request_id, tuned, call.principal))


@router.get(
    "/v1/projects/<project>/context/tuning",
    summary="How the project assembles its contexts, and what tuned it",
    operation_id="get_context_tuning",
    tags=["context"],
    responses=described_response(200, context_answers.TuningAnswer, "Weights, factors and their history"),
)
def tuning(call: Calling, project: Project) -> Response[str]:
    return json_response(
        200, context_answers.tuning_json(get_tuning(call.ports, call.principal, project), call.principal)
    )


@router.delete(
    "/v1/projects/<project>/context/tuning",
    summary="Go back to the defaults of how contexts are assembled",
    operation_id="reset_context_tuning",
    tags=["context"],
    responses=described_response(200, context_answers.TuningAnswer, "The defaults, with the history"),
)
def reset(call: Calling, project: Project) -> Response[str]:
    return json_response(
        200, context_answers.tuning_json(reset_tuning(call.ports, call.principal, project), call.principal)
    )
