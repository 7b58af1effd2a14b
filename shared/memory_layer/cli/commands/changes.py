"""Commands for changes: read or followed, and sent to receivers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from memory_layer.cli.printing import change_text
from memory_layer.cli.terminal.empty_project import tell_if_empty
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, as_json, command
from memory_layer.cli.terminal.requests import given, validated
from memory_layer.ports.counting import CodedAnswer
from memory_layer.wire.message import Asked

app = typer.Typer()
webhook_app = typer.Typer(help="Receivers to which changes are sent.", no_args_is_help=True)

LOOK_S = 0.5
LOOK_FAR_S = 2.0
"""Seconds between two looks, into a folder and at a service."""

Types = Annotated[
    list[str] | None,
    typer.Option("--type", help="Changes of this type, such as memory.approved; may be repeated."),
]


@command(app)
def events(
    call: Invocation,
    after: Annotated[int | None, typer.Option(min=0, help="Position behind which to begin.")] = None,
    type: Types = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on with what changes from now on, or behind --after.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200)] = 100,
) -> CommandOutput:
    """Show every change as a CloudEvent, the first one first."""
    if follow:
        _follow(call, _last_position(call) if after is None else after, type)
    page = _page(call, after or 0, type, limit)
    if not page["events"]:
        tell_if_empty(call)
    return CommandOutput(page, change_text.changes)


def _page(call: Invocation, after: int, types: list[str] | None, limit: int = 100) -> dict[str, Any]:
    said = {"after": after, "type": types, "limit": limit}
    page: dict[str, Any] = call.answer(
        Asked("list_events", query=said), lambda here: _changes(here, after, types, limit)
    )
    return page


def _changes(here: FolderCall, after: int, types: list[str] | None, limit: int) -> dict[str, Any]:
    from memory_layer.edge.shapes.change_answers import ChangeChoice, changes_json
    from memory_layer.usecases.world.list_changes import list_changes

    chosen = frozenset(validated(ChangeChoice, given(type=types)).type)
    place = here.ports, here.principal, here.project
    return changes_json(list_changes(*place, after=after, types=chosen, limit=limit))


def _last_position(call: Invocation) -> int:
    """Position of the newest change; a service tells it page by page."""
    if call.folder is not None:
        from memory_layer.usecases.world.list_changes import last_position

        return last_position(call.folder.ports, call.folder.principal, call.project)
    page = _page(call, 0, None, 200)
    while not page["is_last"]:
        page = _page(call, page["next_after"], None, 200)
    return int(page["next_after"])


def _follow(call: Invocation, after: int, types: list[str] | None) -> None:
    """Prints what changes, a line each, until it is interrupted."""
    import time

    try:
        while True:
            page = _page(call, after, types)
            for event in page["events"]:
                print(as_json(event) if call.is_json else change_text.line(event), flush=True)
            after = page["next_after"]
            if page["is_last"]:
                time.sleep(LOOK_S if call.service is None else LOOK_FAR_S)
    except KeyboardInterrupt:
        raise typer.Exit from None


@command(webhook_app, "add", served="writes")
def add(
    call: Invocation,
    receiver: Annotated[str, typer.Argument(metavar="ADDRESS", help="https, of a public address.")],
    type: Types = None,
    after: Annotated[
        int | None, typer.Option(min=0, help="Position behind which it is told; default: from now on.")
    ] = None,
) -> CommandOutput:
    """Have changes sent to a receiver while mem serve runs; its secret is shown this once."""
    said = given(url=receiver, types=type, after=after)
    document = call.answer(Asked("add_webhook", body=said), lambda here: _added(here, said))
    return CommandOutput(document, change_text.new_webhook)


def _added(here: FolderCall, said: Mapping[str, Any]) -> CodedAnswer:
    from memory_layer.edge.shapes.webhook_bodies import WebhookRequest, webhook_json
    from memory_layer.usecases.world.manage_webhooks import add_webhook

    body = validated(WebhookRequest, said)
    place = here.ports, here.principal, here.project
    return CodedAnswer(201, webhook_json(add_webhook(*place, body.url, body.types, after=body.after)))


@command(webhook_app, "list")
def listed(call: Invocation) -> CommandOutput:
    """Show the receivers, with how far they are told and what went wrong last."""
    return CommandOutput(call.answer(Asked("list_webhooks"), _listed), change_text.webhooks)


def _listed(here: FolderCall) -> dict[str, Any]:
    from memory_layer.edge.shapes.webhook_bodies import webhooks_json
    from memory_layer.usecases.world.manage_webhooks import list_webhooks

    return webhooks_json(list_webhooks(here.ports, here.principal, here.project))


@command(webhook_app, "remove")
def remove(call: Invocation, id: Annotated[str, typer.Argument(help="As the list has it.")]) -> CommandOutput:
    """Send a receiver nothing more."""
    call.answer(Asked("remove_webhook", {"id": id}), lambda here: _removed(here, id))
    return CommandOutput(None, lambda _: f"removed {id}")


def _removed(here: FolderCall, id: str) -> None:
    from memory_layer.usecases.world.manage_webhooks import remove_webhook

    remove_webhook(here.ports, here.principal, here.project, id)


@command(webhook_app, "test", served="writes")
def try_out(
    call: Invocation, id: Annotated[str, typer.Argument(help="As the list has it.")]
) -> CommandOutput:
    """Send a test event now; a receiver that takes it is taken up again, if it was paused."""
    document = call.answer(Asked("try_webhook", {"id": id}), lambda here: _tried(here, id))
    return CommandOutput(document, change_text.attempt, is_refused=document.get("error") is not None)


def _tried(here: FolderCall, id: str) -> dict[str, Any]:
    from memory_layer.edge.shapes.webhook_bodies import attempt_json
    from memory_layer.usecases.world.manage_webhooks import try_webhook

    return attempt_json(try_webhook(here.ports, here.principal, here.project, id))
