"""Commands for conversations: their list, the turns of one, its clearing."""

from typing import Annotated

import typer

from memory_layer.cli.printing import session_text
from memory_layer.cli.terminal import options
from memory_layer.cli.terminal.invocation import CommandOutput, Invocation, command

app = typer.Typer()
SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="The conversation.")]


@command(app, served="reads")
def sessions(
    call: Invocation, limit: options.PageLimit = None, cursor: options.PageCursor = None
) -> CommandOutput:
    """List conversations, by id."""
    from memory_layer.cli.terminal.invocation import validated
    from memory_layer.edge.http import cursors
    from memory_layer.edge.shapes.filter_requests import Page
    from memory_layer.edge.shapes.session_answers import sessions_json
    from memory_layer.usecases.ground.sessions import list_sessions

    asked = validated(Page, {"limit": limit, "cursor": cursor})
    query = cursors.sessions_query(call.project)
    after = cursors.text_key(asked.cursor, query)
    page = list_sessions(call.ports, call.principal, call.project, after=after, limit=asked.limit)
    document = sessions_json(page, cursors.text_cursor(page.next_key, query))
    return CommandOutput(document, session_text.sessions)


@command(app, served="reads")
def turns(
    call: Invocation,
    session: SessionId,
    newest_first: Annotated[bool, typer.Option("--newest-first", help="The last turn first.")] = False,
    limit: options.PageLimit = None,
    cursor: options.PageCursor = None,
) -> CommandOutput:
    """Read the turns of a conversation, in order."""
    from memory_layer.cli.terminal.invocation import validated
    from memory_layer.edge.http import cursors
    from memory_layer.edge.shapes.filter_requests import Page
    from memory_layer.edge.shapes.session_answers import turns_json
    from memory_layer.usecases.ground.sessions import session_turns

    asked = validated(Page, {"limit": limit, "cursor": cursor})
    query = cursors.turns_query(call.project, session, newest_first=newest_first)
    page = session_turns(
        *(call.ports, call.principal, call.project, session),
        after=cursors.turn_place(asked.cursor, query),
        limit=asked.limit,
        newest_first=newest_first,
    )
    document = turns_json(page, cursors.encode_cursor(page.next_key, query))
    return CommandOutput(document, session_text.turns)


@command(app, "clear-session", served="writes")
def clear(
    call: Invocation,
    session: SessionId,
    hard: Annotated[
        bool, typer.Option("--hard", help="Erase them for good, the archived ones as well.")
    ] = False,
) -> CommandOutput:
    """Archive the turns of a conversation that you may change."""
    from memory_layer.edge.shapes.session_answers import cleared_json
    from memory_layer.usecases.write.clear_session import clear_session

    cleared = clear_session(call.ports, call.principal, call.project, session, is_hard=hard)
    return CommandOutput(cleared_json(cleared), session_text.cleared)


@command(app, "pop-turn", served="writes")
def pop(call: Invocation, session: SessionId) -> CommandOutput:
    """Take back the last turn of a conversation: it is archived."""
    from memory_layer.edge.shapes.session_answers import popped_json
    from memory_layer.ports.commit import IdempotencyRecord
    from memory_layer.usecases.write.clear_session import pop_turn

    popped = pop_turn(call.ports, call.principal, call.project, session)
    if isinstance(popped, IdempotencyRecord):
        raise TypeError("a command has no idempotency key")
    return CommandOutput(popped_json(popped), session_text.popped)
