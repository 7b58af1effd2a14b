"""Commands for a whole project's data: merge, prune."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_layer.cli.printing import data_text as printing
from memory_layer.cli.terminal.invocation import CommandOutput, Invocation, command, validated

app = typer.Typer()

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would happen, and write nothing.")]


@command(app, "merge-project")
def merge_other(
    call: Invocation,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The project to read; it stays as it is.")],
    dry_run: DryRun = False,
) -> CommandOutput:
    """Bring another project's memories into this one. What is here already is known by id, then by content."""
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.cli.terminal.empty_project import tell_if_empty
    from memory_layer.cli.terminal.progress_bar import progress
    from memory_layer.edge.shapes.data_bodies import MergeRequest, merged_json
    from memory_layer.usecases.transfer.merge_projects import merge_project

    body = validated(MergeRequest, {"from": other, "dry_run": dry_run})
    tell_if_empty(call, other)
    if not dry_run:
        offer_model(call)
    with progress("Merging") as gauge:
        merged = merge_project(
            *(call.ports, call.principal, call.project, body.source), is_dry_run=dry_run, tell=gauge
        )
    return CommandOutput(merged_json(merged, body.source), printing.project_merge_text)


@command(app)
def prune(
    call: Invocation,
    min_confidence: Annotated[float | None, typer.Option(help="Those below it, 0 to 1.")] = None,
    min_success_rate: Annotated[float | None, typer.Option(help="Those below it, 0 to 1.")] = None,
    older_than_days: Annotated[int | None, typer.Option(help="Those not changed for longer.")] = None,
    unused: Annotated[bool, typer.Option("--unused", help="Those no outcome was reported on.")] = False,
    include_approved: Annotated[bool, typer.Option("--include-approved", help="Also approved ones.")] = False,
    include_pinned: Annotated[bool, typer.Option("--include-pinned", help="Also pinned ones.")] = False,
    dry_run: DryRun = False,
) -> CommandOutput:
    """Archive memories of which all that is given holds. A snapshot taken before brings them back."""
    from memory_layer.cli.terminal.progress_bar import progress
    from memory_layer.edge.shapes.data_bodies import PruneRequest, pruned_json
    from memory_layer.errors import Invalid
    from memory_layer.usecases.transfer.prune import prune as prune_project

    body = validated(
        PruneRequest,
        {
            **{"min_confidence": min_confidence, "min_success_rate": min_success_rate, "unused": unused},
            **{"older_than_days": older_than_days, "include_approved": include_approved},
            **{"include_pinned": include_pinned, "dry_run": dry_run},
        },
    )
    if body.rule().asks_nothing:
        raise Invalid.at(
            "", "say what to prune: --min-confidence, --min-success-rate, --older-than-days or --unused"
        )
    with progress("Pruning") as gauge:
        pruned = prune_project(
            *(call.ports, call.principal, call.project, body.rule()), is_dry_run=dry_run, tell=gauge
        )
    return CommandOutput(pruned_json(pruned), printing.pruning_text)
