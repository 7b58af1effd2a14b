"""Commands for corrections: confirm, undo, restore a version, merge, list stale memories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_layer.cli.printing import memory_text
from memory_layer.cli.terminal.invocation import CommandOutput, Invocation, command, validated
from memory_layer.cli.terminal.options import IfVersion, MemoryId, Reason

if TYPE_CHECKING:
    from memory_layer.domain.memory import Memory

app = typer.Typer()


@command(app, served="writes")
def confirm(
    call: Invocation, id: MemoryId, reason: Reason = None, if_version: IfVersion = None
) -> CommandOutput:
    """Say that a stale memory still holds. It is recalled again."""
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.edge.shapes.requests import Reason as ReasonBody
    from memory_layer.ports.commit import IdempotencyRecord
    from memory_layer.usecases.review.confirm import confirm_memory

    body = validated(ReasonBody, {"reason": reason})
    memory = confirm_memory(
        call.ports, call.principal, call.project, id, reason=body.reason, expected=if_version
    )
    if isinstance(memory, IdempotencyRecord):
        raise TypeError("a command has no idempotency key")
    return CommandOutput(memory_to_json(memory), memory_text.status_text)


@command(app, served="writes")
def undo(
    call: Invocation, id: MemoryId, reason: Reason = None, if_version: IfVersion = None
) -> CommandOutput:
    """Take back the last change of status or approval. A second undo does it again.

    What the memory says stays: restore-version brings back what it said.
    """
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.edge.shapes.requests import Reason as ReasonBody
    from memory_layer.ports.commit import IdempotencyRecord
    from memory_layer.usecases.ground.queries import get_memory
    from memory_layer.usecases.write.undo import undo_last_change

    body = validated(ReasonBody, {"reason": reason})
    before = get_memory(call.ports, call.principal, call.project, id)
    with _unmerge_hint(before):
        memory = undo_last_change(
            call.ports, call.principal, call.project, id, reason=body.reason, expected=if_version
        )
    if isinstance(memory, IdempotencyRecord):
        raise TypeError("a command has no idempotency key")
    successor = before.superseded_by if memory.superseded_by is None else None
    return CommandOutput(memory_to_json(memory), partial(_undo_text, call, successor))


@contextmanager
def _unmerge_hint(memory: Memory) -> Iterator[None]:
    """Adds to a refusal how to take a merge back: it left the status of the surviving memory."""
    from memory_layer.domain.duplicates import merged_ids
    from memory_layer.errors import Conflict

    try:
        yield
    except Conflict as error:
        taken_in = merged_ids(memory)
        if taken_in:
            undos = "; ".join(f"mem undo {id}" for id in taken_in)
            error.add_note(
                f"to take back that it was merged: mem history {memory.id}, "
                f"then mem restore-version {memory.id} N; then {undos}"
            )
        raise


def _undo_text(call: Invocation, successor: str | None, document: Mapping[str, Any]) -> str:
    """Result of an undo, with the memory that stood in its place: an undo leaves that in use."""
    from memory_layer.domain.duplicates import merged_ids
    from memory_layer.domain.memory import as_of_now

    stays = (
        call.ports.store.memories.get(call.principal.scope(call.project), successor) if successor else None
    )
    if stays is None:
        return memory_text.status_text(document)
    stays = as_of_now(stays, call.ports.clock.now())
    return memory_text.undo_text(document, stays, took_in=document["id"] in merged_ids(stays))


@command(app, "restore-version", served="writes")
def restore_version(
    call: Invocation,
    id: MemoryId,
    version: Annotated[int, typer.Argument(metavar="VERSION", help="Its number; mem history shows them.")],
    reason: Reason = None,
    if_version: IfVersion = None,
) -> CommandOutput:
    """Let a memory say again what an earlier version said. One out of use is back in it."""
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.answers import revised_json
    from memory_layer.edge.shapes.requests import Restoration
    from memory_layer.ports.commit import IdempotencyRecord
    from memory_layer.usecases.write.restore_version import restore_version as restore

    body = validated(Restoration, {"version": version, "reason": reason})
    offer_model(call)
    revised = restore(
        call.ports, call.principal, call.project, id, body.version, reason=body.reason, expected=if_version
    )
    if isinstance(revised, IdempotencyRecord):
        raise TypeError("a command has no idempotency key")
    return CommandOutput(revised_json(revised), memory_text.stored_text)


@command(app, served="writes")
def merge(
    call: Invocation,
    id: MemoryId,
    others: Annotated[list[str], typer.Argument(metavar="OTHER...", help="The memories to take in.")],
    content: Annotated[str | None, typer.Option(help="What is said from now on.")] = None,
    reason: Reason = None,
    if_version: IfVersion = None,
) -> CommandOutput:
    """Unite memories that say the same. The first goes on, with all that they say; it supersedes the others.

    The output says which text stands, and how to take it back.
    """
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.answers import stored_json
    from memory_layer.edge.shapes.requests import Merging
    from memory_layer.ports.commit import IdempotencyRecord
    from memory_layer.usecases.write.merge_memories import merge_memories

    body = validated(Merging, {"ids": others, "content": content, "reason": reason})
    offer_model(call)
    how: dict[str, Any] = {"content": body.content, "reason": body.reason, "expected": if_version}
    stored = merge_memories(call.ports, call.principal, call.project, id, body.ids, **how)
    if isinstance(stored, IdempotencyRecord):
        raise TypeError("a command has no idempotency key")
    return CommandOutput(stored_json(stored), partial(memory_text.memory_merge_text, others=body.ids))


@command(app, served="reads")
def stale(
    call: Invocation,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200)] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the last page ended.")] = None,
) -> CommandOutput:
    """Show what went stale. Confirm it, correct it or forget it."""
    from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
    from memory_layer.edge.shapes.answers import stale_json
    from memory_layer.usecases.review.list_stale import stale_memories

    bound_to = ["stale", call.project]
    after = decode_cursor(cursor, bound_to)
    page = stale_memories(call.ports, call.principal, call.project, after=after, limit=limit)
    document = stale_json(page.items, encode_cursor(page.next_key, bound_to))
    return CommandOutput(document, memory_text.stale)
