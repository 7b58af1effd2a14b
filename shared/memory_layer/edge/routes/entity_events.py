"""Routes of entity events: changes of the things that memories speak of."""

from contextlib import nullcontext
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from memory_layer.edge.http import caller
from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
from memory_layer.edge.shapes.answers import to_text
from memory_layer.edge.shapes.entity_event_bodies import (
    EntityEventPageAnswer,
    EntityEventsAnswer,
    entity_events_json,
    event_page_json,
    read_entity_events,
    single_event_pointers,
)
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.ground.idempotency import answered_once
from memory_layer.usecases.world.list_entity_events import list_entity_events
from memory_layer.usecases.world.take_entity_events import take_entity_events

router = Router()


@router.post(
    "/v1/projects/<project>/entity-events",
    summary="Tell what happened to things that memories speak of, one event or up to 1,000",
    operation_id="take_entity_events",
    tags=["learning"],
    responses=caller.described_response(
        200, EntityEventsAnswer, "What became of each: how many memories went stale by it"
    ),
)
def entity_events(
    call: caller.Calling, project: caller.Project, key: caller.IdempotencyKey = None
) -> Response[str]:
    events, is_one = read_entity_events(call.body)
    with single_event_pointers() if is_one else nullcontext():
        result = answered_once(
            call.ports.store.requests,
            call.ports.store.writer,
            call.principal.scope(project),
            call.once(key, lambda taken: (200, to_text(entity_events_json(taken)))),
            call.ports.clock.now(),
            lambda: take_entity_events(call.ports, call.principal, project, events),
        )
    return (
        caller.replayed_response(result)
        if isinstance(result, IdempotencyRecord)
        else caller.json_response(200, entity_events_json(result))
    )


@router.get(
    "/v1/projects/<project>/entity-events",
    summary="What happened to an entity, the first event first",
    operation_id="list_entity_events",
    tags=["learning"],
    responses=caller.described_response(200, EntityEventPageAnswer, "A page of its events"),
)
def past_events(
    call: caller.Calling,
    project: caller.Project,
    urn: Annotated[str, Query(min_length=1, max_length=256, description="The entity, at either end")],
    limit: caller.Limit = 50,
    cursor: caller.Cursor = None,
) -> Response[str]:
    bound_to = ["entity-events", project, urn]
    after = decode_cursor(cursor, bound_to)
    page = list_entity_events(call.ports, call.principal, project, urn, after=after, limit=limit)
    return caller.json_response(200, event_page_json(page, encode_cursor(page.next_key, bound_to)))
