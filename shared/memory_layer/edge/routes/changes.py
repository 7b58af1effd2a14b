"""Routes of what changed, for whoever follows."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from memory_layer.domain.change_types import ChangeType
from memory_layer.edge.http import caller
from memory_layer.edge.shapes.change_answers import ChangesAnswer, changes_json, recent_changes_json
from memory_layer.usecases.world.list_changes import list_changes, list_recent_changes

router = Router()

After = Annotated[
    int, Query(ge=0, le=2**53 - 1, description="`next_after` of the page before; 0: from the first")
]
Before = Annotated[
    int | None,
    Query(
        ge=0,
        le=2**53 - 1,
        description="Instead of `after`: what lies in front of this position, the newest first, as `next_before` of the"
        " page before says; 0: from the end",
    ),
]
Types = Annotated[
    list[ChangeType] | None,
    Query(alias="type", max_length=32, description="Only of these types; may be repeated"),
]


@router.get(
    "/v1/projects/<project>/events",
    summary="Every change as a CloudEvent, the first one first",
    operation_id="list_events",
    tags=["data"],
    responses=caller.described_response(
        200,
        ChangesAnswer,
        "Changes that the caller may know of. With `Accept: text/event-stream` a laptop's server answers a stream of"
        " them, which begins behind `Last-Event-ID`, else behind `after`, else with the next change",
    ),
)
def events(
    call: caller.Calling,
    project: caller.Project,
    after: After = 0,
    before: Before = None,
    types: Types = None,
    limit: caller.Limit = 100,
) -> Response[str]:
    chosen = frozenset(types or ())
    if before is not None:
        recent = list_recent_changes(
            call.ports, call.principal, project, before=before or None, types=chosen, limit=limit
        )
        return caller.json_response(200, recent_changes_json(recent))
    page = list_changes(call.ports, call.principal, project, after=after, types=chosen, limit=limit)
    return caller.json_response(200, changes_json(page))
