"""Commands for memories: add, get, edit, forget, correct."""

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from memory_layer.cli.printing import memory_text
from memory_layer.cli.terminal import options
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.requests import done_now, given, if_match, validated
from memory_layer.ports.counting import CodedAnswer
from memory_layer.wire.message import Asked

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
    said = given(
        content=_text(content),
        category=category,
        type=type,
        tags=tag,
        entities=entity,
        context=context,
        summary=summary,
        source=source,
        persona=persona,
        session_id=session,
        position=position,
        on_duplicate=on_duplicate,
        said_at=options.time_ago(said_at, call.now(), "/said_at"),
    ) | _expiry(call, expires)
    document = call.answer(Asked("create_memory", body=said), lambda here: _added(here, said))
    return CommandOutput(document, memory_text.stored_text)


def _added(here: FolderCall, said: Mapping[str, Any]) -> CodedAnswer:
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.answers import stored_json, stored_status
    from memory_layer.edge.shapes.requests import NewMemory, given_fields
    from memory_layer.usecases.write.prepare import RememberRequest
    from memory_layer.usecases.write.remember import remember

    body = validated(NewMemory, said)
    offer_model(here)
    fields = given_fields(body, "on_duplicate")
    asked = RememberRequest(fields=fields, on_duplicate=body.on_duplicate, is_said_now=True)
    stored = done_now(remember(here.ports, here.principal, here.project, asked))
    return CodedAnswer(stored_status(stored), stored_json(stored))


def _text(content: str) -> str:
    return sys.stdin.read().strip() if content == STDIN else content


def _expiry(call: Invocation, expires_text: str | None) -> dict[str, str | None]:
    """Expiry as a request has it: null for `never`, since an omitted one has the default of its type."""
    if expires_text is None:
        return {}
    never = expires_text == options.NEVER
    return {"expires_at": None if never else options.time_ahead(expires_text, call.now())}


@command(app, served="reads")
def get(
    call: Invocation,
    id: options.MemoryId,
    as_of: options.AsOf = None,
    shown: Annotated[bool, typer.Option("--shown", help="Count how often it was shown lately.")] = False,
) -> CommandOutput:
    """Read one memory, every field of it."""
    moment = given(as_of=options.time_ago(as_of, call.now()))
    asked = Asked("get_memory", {"id": id}, {**moment, "shown": shown or None})
    document = call.answer(asked, lambda here: _read(here, id, moment, shown))
    return CommandOutput(document, memory_text.record)


def _read(here: FolderCall, id: str, moment: Mapping[str, Any], shown: bool) -> dict[str, Any]:
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.edge.shapes.requests import Moment
    from memory_layer.usecases.ground.read_memory import times_shown
    from memory_layer.usecases.recall.as_of import memory_at

    as_of = validated(Moment, moment).as_of
    memory = memory_at(here.ports, here.principal, here.project, id, as_of)
    count = {"shown": times_shown(here.ports, memory)} if shown else {}
    return {**memory_to_json(memory), **count}


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
    from memory_layer.errors import Invalid

    changes = (
        given(
            content=content and _text(content),
            category=category,
            type=type,
            tags=tag,
            entities=entity,
            context=context,
            summary=summary,
            persona=persona,
            active=active,
            pinned=pinned,
        )
        | _expiry(call, expires)
        | _empty_values(clear or [])
    )
    if not changes:
        raise Invalid(f"say what to change in {id}, such as --content, --tag or --pin: mem edit --help")
    asked = Asked("update_memory", {"id": id}, headers=if_match(if_version), body=changes)
    document = call.answer(asked, lambda here: _revised(here, id, changes, if_version))
    return CommandOutput(document, memory_text.stored_text)


def _revised(here: FolderCall, id: str, changes: Mapping[str, Any], expected: int | None) -> CodedAnswer:
    from memory_layer.edge.shapes.answers import changed_status, revised_json
    from memory_layer.edge.shapes.requests import Revision, given_fields
    from memory_layer.usecases.write.revise import revise

    body = given_fields(validated(Revision, changes))
    revised = revise(here.ports, here.principal, here.project, id, body, expected=expected)
    return CodedAnswer(changed_status(revised), revised_json(revised))


def _empty_values(names: list[str]) -> dict[str, Any]:
    """Fields with their empty values, for the names to clear.

    Raises:
        Invalid: there is no such field, or none that may be empty.
    """
    if not names:
        return {}
    from memory_layer.domain.fields import record_fields
    from memory_layer.domain.remedies import give
    from memory_layer.errors import Invalid
    from memory_layer.usecases.write.draft import CALLER_SET_FIELDS

    empty: dict[str, Any] = {"labels": [], "relations": [], "document": {}}
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
    asked = Asked("delete_memory", {"id": id}, {"hard": hard or None, "reason": reason}, if_match(if_version))
    document = call.answer(asked, lambda here: _deleted(here, id, hard, reason, if_version))
    return CommandOutput(document, (lambda _: f"{id} is erased") if hard else memory_text.status_text)


def _deleted(
    here: FolderCall, id: str, is_hard: bool, reason: str | None, expected: int | None
) -> dict[str, Any] | None:
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.usecases.write.forget import archive_memory, erase_memory

    place = here.ports, here.principal, here.project, id
    if is_hard:
        erase_memory(*place, expected=expected)
        return None
    return memory_to_json(archive_memory(*place, expected=expected, reason=reason))


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
    said = given(
        content=content and _text(content),
        id=by,
        category=category,
        type=type,
        tags=tag,
        entities=entity,
        reason=reason,
    )
    asked = Asked("supersede_memory", {"id": id}, body=said)
    document = call.answer(asked, lambda here: _superseded(here, id, said))
    return CommandOutput(document, memory_text.stored_text)


def _superseded(here: FolderCall, id: str, said: Mapping[str, Any]) -> CodedAnswer:
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.answers import stored_json, stored_status
    from memory_layer.edge.shapes.requests import Supersession, given_fields
    from memory_layer.usecases.write.supersede import supersede_memory

    body = validated(Supersession, said)
    offer_model(here)
    place = here.ports, here.principal, here.project, id
    made = done_now(supersede_memory(*place, given_fields(body, "reason"), reason=body.reason))
    return CodedAnswer(stored_status(made), stored_json(made))
