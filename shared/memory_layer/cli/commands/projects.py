"""Command for projects: their list."""

from collections.abc import Mapping
from typing import Any

import typer

from memory_layer.cli.printing.tables import new_table, with_next_cursor
from memory_layer.cli.terminal import options
from memory_layer.cli.terminal.invocation import CommandOutput, Invocation, command

app = typer.Typer()


@command(app, has_project=False, served="reads")
def projects(
    call: Invocation, limit: options.PageLimit = None, cursor: options.PageCursor = None
) -> CommandOutput:
    """List the projects of this data folder."""
    from memory_layer.cli.terminal.invocation import validated
    from memory_layer.edge.http import cursors
    from memory_layer.edge.shapes.filter_requests import Page
    from memory_layer.edge.shapes.project_answers import projects_json
    from memory_layer.usecases.ground.projects import list_projects

    asked = validated(Page, {"limit": limit, "cursor": cursor})
    after = cursors.text_key(asked.cursor, cursors.PROJECTS_QUERY)
    found, next_key = list_projects(call.ports, call.principal, after=after, limit=asked.limit)
    document = projects_json(found, cursors.text_cursor(next_key, cursors.PROJECTS_QUERY))
    return CommandOutput(document, _table)


def _table(document: Mapping[str, Any]) -> Any:
    if not document["projects"]:
        return "no projects"
    table = new_table("project", "memories", "active")
    for one in document["projects"]:
        table.add_row(one["project"], f"{one['total']:,}", f"{one['active']:,}")
    return with_next_cursor(table, document)
