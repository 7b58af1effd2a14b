"""Commands that read runs, their iterations, and what they have taught of a memory."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import typer

from memory_layer.cli.commands.runs import Cursor, Limit
from memory_layer.cli.printing import data_text as printing
from memory_layer.cli.printing.memory_text import record
from memory_layer.cli.terminal.empty_project import tell_if_empty
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.requests import given, validated
from memory_layer.wire.message import Asked

app = typer.Typer()

EXPORTED_AT_A_TIME = 200

RunWords = Annotated[
    str | None, typer.Option(help="Words that a run says in its objective or its iterations, all of them.")
]
RunEnd = Annotated[str | None, typer.Option(help="completed, failed or crashed.")]
RunKind = Annotated[str | None, typer.Option(help="The kind of its task: test-fix, feature ...")]


@command(app, served="reads")
def runs(
    call: Invocation,
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", help="Show this one, all of it.")] = None,
    history: Annotated[
        bool, typer.Option("--history", help="With all iterations of RUN, and what it was shown.")
    ] = False,
    query: RunWords = None,
    status: RunEnd = None,
    task_type: RunKind = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> CommandOutput:
    """List runs, newest first; all, or those with some words.

    What became of each when it was told; what was decided later: mem staging. As training data: mem trajectories.
    """
    if run is not None and history:
        asked = Asked("get_run_history", {"run_id": run})
        return CommandOutput(call.answer(asked, lambda here: _history(here, run)), record)
    if run is not None:
        return CommandOutput(
            call.answer(Asked("get_run", {"run_id": run}), lambda here: _run(here, run)), record
        )
    said = given(query=query, status=status, task_type=task_type)
    asked = Asked("list_runs", query={**said, "limit": limit, "cursor": cursor})
    document = call.answer(asked, lambda here: _runs(here, said, limit, cursor))
    if not document["runs"]:
        tell_if_empty(call)
    return CommandOutput(document, printing.runs)


@command(app, served="reads")
def trajectories(
    call: Invocation,
    shape: Annotated[
        str,
        typer.Option(
            help="trajectories (default), messages, or preferences: one that worked, one that failed."
        ),
    ] = "trajectories",
    query: RunWords = None,
    status: RunEnd = None,
    task_type: RunKind = None,
) -> CommandOutput:
    """Print runs as training data, newest first (reviewers).

    One JSON document a line, with the iterations, the verdict and the memories that were shown and cited, in
    the words that they had then; secrets are taken out. The schema of each shape: docs/guides/training-data.md.
    """
    from memory_layer.edge.shapes.run_queries import next_cursor_of

    said = given(query=query, status=status, task_type=task_type, shape=shape)
    lines: list[str] = []
    cursor: str | None = None
    while True:
        asked = Asked("export_runs", query={**said, "limit": EXPORTED_AT_A_TIME, "cursor": cursor})
        text = call.answer(asked, partial(_exported, said=said, cursor=cursor))
        page, cursor = next_cursor_of(text or "")
        lines += page.splitlines()
        if cursor is None:
            if not lines:
                tell_if_empty(call)
            return CommandOutput({"lines": lines}, printing.trajectory_lines)


def _exported(here: FolderCall, said: Mapping[str, Any], cursor: str | None) -> str:
    from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
    from memory_layer.edge.shapes.run_queries import RunsQuery, bound_to, export_lines
    from memory_layer.usecases.learn.export_runs import export_runs

    query = validated(RunsQuery, said)
    bound = bound_to(here.project, query.shape, query.asked)
    page = export_runs(
        *(here.ports, here.principal, here.project, query.shape),
        after=decode_cursor(cursor, bound),
        limit=EXPORTED_AT_A_TIME,
        asked=query.asked,
    )
    return export_lines(page.lines, encode_cursor(page.next_key, bound))


def _history(here: FolderCall, run_id: str) -> dict[str, Any]:
    from memory_layer.edge.shapes.learning_bodies import history_json
    from memory_layer.usecases.learn.read_runs import get_history

    return history_json(get_history(here.ports, here.principal, here.project, run_id))


def _run(here: FolderCall, run_id: str) -> dict[str, Any]:
    from memory_layer.edge.shapes.learning_bodies import run_json
    from memory_layer.usecases.learn.read_runs import get_run

    return run_json(get_run(here.ports, here.principal, here.project, run_id))


def _runs(here: FolderCall, said: Mapping[str, Any], limit: int, cursor: str | None) -> dict[str, Any]:
    from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
    from memory_layer.edge.shapes.learning_bodies import runs_json
    from memory_layer.edge.shapes.run_queries import RunsQuery
    from memory_layer.usecases.learn.read_runs import list_runs

    asked = validated(RunsQuery, said).asked
    bound_to = ["runs", here.project, *asked.bound]
    after = decode_cursor(cursor, bound_to)
    page = list_runs(here.ports, here.principal, here.project, after=after, limit=limit, asked=asked)
    return runs_json(page.runs, encode_cursor(page.next_key, bound_to))


@command(app, served="reads")
def estimate(
    call: Invocation,
    id: Annotated[str, typer.Argument(metavar="ID", help="A memory.")],
    task_type: RunKind = None,
) -> CommandOutput:
    """Show how well a memory serves you, and how sure that is.

    By the verdicts of runs that were shown it and cited nothing; lists go by it when they try things out.
    """
    asked = Asked("get_outcome_estimate", {"id": id}, query=given(task_type=task_type))
    return CommandOutput(call.answer(asked, lambda here: _estimated(here, id, task_type)), record)


def _estimated(here: FolderCall, id: str, task_type: str | None) -> dict[str, Any]:
    from memory_layer.edge.shapes.run_queries import RunsQuery
    from memory_layer.edge.shapes.use_answers import estimate_json
    from memory_layer.usecases.learn.estimate_outcome import estimate_outcome

    kind = validated(RunsQuery, given(task_type=task_type)).task_type
    return estimate_json(estimate_outcome(here.ports, here.principal, here.project, id, kind))
