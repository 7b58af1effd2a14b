"""Commands for conversations: their list, the turns of one, its clearing."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from memory_layer.cli.printing import session_text
from memory_layer.cli.terminal import options
from memory_layer.cli.terminal.empty_project import tell_if_empty
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.requests import done_now, given, validated
from memory_layer.wire.message import Asked

app = typer.Typer()
SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="The conversation.")]


@command(app, served="reads")
def sessions(
    call: Invocation, limit: options.PageLimit = None, cursor: options.PageCursor = None
) -> CommandOutput:
    """List conversations, by id."""
    said = given(limit=limit, cursor=cursor)
    document = call.answer(Asked("list_sessions", query=said), lambda here: _sessions(here, said))
    if not document["sessions"]:
        tell_if_empty(call)
    return CommandOutput(document, session_text.sessions)


def _sessions(here: FolderCall, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.http import cursors
    from memory_layer.edge.shapes.filter_requests import Page
    from memory_layer.edge.shapes.session_answers import sessions_json
    from memory_layer.usecases.ground.sessions import list_sessions

    asked, query = validated(Page, said), cursors.sessions_query(here.project)
    after = cursors.text_key(asked.cursor, query)
    page = list_sessions(here.ports, here.principal, here.project, after=after, limit=asked.limit)
    return sessions_json(page, cursors.text_cursor(page.next_key, query))


@command(app, served="reads")
def turns(
    call: Invocation,
    session: SessionId,
    newest_first: Annotated[bool, typer.Option("--newest-first", help="The last turn first.")] = False,
    limit: options.PageLimit = None,
    cursor: options.PageCursor = None,
) -> CommandOutput:
    """Read the turns of a conversation, in order."""
    said = given(limit=limit, cursor=cursor)
    asked = Asked("list_turns", {"session_id": session}, {**said, "newest_first": newest_first or None})
    document = call.answer(asked, lambda here: _turns(here, session, newest_first, said))
    return CommandOutput(document, session_text.turns)


def _turns(here: FolderCall, session: str, newest_first: bool, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.http import cursors
    from memory_layer.edge.shapes.filter_requests import Page
    from memory_layer.edge.shapes.session_answers import turns_json
    from memory_layer.usecases.ground.sessions import session_turns

    asked = validated(Page, said)
    query = cursors.turns_query(here.project, session, newest_first=newest_first)
    page = session_turns(
        *(here.ports, here.principal, here.project, session),
        after=cursors.turn_place(asked.cursor, query),
        limit=asked.limit,
        newest_first=newest_first,
    )
    return turns_json(page, cursors.encode_cursor(page.next_key, query))


@command(app, "clear-session", served="writes")
def clear(
    call: Invocation,
    session: SessionId,
    hard: Annotated[
        bool, typer.Option("--hard", help="Erase them for good, the archived ones as well.")
    ] = False,
) -> CommandOutput:
    """Archive the turns of a conversation that you may change."""
    asked = Asked("clear_session", {"session_id": session}, {"hard": hard or None})
    return CommandOutput(call.answer(asked, lambda here: _cleared(here, session, hard)), session_text.cleared)


def _cleared(here: FolderCall, session: str, is_hard: bool) -> dict[str, Any]:
    from memory_layer.edge.shapes.session_answers import cleared_json
    from memory_layer.usecases.write.clear_session import clear_session

    return cleared_json(clear_session(here.ports, here.principal, here.project, session, is_hard=is_hard))


@command(app, "pop-turn", served="writes")
def pop(call: Invocation, session: SessionId) -> CommandOutput:
    """Take back the last turn of a conversation. It is archived."""
    asked = Asked("pop_turn", {"session_id": session})
    return CommandOutput(call.answer(asked, lambda here: _popped(here, session)), session_text.popped)


def _popped(here: FolderCall, session: str) -> dict[str, Any]:
    from memory_layer.edge.shapes.session_answers import popped_json
    from memory_layer.usecases.write.clear_session import pop_turn

    return popped_json(done_now(pop_turn(here.ports, here.principal, here.project, session)))
