"""Commands for changes: read or followed, and sent to receivers."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memory_layer.cli.printing import change_text
from memory_layer.cli.terminal.invocation import CommandOutput, Invocation, as_json, command, validated

app = typer.Typer()
webhook_app = typer.Typer(help="Receivers to which changes are sent.", no_args_is_help=True)

LOOK_S = 0.5

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
    from memory_layer.edge.shapes.change_answers import ChangeChoice, changes_json
    from memory_layer.usecases.world.list_changes import last_position, list_changes

    chosen = frozenset(validated(ChangeChoice, {"type": type or []}).type)
    if follow:
        begin = last_position(call.ports, call.principal, call.project) if after is None else after
        _follow(call, begin, chosen)
    page = list_changes(call.ports, call.principal, call.project, after=after or 0, types=chosen, limit=limit)
    return CommandOutput(changes_json(page), change_text.changes)


def _follow(call: Invocation, after: int, types: Any) -> None:
    """Prints what changes, a line each, until it is interrupted."""
    import time

    from memory_layer.edge.shapes.change_answers import changes_json
    from memory_layer.usecases.world.list_changes import list_changes

    try:
        while True:
            page = list_changes(call.ports, call.principal, call.project, after=after, types=types)
            for event in changes_json(page)["events"]:
                print(as_json(event) if call.is_json else change_text.line(event), flush=True)
            after = page.next_after
            if page.is_last:
                time.sleep(LOOK_S)
    except KeyboardInterrupt:
        raise typer.Exit from None


@command(webhook_app, "add")
def add(
    call: Invocation,
    url: Annotated[str, typer.Argument(help="https, of a public address.")],
    type: Types = None,
    after: Annotated[
        int | None, typer.Option(min=0, help="Position behind which it is told; default: from now on.")
    ] = None,
) -> CommandOutput:
    """Have changes sent to a receiver while mem serve runs; its secret is shown this once."""
    from memory_layer.edge.shapes.webhook_bodies import WebhookRequest, webhook_json
    from memory_layer.usecases.world.manage_webhooks import add_webhook

    body = validated(WebhookRequest, {"url": url, "types": type or [], "after": after})
    made = add_webhook(call.ports, call.principal, call.project, body.url, body.types, after=body.after)
    return CommandOutput(webhook_json(made), change_text.new_webhook)


@command(webhook_app, "list")
def listed(call: Invocation) -> CommandOutput:
    """Show the receivers, with how far they are told and what went wrong last."""
    from memory_layer.edge.shapes.webhook_bodies import webhooks_json
    from memory_layer.usecases.world.manage_webhooks import list_webhooks

    found = list_webhooks(call.ports, call.principal, call.project)
    return CommandOutput(webhooks_json(found), change_text.webhooks)


@command(webhook_app, "remove")
def remove(call: Invocation, id: Annotated[str, typer.Argument(help="As the list has it.")]) -> CommandOutput:
    """Send a receiver nothing more."""
    from memory_layer.usecases.world.manage_webhooks import remove_webhook

    remove_webhook(call.ports, call.principal, call.project, id)
    return CommandOutput(None, lambda _: f"removed {id}")


@command(webhook_app, "test")
def try_out(
    call: Invocation, id: Annotated[str, typer.Argument(help="As the list has it.")]
) -> CommandOutput:
    """Send a test event now; a receiver that takes it is taken up again, if it was paused."""
    from memory_layer.edge.shapes.webhook_bodies import attempt_json
    from memory_layer.usecases.world.manage_webhooks import try_webhook

    attempt = try_webhook(call.ports, call.principal, call.project, id)
    is_refused = attempt.error is not None
    return CommandOutput(attempt_json(attempt), change_text.attempt, is_refused=is_refused)
