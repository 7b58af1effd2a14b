"""Commands for completed runs, and for the staged learnings from them."""

from functools import partial
from typing import Annotated, Any

import typer

from memory_layer.cli.printing import data_text as printing
from memory_layer.cli.printing.memory_text import record
from memory_layer.cli.terminal.invocation import (
    CommandOutput,
    Invocation,
    command,
    command_problem,
    validated,
)

app = typer.Typer()

Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=200)]
Cursor = Annotated[str | None, typer.Option(help="Where the last page ended.")]


@command(app)
def run(
    call: Invocation,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The report of a run, JSON; - reads standard input.")
    ],
    staged: Annotated[
        bool, typer.Option("--staged", help="Leave all that it taught pending, for people (mem staging).")
    ] = False,
) -> CommandOutput:
    """Learn from a run that has ended, once. Told again it is answered as before.

    The least that a report says to teach something:

    \b
    {"run_id": "r1", "objective": "make the tests pass", "status": "completed",
     "iterations": [{"number": 1, "status": "completed", "analysis": {"progress_made": true},
                     "learnings": ["run the migrations before the tests"]}]}

    All of it: /schemas/run-completed.json of mem serve.
    """
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.cli.terminal.files import read_text
    from memory_layer.edge.shapes.learning_bodies import run_json
    from memory_layer.edge.shapes.run_reports import read_run_report
    from memory_layer.errors import Invalid
    from memory_layer.usecases.learn.learn_from_run import learn_from_run

    try:
        report = read_run_report(read_text(file))
    except Invalid as error:
        error.add_note("what a report looks like: mem run --help")
        raise
    if report.project not in (None, call.project):
        raise Invalid.at(
            "/project", f"the run is of project {report.project}, not {call.project}; say -p {report.project}"
        )
    offer_model(call)
    mode: Any = "staged" if staged else "auto"
    learned = learn_from_run(call.ports, call.principal, call.project, report.run, mode)
    return CommandOutput(run_json(learned.record), printing.run_text)


@command(app, served="reads")
def runs(
    call: Invocation,
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", help="Show this one, all of it.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> CommandOutput:
    """List runs, newest first. What became of each when it was told; what was decided later: mem staging."""
    from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
    from memory_layer.edge.shapes.learning_bodies import run_json, runs_json
    from memory_layer.usecases.learn.read_runs import get_run, list_runs

    if run is not None:
        return CommandOutput(run_json(get_run(call.ports, call.principal, call.project, run)), record)
    bound_to = ["runs", call.project]
    after = decode_cursor(cursor, bound_to)
    page = list_runs(call.ports, call.principal, call.project, after=after, limit=limit)
    return CommandOutput(runs_json(page.runs, encode_cursor(page.next_key, bound_to)), printing.runs)


@command(app, served="reads")
def staging(
    call: Invocation,
    status: Annotated[
        list[str] | None, typer.Option(help="pending, validated, rejected, promoted; repeat; default: all.")
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> CommandOutput:
    """Show the learnings that wait, oldest first. And those that were decided on of late."""
    from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
    from memory_layer.edge.shapes.learning_bodies import staging_json
    from memory_layer.usecases.review.review_staging import list_staging

    statuses = _statuses(status or [])
    bound_to = ["staging", call.project, *statuses]
    after = decode_cursor(cursor, bound_to)
    listed = list_staging(call.ports, call.principal, call.project, statuses, after=after, limit=limit)
    next_cursor = encode_cursor(listed.page.next_key, bound_to)
    return CommandOutput(staging_json(listed, next_cursor), printing.staging)


def _statuses(asked: list[str]) -> tuple[Any, ...]:
    """Statuses asked for. Raises: Invalid: there is no such status."""
    from memory_layer.errors import Invalid
    from memory_layer.usecases.review.review_staging import EVERY_STATUS

    for status in asked:
        if status not in EVERY_STATUS:
            raise Invalid.at(
                "/status", f"there is no status {status!r}; there are: {', '.join(EVERY_STATUS)}"
            )
    return tuple(asked) or EVERY_STATUS


@command(app, served="writes")
def promote(
    call: Invocation,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Staged learnings; default: all that hold.")
    ] = None,
    clear: Annotated[
        bool, typer.Option("--clear", help="What was promoted does not stay in the staging area.")
    ] = False,
) -> CommandOutput:
    """Make memories of staged learnings. Pending ones are judged before."""
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.usecases.review.review_staging import clear_staging, promote_staging, validate_staging

    offer_model(call)
    if ids:
        results = [_promoted(call, line, id) for line, id in enumerate(ids, 1)]
        if clear:
            clear_staging(call.ports, call.principal, call.project, ["promoted"])
        is_refused = any("problem" in one for one in results)
        return CommandOutput({"results": results}, printing.staged_decision_lines, is_refused=is_refused)
    judged = validate_staging(call.ports, call.principal, call.project)
    done = promote_staging(call.ports, call.principal, call.project, judges_first=False, clears_after=clear)
    document = {"promoted": done.promoted, "merged": done.merged, "skipped": done.skipped}
    return CommandOutput(
        document, partial(printing.promotion_text, rejected=judged.rejected, is_cleared=clear)
    )


def _promoted(call: Invocation, line: int, id: str) -> dict[str, Any]:
    from memory_layer.errors import MemoryLayerError
    from memory_layer.usecases.review.review_staging import promote_one

    try:
        staged = promote_one(call.ports, call.principal, call.project, id)
    except MemoryLayerError as error:
        problem = command_problem(error)
        return {"line": line, "status": problem["status"], "id": id, "problem": problem}
    return {"line": line, "status": 200, "id": id, "memory_id": staged.memory_id}


def promote_staged(call: Invocation, id: str, version: int | None) -> CommandOutput:
    """Makes a memory of one learning: `mem approve` of a staged id."""
    from memory_layer.edge.shapes.learning_bodies import staged_json
    from memory_layer.usecases.review.review import refuse_version
    from memory_layer.usecases.review.review_staging import promote_one

    refuse_version(id, version)
    staged = promote_one(call.ports, call.principal, call.project, id)
    return CommandOutput(staged_json(staged), printing.promoted_learning)


def reject_staged(call: Invocation, id: str, reason: str | None, version: int | None) -> CommandOutput:
    """Keeps one learning from becoming a memory: `mem reject` of a staged id."""
    from memory_layer.edge.shapes.learning_bodies import staged_json
    from memory_layer.edge.shapes.requests import Reason
    from memory_layer.usecases.review.review import refuse_version
    from memory_layer.usecases.review.review_staging import reject_one

    refuse_version(id, version)
    body = validated(Reason, {"reason": reason})
    staged = reject_one(call.ports, call.principal, call.project, id, body.reason)
    return CommandOutput(staged_json(staged), printing.rejected_learning)
