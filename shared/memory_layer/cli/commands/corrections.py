"""Commands for corrections: confirm, undo, the history, restore a version, merge, list stale memories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any

import typer

from memory_layer.cli.printing import memory_text
from memory_layer.cli.terminal.empty_project import tell_if_empty
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.options import AsOf, BackTo, IfVersion, MemoryId, Reason, time_ago
from memory_layer.cli.terminal.refusal_text import is_refused_as, refusals
from memory_layer.cli.terminal.requests import done_now, given, if_match, validated
from memory_layer.ports.counting import CodedAnswer
from memory_layer.wire.message import Asked

app = typer.Typer()


@command(app, served="writes")
def confirm(
    call: Invocation, id: MemoryId, reason: Reason = None, if_version: IfVersion = None
) -> CommandOutput:
    """Say that a stale memory still holds. It is recalled again."""
    said = given(reason=reason)
    asked = Asked("confirm_memory", {"id": id}, headers=if_match(if_version), body=said)
    document = call.answer(asked, lambda here: _confirmed(here, id, said, if_version))
    return CommandOutput(document, memory_text.status_text)


def _confirmed(here: FolderCall, id: str, said: Mapping[str, Any], expected: int | None) -> dict[str, Any]:
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.edge.shapes.requests import Reason as ReasonBody
    from memory_layer.usecases.review.confirm import confirm_memory

    reason, place = validated(ReasonBody, said).reason, (here.ports, here.principal, here.project, id)
    return memory_to_json(done_now(confirm_memory(*place, reason=reason, expected=expected)))


@command(app, served="writes")
def undo(
    call: Invocation,
    id: MemoryId,
    reason: Reason = None,
    if_version: IfVersion = None,
    back_to: BackTo = None,
) -> CommandOutput:
    """Take back the last change of status or approval. A second undo does it again.

    What the memory says stays: restore-version brings back what it said.
    """
    said = given(reason=reason, back_to=back_to)
    before = _record(call, id)
    asked = Asked("undo_last_change", {"id": id}, headers=if_match(if_version), body=said)
    with _unmerge_hint(before):
        document = call.answer(asked, lambda here: _undone(here, id, said, if_version))
    successor = before["superseded_by"] if document["superseded_by"] is None else None
    return CommandOutput(document, partial(_undo_text, call, successor))


def _record(call: Invocation, id: str) -> dict[str, Any]:
    document: dict[str, Any] = call.answer(Asked("get_memory", {"id": id}), lambda here: _read(here, id))
    return document


def _read(here: FolderCall, id: str) -> dict[str, Any]:
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.usecases.ground.queries import get_memory

    return memory_to_json(get_memory(here.ports, here.principal, here.project, id))


def _undone(here: FolderCall, id: str, said: Mapping[str, Any], expected: int | None) -> dict[str, Any]:
    from memory_layer.domain.fields import memory_to_json
    from memory_layer.edge.shapes.requests import Undoing
    from memory_layer.usecases.write.undo import undo_last_change

    body, place = validated(Undoing, said), (here.ports, here.principal, here.project, id)
    how: dict[str, Any] = {"back_to": body.back_to, "reason": body.reason, "expected": expected}
    return memory_to_json(done_now(undo_last_change(*place, **how)))


@contextmanager
def _unmerge_hint(before: Mapping[str, Any]) -> Iterator[None]:
    """Adds to a refusal how to take a merge back: it left the status of the surviving memory."""
    from memory_layer.errors import Conflict

    try:
        yield
    except refusals() as error:
        taken_in = _merged_ids(before)
        if taken_in and is_refused_as(error, Conflict, "conflict"):
            undos = "; ".join(f"mem undo {id}" for id in taken_in)
            error.add_note(
                f"to take back that it was merged: mem history {before['id']}, "
                f"then mem restore-version {before['id']} N; then {undos}"
            )
        raise


def _merged_ids(document: Mapping[str, Any]) -> list[str]:
    from memory_layer.domain.duplicates import merged_ids
    from memory_layer.domain.fields import memory_from_json

    return merged_ids(memory_from_json(document))


def _undo_text(call: Invocation, successor: str | None, document: Mapping[str, Any]) -> str:
    """Result of an undo, with the memory that stood in its place: an undo leaves that in use."""
    from memory_layer.errors import NotFound

    try:
        stays = None if successor is None else _record(call, successor)
    except refusals() as error:
        if not is_refused_as(error, NotFound, "not_found"):
            raise
        stays = None
    if stays is None:
        return memory_text.status_text(document)
    return memory_text.undo_text(document, stays, took_in=document["id"] in _merged_ids(stays))


@command(app, served="reads")
def history(call: Invocation, id: MemoryId, as_of: AsOf = None) -> CommandOutput:
    """Show every version, through the correction chain. With --as-of, the one of that time alone."""
    moment = given(as_of=time_ago(as_of, call.now()))
    asked = Asked("get_memory_history", {"id": id}, moment)
    return CommandOutput(call.answer(asked, lambda here: _versions(here, id, moment)), memory_text.history)


def _versions(here: FolderCall, id: str, moment: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.shapes.answers import history_json
    from memory_layer.edge.shapes.requests import Moment
    from memory_layer.usecases.recall.as_of import history_at

    as_of = validated(Moment, moment).as_of
    return history_json(history_at(here.ports, here.principal, here.project, id, as_of))


@command(app, "restore-version", served="writes")
def restore_version(
    call: Invocation,
    id: MemoryId,
    version: Annotated[int, typer.Argument(metavar="VERSION", help="Its number; mem history shows them.")],
    reason: Reason = None,
    if_version: IfVersion = None,
) -> CommandOutput:
    """Let a memory say again what an earlier version said. One out of use is back in it."""
    said = given(version=version, reason=reason)
    asked = Asked("restore_version", {"id": id}, headers=if_match(if_version), body=said)
    document = call.answer(asked, lambda here: _restored(here, id, said, if_version))
    return CommandOutput(document, memory_text.stored_text)


def _restored(here: FolderCall, id: str, said: Mapping[str, Any], expected: int | None) -> dict[str, Any]:
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.answers import revised_json
    from memory_layer.edge.shapes.requests import Restoration
    from memory_layer.usecases.write.restore_version import restore_version as restore

    body, place = validated(Restoration, said), (here.ports, here.principal, here.project, id)
    offer_model(here)
    return revised_json(done_now(restore(*place, body.version, reason=body.reason, expected=expected)))


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
    said = given(ids=others, content=content, reason=reason)
    asked = Asked("merge_memories", {"id": id}, headers=if_match(if_version), body=said)
    document = call.answer(asked, lambda here: _merged(here, id, said, if_version))
    return CommandOutput(document, partial(memory_text.memory_merge_text, others=others))


def _merged(here: FolderCall, id: str, said: Mapping[str, Any], expected: int | None) -> CodedAnswer:
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.answers import changed_status, stored_json
    from memory_layer.edge.shapes.requests import Merging
    from memory_layer.usecases.write.merge_memories import merge_memories

    body, place = validated(Merging, said), (here.ports, here.principal, here.project, id)
    offer_model(here)
    how: dict[str, Any] = {"content": body.content, "reason": body.reason, "expected": expected}
    made = done_now(merge_memories(*place, body.ids, **how))
    return CodedAnswer(changed_status(made), stored_json(made))


@command(app, served="reads")
def stale(
    call: Invocation,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200)] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the last page ended.")] = None,
) -> CommandOutput:
    """Show what went stale. Confirm it, correct it or forget it."""
    asked = Asked("list_stale", query={"limit": limit, "cursor": cursor})
    document = call.answer(asked, lambda here: _stale(here, limit, cursor))
    if not document["stale"]:
        tell_if_empty(call)
    return CommandOutput(document, memory_text.stale)


def _stale(here: FolderCall, limit: int, cursor: str | None) -> dict[str, Any]:
    from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
    from memory_layer.edge.shapes.answers import stale_json
    from memory_layer.usecases.review.list_stale import stale_memories

    bound_to = ["stale", here.project]
    after = decode_cursor(cursor, bound_to)
    page = stale_memories(here.ports, here.principal, here.project, after=after, limit=limit)
    return stale_json(page.items, encode_cursor(page.next_key, bound_to))
