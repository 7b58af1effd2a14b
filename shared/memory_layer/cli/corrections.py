"""Corrections: confirm, undo, restore a version, merge, see what went stale."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_layer.cli import printing
from memory_layer.cli.call import Call, Output, command, validated
from memory_layer.cli.options import IfVersion, MemoryId, Reason

app = typer.Typer()


@command(app)
def confirm(call: Call, id: MemoryId, reason: Reason = None, if_version: IfVersion = None) -> Output:
    """Say that a stale memory still holds: it is recalled again."""
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.edge.schemas import Reason as ReasonBody
    from memory_layer.ports import Answer
    from memory_layer.usecases.confirm import confirm_memory

    body = validated(ReasonBody, {"reason": reason})
    memory = confirm_memory(
        call.ports, call.principal, call.project, id, reason=body.reason, expected=if_version
    )
    if isinstance(memory, Answer):
        raise TypeError("a command has no idempotency key")
    return Output(memory_to_json(memory), printing.changed)


@command(app)
def undo(call: Call, id: MemoryId, reason: Reason = None, if_version: IfVersion = None) -> Output:
    """Take back the last change of status or approval; a second undo does it again.

    What the memory says stays: restore-version brings back what it said.
    """
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.edge.schemas import Reason as ReasonBody
    from memory_layer.ports import Answer
    from memory_layer.usecases.undo import undo_last_change

    body = validated(ReasonBody, {"reason": reason})
    memory = undo_last_change(
        call.ports, call.principal, call.project, id, reason=body.reason, expected=if_version
    )
    if isinstance(memory, Answer):
        raise TypeError("a command has no idempotency key")
    return Output(memory_to_json(memory), printing.changed)


@command(app, "restore-version")
def restore_version(
    call: Call,
    id: MemoryId,
    version: Annotated[int, typer.Argument(metavar="VERSION", help="Its number; mem history shows them.")],
    reason: Reason = None,
    if_version: IfVersion = None,
) -> Output:
    """Let a memory say again what an earlier version said; out of use, it is back."""
    from memory_layer.cli.model import offer_model
    from memory_layer.edge.answers import revised_json
    from memory_layer.edge.schemas import Restoration
    from memory_layer.ports import Answer
    from memory_layer.usecases.restore_version import restore_version as restore

    body = validated(Restoration, {"version": version, "reason": reason})
    offer_model(call)
    revised = restore(
        call.ports, call.principal, call.project, id, body.version, reason=body.reason, expected=if_version
    )
    if isinstance(revised, Answer):
        raise TypeError("a command has no idempotency key")
    return Output(revised_json(revised), printing.stored)


@command(app)
def merge(
    call: Call,
    id: MemoryId,
    others: Annotated[list[str], typer.Argument(metavar="OTHER...", help="The memories to take in.")],
    reason: Reason = None,
    if_version: IfVersion = None,
) -> Output:
    """Unite memories that say the same: the others are superseded by the first."""
    from memory_layer.cli.model import offer_model
    from memory_layer.edge.answers import stored_json
    from memory_layer.edge.schemas import Merging
    from memory_layer.ports import Answer
    from memory_layer.usecases.merge_memories import merge_memories

    body = validated(Merging, {"ids": others, "reason": reason})
    offer_model(call)
    stored = merge_memories(
        call.ports, call.principal, call.project, id, body.ids, reason=body.reason, expected=if_version
    )
    if isinstance(stored, Answer):
        raise TypeError("a command has no idempotency key")
    return Output(stored_json(stored), printing.stored)


@command(app)
def stale(
    call: Call,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200)] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the last page ended.")] = None,
) -> Output:
    """Show what went stale: confirm it, correct it or forget it."""
    from memory_layer.edge.answers import stale_json
    from memory_layer.edge.cursors import decode_cursor, encode_cursor
    from memory_layer.usecases.stale import stale_memories

    bound_to = ["stale", call.project]
    after = decode_cursor(cursor, bound_to)
    page = stale_memories(call.ports, call.principal, call.project, after=after, limit=limit)
    document = {
        "stale": [stale_json(memory, since) for memory, since in page.items],
        "next_cursor": encode_cursor(page.next_key, bound_to),
    }
    return Output(document, printing.stale)
