"""Commands for pairs of memories that contradict each other or say the same."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_layer.cli.printing import pair_text
from memory_layer.cli.terminal.empty_project import tell_if_empty
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.requests import done_now, given, validated
from memory_layer.wire.message import Asked

if TYPE_CHECKING:
    from datetime import datetime

    from memory_layer.domain.conflicts.pair import PairKind

app = typer.Typer()

Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=200)]
Cursor = Annotated[str | None, typer.Option(help="Where the last page ended.")]


@command(app, served="reads")
def conflicts(call: Invocation, limit: Limit = 50, cursor: Cursor = None) -> CommandOutput:
    """Show memories that contradict each other. They wait for somebody to decide."""
    return _pair_page(call, "conflict", limit, cursor)


@command(app, served="reads")
def duplicates(call: Invocation, limit: Limit = 50, cursor: Cursor = None) -> CommandOutput:
    """Show memories that say nearly the same."""
    return _pair_page(call, "duplicate", limit, cursor)


def _pair_page(call: Invocation, kind: PairKind, limit: int, cursor: str | None) -> CommandOutput:
    asked = Asked(f"list_{kind}s", query={"limit": limit, "cursor": cursor})
    document = call.answer(asked, lambda here: _pairs(here, kind, limit, cursor))
    is_empty = not document[f"{kind}s"]
    if is_empty:
        tell_if_empty(call)
    looked_at = _looked_at(call.folder) if call.folder is not None and is_empty else None
    return CommandOutput(
        document, partial(pair_text.pairs, looked_at=looked_at, is_here=call.folder is not None)
    )


def _pairs(here: FolderCall, kind: PairKind, limit: int, cursor: str | None) -> dict[str, Any]:
    from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
    from memory_layer.edge.shapes.pair_bodies import pairs_json
    from memory_layer.usecases.review.list_pairs import list_pairs

    bound_to = [kind, here.project]
    after = decode_cursor(cursor, bound_to)
    page = list_pairs(here.ports, here.principal, here.project, kind, after=after, limit=limit)
    return pairs_json(kind, page, encode_cursor(page.next_key, bound_to), here.ports.clock.now())


def _looked_at(here: FolderCall) -> datetime | None:
    """Time until which the folder was searched for pairs."""
    state = here.ports.store.sweeps.state("consolidate")
    return None if state is None else state.walked_until


@command(app, served="writes")
def resolve(
    call: Invocation,
    id: Annotated[str, typer.Argument(metavar="PAIR", help="As mem conflicts and mem duplicates show it.")],
    winner: Annotated[str | None, typer.Option(help="The memory that takes the other's place.")] = None,
    merge: Annotated[
        bool, typer.Option("--merge", help="Unite them; into --winner, if there is one.")
    ] = False,
    keep_both: Annotated[
        bool, typer.Option("--keep-both", help="Both hold: do not bring them up again.")
    ] = False,
    content: Annotated[
        str | None, typer.Option(help="With --merge: what is said from now on; a conflict needs it.")
    ] = None,
    note: Annotated[str | None, typer.Option(help="Why.")] = None,
) -> CommandOutput:
    """Decide on the two memories of a pair. One supersedes the other, they are merged, or both stay."""
    if merge and keep_both:
        raise typer.BadParameter("choose one of --merge and --keep-both")
    resolution = "merge" if merge else "kept_both" if keep_both else "superseded"
    said = given(resolution=resolution, winner=winner, content=content, note=note)
    asked = Asked("resolve_conflict", {"id": id}, body=said)
    return CommandOutput(
        call.answer(asked, lambda here: _resolved(here, id, said)), pair_text.resolution_text
    )


def _resolved(here: FolderCall, id: str, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.pair_bodies import Resolution, resolved_json
    from memory_layer.usecases.review.resolve_pair import PairResolution, resolve_pair

    decision = PairResolution(**validated(Resolution, said).model_dump())
    if decision.resolution == "merge":
        offer_model(here)
    return resolved_json(done_now(resolve_pair(here.ports, here.principal, here.project, id, decision)))
