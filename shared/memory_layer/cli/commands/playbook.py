"""Command that prints the playbook of a project, or what has changed in it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

import typer

from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.options import time_ago
from memory_layer.cli.terminal.requests import given
from memory_layer.wire.message import Asked

app = typer.Typer()


@command(app, served="reads")
def playbook(
    call: Invocation,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN", help="Only what has changed since: as_of of an earlier page, or 2h, 3d ago."
        ),
    ] = None,
) -> CommandOutput:
    """Print every learning in use as a bullet with a stable name, and how often each helped and harmed.

    Words stand before counts, and what changes stands behind what does not, so that a prompt's beginning stays.
    """
    moment = None if since is None else time_ago(since, call.now())
    said = given(since=None if moment is None else _text(moment))
    document = call.answer(Asked("get_playbook", query=said), lambda here: _composed(here, moment))
    return CommandOutput(document, _page)


def _text(moment: datetime) -> str:
    from memory_layer.domain.fields import rfc3339

    return rfc3339(moment)


def _composed(here: FolderCall, since: datetime | None) -> dict[str, Any]:
    from memory_layer.edge.shapes.playbook_answers import playbook_json
    from memory_layer.usecases.recall.compose_playbook import compose_playbook

    return playbook_json(compose_playbook(here.ports, here.principal, here.project, since=since))


def _page(document: Mapping[str, Any]) -> str:
    empty = "nothing was learned yet" if document["total"] == 0 else "nothing has changed"
    return str(document["markdown"]) or empty
