"""Routes of conversations: their list, the turns of one, its clearing."""

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Query

from memory_layer.edge.http import caller, cursors
from memory_layer.edge.shapes import session_answers
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.ground.sessions import list_sessions, session_turns
from memory_layer.usecases.write.clear_session import ClearedSession, clear_session, pop_turn

router = Router()
_SESSIONS = "/v1/projects/<project>/sessions"


@router.get(
    _SESSIONS,
    summary="List conversations, by id",
    operation_id="list_sessions",
    tags=["memories"],
    responses=caller.described_response(
        200, session_answers.SessionsAnswer, "Those of which the caller sees a turn in use"
    ),
)
def sessions(
    call: caller.Calling, project: caller.Project, limit: caller.Limit = 50, cursor: caller.Cursor = None
) -> Response[str]:
    query = cursors.sessions_query(project)
    after = cursors.text_key(cursor, query)
    page = list_sessions(call.ports, call.principal, project, after=after, limit=limit)
    return caller.json_response(
        200, session_answers.sessions_json(page, cursors.text_cursor(page.next_key, query))
    )


@router.get(
    f"{_SESSIONS}/<session_id>/turns",
    summary="Read the turns of a conversation, in order",
    operation_id="list_turns",
    tags=["memories"],
    responses=caller.described_response(
        200, session_answers.TurnsAnswer, "Those in use that the caller sees"
    ),
)
def turns(
    call: caller.Calling,
    project: caller.Project,
    session_id: caller.SessionId,
    newest_first: Annotated[bool, Query(description="The last turn first")] = False,
    limit: caller.Limit = 50,
    cursor: caller.Cursor = None,
) -> Response[str]:
    query = cursors.turns_query(project, session_id, newest_first=newest_first)
    page = session_turns(
        *(call.ports, call.principal, project, session_id),
        after=cursors.turn_place(cursor, query),
        limit=limit,
        newest_first=newest_first,
    )
    return caller.json_response(
        200, session_answers.turns_json(page, cursors.encode_cursor(page.next_key, query))
    )


@router.delete(
    f"{_SESSIONS}/<session_id>",
    summary="Clear a conversation: archive its turns, or erase them (hard=true)",
    operation_id="clear_session",
    tags=["memories"],
    responses=caller.described_response(200, ClearedSession, "What became of its turns"),
)
def clear(
    call: caller.Calling,
    project: caller.Project,
    session_id: caller.SessionId,
    hard: Annotated[bool, Query(description="Erase them for good, the archived ones as well")] = False,
) -> Response[str]:
    cleared = clear_session(call.ports, call.principal, project, session_id, is_hard=hard)
    return caller.json_response(200, session_answers.cleared_json(cleared))


@router.post(
    f"{_SESSIONS}/<session_id>/turns:pop",
    summary="Take back the last turn of a conversation",
    operation_id="pop_turn",
    tags=["memories"],
    responses=caller.described_response(200, session_answers.PoppedAnswer, "The turn, archived"),
)
def pop(
    call: caller.Calling,
    project: caller.Project,
    session_id: caller.SessionId,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    once = call.once(key, session_answers.popped_answer)
    popped = pop_turn(call.ports, call.principal, project, session_id, once=once)
    if isinstance(popped, IdempotencyRecord):
        return caller.replayed_response(popped)
    return caller.json_response(200, session_answers.popped_json(popped))
