"""Commands for memories: add, list, get, edit, forget, correct."""

import sys
from typing import Annotated, Any

import typer

from memory_layer.cli.printing import memory_text
from memory_layer.cli.terminal import options
from memory_layer.cli.terminal.filter_options import with_filters
from memory_layer.cli.terminal.invocation import CommandOutput, Invocation, command, validated

app = typer.Typer()
STDIN = "-"


@command(app, served="writes")
def add(
    call: Invocation,
    content: Annotated[
        str, typer.Argument(metavar="CONTENT", help="What was learned; - reads it from standard input.")
    ],
    category: options.Category = None,
    type: options.Kind = None,
    tag: options.Tags = None,
    entity: options.Entities = None,
    context: options.Context = None,
    summary: Annotated[str | None, typer.Option(help="One line; default: the first sentence.")] = None,
    source: options.Source = None,
    persona: options.Persona = None,
    session: Annotated[str | None, typer.Option(help="The conversation that it belongs to.")] = None,
    position: Annotated[int | None, typer.Option(help="Its place in the conversation, from 0.")] = None,
    said_at: options.SaidAt = None,
    expires: options.Expires = None,
    on_duplicate: options.OnDuplicate = None,
) -> CommandOutput:
    """Store a memory."""
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.answers import stored_json
    from memory_layer.edge.shapes.requests import NewMemory, given_fields
    from memory_layer.ports.commit import IdempotencyRecord
    from memory_layer.usecases.write.prepare import RememberRequest
    from memory_layer.usecases.write.remember import remember

    body = validated(
        NewMemory,
        {
            **{
                "content": _text(content),
                "category": category,
                "type": type,
                "tags": tag,
                "entities": entity,
            },
            **{"context": context, "summary": summary, "source": source, "persona": persona},
            **{"session_id": session, "position": position, "on_duplicate": on_duplicate},
            **{"expires_at": _expiry(call, expires)},
            **{"said_at": options.time_ago(said_at, call.ports.clock.now(), "/said_at")},
        },
    )
    offer_model(call)
    asked = RememberRequest(
        fields={**given_fields(body, "on_duplicate"), **_without_expiry(expires)},
        on_duplicate=body.on_duplicate,
        is_said_now=True,
    )
    stored = remember(call.ports, call.principal, call.project, asked)
    if isinstance(stored, IdempotencyRecord):
        raise TypeError("a command has no idempotency key")
    return CommandOutput(stored_json(stored), memory_text.stored_text)


def _text(content: str) -> str:
    return sys.stdin.read().strip() if content == STDIN else content


def _expiry(call: Invocation, expires_text: str | None) -> str | None:
    return None if expires_text == options.NEVER else options.time_ahead(expires_text, call.ports.clock.now())


def _without_expiry(expires_text: str | None) -> dict[str, None]:
    """Empty expiry for `never`, said outright: an omitted one has the default of its type."""
    return {"expires_at": None} if expires_text == options.NEVER else {}


@command(app, "list", served="reads")
@with_filters
def list_page(
    call: Invocation,
    status: Annotated[list[str] | None, typer.Option(help="Any of these; default: active.")] = None,
    standing: options.OnlyStanding = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="What mem edit --pin keeps.")] = False,
    inactive: Annotated[bool, typer.Option("--inactive", help="All that is not active.")] = False,
    as_of: options.AsOf = None,
    limit: options.PageLimit = None,
    cursor: options.PageCursor = None,
    filters: options.FilterValues = None,
) -> CommandOutput:
    """List memories, newest first."""
    from memory_layer.cli.commands.record_page import record_page
    from memory_layer.edge.shapes.filter_requests import Listing

    listing = validated(
        Listing,
        {
            **(filters or {}),
            **{"status": status, "limit": limit, "cursor": cursor, "active": False if inactive else None},
            **{"as_of": options.time_ago(as_of, call.ports.clock.now())},
            **{"pinned": pinned or None, "standing": standing},
        },
    )
    return CommandOutput(record_page(call, listing), memory_text.page)


@command(app, served="reads")
def get(
    call: Invocation,
    id: options.MemoryId,
    as_of: options.AsOf = None,
    shown: Annotated[bool, typer.Option("--shown", help="Count how often it was shown lately.")] = False,
) -> CommandOutput:
    """Read one memory, every field of it."""
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.edge.shapes.requests import Moment
    from memory_layer.usecases.ground.read_memory import times_shown
    from memory_layer.usecases.recall.as_of import memory_at

    moment = validated(Moment, {"as_of": options.time_ago(as_of, call.ports.clock.now())}).as_of
    memory = memory_at(call.ports, call.principal, call.project, id, moment)
    count = {"shown": times_shown(call.ports, memory)} if shown else {}
    return CommandOutput({**memory_to_json(memory), **count}, memory_text.record)


