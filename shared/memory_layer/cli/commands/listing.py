"""Command for lists of memories."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from memory_layer.cli.printing import memory_text
from memory_layer.cli.printing.tables import new_table, printable_cell, with_next_cursor
from memory_layer.cli.terminal import options
from memory_layer.cli.terminal.empty_project import tell_if_empty
from memory_layer.cli.terminal.filter_options import with_filters
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.requests import given, validated
from memory_layer.wire.message import Asked

app = typer.Typer()


@command(app, "list", served="reads")
@with_filters
def list_page(
    call: Invocation,
    status: Annotated[list[str] | None, typer.Option(help="Any of these; default: active.")] = None,
    standing: options.OnlyStanding = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="What mem edit --pin keeps.")] = False,
    inactive: Annotated[bool, typer.Option("--inactive", help="All that is not active.")] = False,
    as_of: options.AsOf = None,
    sort: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD",
            help="Order by a field, or by worth (what runs taught); -FIELD: the greatest first. Default: -created_at.",
        ),
    ] = None,
    from_end: Annotated[bool, typer.Option("--from-end", help="The last of that order first.")] = False,
    fields: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD,...", help="Only these fields, beside id and version; may be repeated."),
    ] = None,
    limit: options.PageLimit = None,
    cursor: options.PageCursor = None,
    filters: options.FilterValues = None,
) -> CommandOutput:
    """List memories, newest first or in another order."""
    said = given(
        **(filters or {}),
        status=status,
        standing=standing,
        pinned=pinned or None,
        active=False if inactive else None,
        as_of=options.time_ago(as_of, call.now()),
        sort=sort,
        from_end=from_end or None,
        fields=fields,
        limit=limit,
        cursor=cursor,
    )
    page = call.answer(Asked("list_memories", query=said), lambda here: _page(here, said))
    if not (page["memories"] or page.get("rows")):
        tell_if_empty(call)
    return CommandOutput(page, _rows if page.get("rows") else memory_text.page)


def _page(here: FolderCall, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.http.memory_page import memory_page
    from memory_layer.edge.shapes.filter_requests import Listing

    return memory_page(here.ports, here.principal, here.project, validated(Listing, said))


def _rows(document: Mapping[str, Any]) -> Any:
    names = list(dict.fromkeys(name for row in document["rows"] for name in row))
    table = new_table(*names)
    for row in document["rows"]:
        table.add_row(*(printable_cell(row.get(name, "")) for name in names))
    return with_next_cursor(table, document)
