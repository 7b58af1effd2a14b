"""Commands for projects: their list, merging, pruning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_layer.cli.printing import data_text as printing
from memory_layer.cli.printing.tables import new_table, with_next_cursor
from memory_layer.cli.terminal import options
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.options import DryRun
from memory_layer.cli.terminal.requests import given, validated
from memory_layer.wire.message import Asked

if TYPE_CHECKING:
    from memory_layer.cli.terminal.progress_bar import Gauge

app = typer.Typer()


@command(app, has_project=False, served="reads")
def projects(
    call: Invocation, limit: options.PageLimit = None, cursor: options.PageCursor = None
) -> CommandOutput:
    """List the projects of which you see a memory."""
    said = given(limit=limit, cursor=cursor)
    return CommandOutput(
        call.answer(Asked("list_projects", query=said), lambda here: _page(here, said)), _table
    )


def _page(here: FolderCall, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.http import cursors
    from memory_layer.edge.shapes.filter_requests import Page
    from memory_layer.edge.shapes.project_answers import projects_json
    from memory_layer.usecases.ground.projects import list_projects

    asked = validated(Page, said)
    after = cursors.text_key(asked.cursor, cursors.PROJECTS_QUERY)
    found, next_key = list_projects(here.ports, here.principal, after=after, limit=asked.limit)
    return projects_json(found, cursors.text_cursor(next_key, cursors.PROJECTS_QUERY))


def _table(document: Mapping[str, Any]) -> Any:
    if not document["projects"]:
        return "no projects"
    table = new_table("project", "memories", "active")
    for one in document["projects"]:
        table.add_row(one["project"], f"{one['total']:,}", f"{one['active']:,}")
    return with_next_cursor(table, document)


@command(app, "merge-project")
def merge_other(
    call: Invocation,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The project to read; it stays as it is.")],
    dry_run: DryRun = False,
) -> CommandOutput:
    """Bring another project's memories into this one. What is here already is known by id, then by content."""
    from memory_layer.cli.terminal.empty_project import tell_if_empty
    from memory_layer.cli.terminal.progress_bar import progress

    said = {"from": other, "dry_run": dry_run}
    with progress("Merging") as gauge:
        document = call.answer(
            Asked("merge_project", body=said), lambda here: _merged(here, said, gauge), gauge
        )
    if not document["records"]:
        tell_if_empty(call, other)
    return CommandOutput(document, printing.project_merge_text)


def _merged(here: FolderCall, said: Mapping[str, Any], gauge: Gauge) -> dict[str, Any]:
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.data_bodies import MergeRequest, merged_json
    from memory_layer.usecases.transfer.merge_projects import merge_project

    body = validated(MergeRequest, said)
    if not body.dry_run:
        offer_model(here)
    place = here.ports, here.principal, here.project, body.source
    return merged_json(merge_project(*place, is_dry_run=body.dry_run, tell=gauge), body.source)


@command(app)
def prune(
    call: Invocation,
    min_confidence: Annotated[float | None, typer.Option(help="Those below it, 0 to 1.")] = None,
    min_success_rate: Annotated[float | None, typer.Option(help="Those below it, 0 to 1.")] = None,
    older_than_days: Annotated[int | None, typer.Option(help="Those not changed for longer.")] = None,
    unused: Annotated[bool, typer.Option("--unused", help="Those no outcome was reported on.")] = False,
    any_of: Annotated[
        bool, typer.Option("--any", help="Those of which any of these holds; else all have to.")
    ] = False,
    include_approved: Annotated[bool, typer.Option("--include-approved", help="Also approved ones.")] = False,
    include_pinned: Annotated[bool, typer.Option("--include-pinned", help="Also pinned ones.")] = False,
    dry_run: DryRun = False,
) -> CommandOutput:
    """Archive memories for which all that is given holds. A snapshot taken before brings them back."""
    from memory_layer.cli.terminal.progress_bar import progress
    from memory_layer.errors import Invalid

    rule = given(
        min_confidence=min_confidence,
        min_success_rate=min_success_rate,
        older_than_days=older_than_days,
        unused=unused or None,
    )
    if not rule:
        raise Invalid.at(
            "", "say what to prune: --min-confidence, --min-success-rate, --older-than-days or --unused"
        )
    said = {
        **rule,
        "match": "any" if any_of else "all",
        "include_approved": include_approved,
        "include_pinned": include_pinned,
        "dry_run": dry_run,
    }
    with progress("Pruning") as gauge:
        document = call.answer(
            Asked("prune_project", body=said), lambda here: _pruned(here, said, gauge), gauge
        )
    return CommandOutput(document, printing.pruning_text)


def _pruned(here: FolderCall, said: Mapping[str, Any], gauge: Gauge) -> dict[str, Any]:
    from memory_layer.edge.shapes.data_bodies import PruneRequest, pruned_json
    from memory_layer.usecases.transfer.prune import prune as prune_project

    body = validated(PruneRequest, said)
    place = here.ports, here.principal, here.project, body.rule()
    return pruned_json(prune_project(*place, is_dry_run=body.dry_run, tell=gauge))