@command(app, served="writes")
def edit(
    call: Invocation,
    id: options.MemoryId,
    content: Annotated[str | None, typer.Option(help="What it shall say; - reads standard input.")] = None,
    category: options.Category = None,
    type: options.Kind = None,
    tag: options.Tags = None,
    entity: options.Entities = None,
    context: options.Context = None,
    summary: Annotated[str | None, typer.Option(help="One line.")] = None,
    persona: options.Persona = None,
    expires: options.Expires = None,
    active: Annotated[
        bool | None, typer.Option("--active/--inactive", help="Into recall or out of it.")
    ] = None,
    pinned: Annotated[
        bool | None,
        typer.Option("--pin/--unpin", help="No sweep moves it to another tier, no prune takes it."),
    ] = None,
    clear: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD", help="Take away what it says there, such as summary; repeat for more."),
    ] = None,
    if_version: options.IfVersion = None,
) -> CommandOutput:
    """Change what a memory says.

    Tags and entities that are given replace those it had.
    """
    from memory_layer.edge.shapes.answers import revised_json
    from memory_layer.edge.shapes.requests import Revision, given_fields
    from memory_layer.errors import Invalid
    from memory_layer.usecases.write.revise import revise

    given = {
        **{"content": content and _text(content), "category": category, "type": type, "tags": tag},
        **{"entities": entity, "context": context, "summary": summary, "persona": persona},
        **{"active": active, "pinned": pinned, "expires_at": _expiry(call, expires)},
    }
    changes = {
        **given_fields(validated(Revision, given)),
        **_without_expiry(expires),
        **_empty_values(clear or []),
    }
    if not changes:
        raise Invalid(f"say what to change in {id}, such as --content, --tag or --pin: mem edit --help")
    revised = revise(call.ports, call.principal, call.project, id, changes, expected=if_version)
    return CommandOutput(revised_json(revised), memory_text.stored_text)


def _empty_values(names: list[str]) -> dict[str, Any]:
    """Fields with their empty values, for the names to clear.

    Raises:
        Invalid: there is no such field, or none that may be empty.
    """
    from memory_layer.domain.fields import record_fields
    from memory_layer.domain.remedies import give
    from memory_layer.errors import Invalid
    from memory_layer.usecases.write.draft import CALLER_SET_FIELDS

    empty: dict[str, Any] = {"labels": (), "relations": (), "document": {}}
    clearable = {
        field.name: empty.get(field.kind)
        for field in record_fields()
        if field.name in CALLER_SET_FIELDS and (field.is_nullable or field.kind in empty)
    }
    unknown = [name for name in names if name not in clearable]
    if unknown:
        raise Invalid.at("/clear", f"{unknown[0]!r} cannot be cleared", give("/clear", *clearable))
    return {name: clearable[name] for name in names}


@command(app, served="writes")
def forget(
    call: Invocation,
    id: options.MemoryId,
    hard: Annotated[bool, typer.Option("--hard", help="Erase it for good, with its history.")] = False,
    reason: options.Reason = None,
    if_version: options.IfVersion = None,
) -> CommandOutput:
    """Archive a memory: out of recall, kept with its history."""
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.usecases.write.forget import archive_memory, erase_memory

    if hard:
        erase_memory(call.ports, call.principal, call.project, id, expected=if_version)
        return CommandOutput(None, lambda _: f"{id} is erased")
    memory = archive_memory(call.ports, call.principal, call.project, id, expected=if_version, reason=reason)
    return CommandOutput(memory_to_json(memory), memory_text.status_text)


@command(app, served="writes")
def supersede(
    call: Invocation,
    id: options.MemoryId,
    content: Annotated[
        str | None, typer.Argument(metavar="CONTENT", help="What is true instead; - reads standard input.")
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="A memory that is there already, in place of CONTENT.")
    ] = None,
    category: options.Category = None,
    type: options.Kind = None,
    tag: options.Tags = None,
    entity: options.Entities = None,
    reason: options.Reason = None,
) -> CommandOutput:
    """Put a correction in the place of a memory."""
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.answers import stored_json
    from memory_layer.edge.shapes.requests import Supersession, given_fields
    from memory_layer.ports.commit import IdempotencyRecord
    from memory_layer.usecases.write.supersede import supersede_memory

    body = validated(
        Supersession,
        {
            **{"content": content and _text(content), "id": by, "category": category, "type": type},
            **{"tags": tag, "entities": entity, "reason": reason},
        },
    )
    offer_model(call)
    correction = given_fields(body, "reason")
    stored = supersede_memory(call.ports, call.principal, call.project, id, correction, reason=body.reason)
    if isinstance(stored, IdempotencyRecord):
        raise TypeError("a command has no idempotency key")
    return CommandOutput(stored_json(stored), memory_text.stored_text)


@command(app, served="reads")
def history(call: Invocation, id: options.MemoryId, as_of: options.AsOf = None) -> CommandOutput:
    """Show every version, through the correction chain. With --as-of, the one of that time alone."""
    from memory_layer.edge.shapes.answers import history_json
    from memory_layer.edge.shapes.requests import Moment
    from memory_layer.usecases.recall.as_of import history_at

    moment = validated(Moment, {"as_of": options.time_ago(as_of, call.ports.clock.now())}).as_of
    versions = history_at(call.ports, call.principal, call.project, id, moment)
    return CommandOutput(history_json(versions), memory_text.history)
