"""Routes of the playbook: its page, and the reorganised set that waits beside it."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from memory_layer.edge.http.caller import Calling, Project, described_response, json_response
from memory_layer.edge.shapes.answer_fields import document
from memory_layer.edge.shapes.derived_models import Instant
from memory_layer.edge.shapes.playbook_answers import (
    PlaybookAnswer,
    ReorganisationAnswer,
    ReorganisationDecision,
    playbook_json,
    reorganisation_json,
)
from memory_layer.usecases.recall.compose_playbook import compose_playbook
from memory_layer.usecases.review.reorganise_playbook import (
    ReorganisationResult,
    decide_reorganisation,
    propose_reorganisation,
)

router = Router()


@router.get(
    "/v1/projects/<project>/playbook",
    summary="The playbook: every learning in use as a bullet with a stable name, or what has changed in it",
    operation_id="get_playbook",
    tags=["recall"],
    responses=described_response(200, PlaybookAnswer, "The page, and its bullets"),
)
def playbook(
    call: Calling,
    project: Project,
    since: Annotated[
        Instant | None, Query(description="`as_of` of an earlier page: only what has changed since")
    ] = None,
) -> Response[str]:
    return json_response(
        200, playbook_json(compose_playbook(call.ports, call.principal, project, since=since))
    )


@router.get(
    "/v1/projects/<project>/playbook/reorganisation",
    summary="The playbook with near-duplicates united, beside the present one (reviewers)",
    operation_id="get_reorganisation",
    tags=["reviews"],
    responses=described_response(200, ReorganisationAnswer, "Both sets; nothing is changed"),
)
def proposal(call: Calling, project: Project) -> Response[str]:
    return json_response(
        200, reorganisation_json(propose_reorganisation(call.ports, call.principal, project))
    )


@router.post(
    "/v1/projects/<project>/playbook/reorganisation",
    summary="Accept or drop the reorganised playbook (reviewers)",
    operation_id="decide_reorganisation",
    tags=["reviews"],
    responses=described_response(200, ReorganisationResult, "On how many it was carried out"),
)
def decide(call: Calling, project: Project, body: Annotated[ReorganisationDecision, Body()]) -> Response[str]:
    done = decide_reorganisation(call.ports, call.principal, project, body.id, body.decision)
    return json_response(200, document(done))
