"""Commands for completed runs, and for the staged learnings from them."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import typer

from memory_layer.cli.printing import data_text as printing
from memory_layer.cli.terminal.empty_project import tell_if_empty
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.refusal_text import command_problem, refusals
from memory_layer.cli.terminal.requests import given, validated
from memory_layer.wire.message import Asked

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
    from memory_layer.cli.terminal.files import read_text

    text, mode = read_text(file), "staged" if staged else None
    asked = Asked("learn_from_run", query={"mode": mode}, body=text)
    try:
        document = call.answer(asked, lambda here: _learned(here, text, mode))
    except refusals() as error:
        if getattr(error, "code", None) in ("invalid", "malformed"):
            error.add_note(REPORT_HELP)
        raise
    return CommandOutput(document, printing.run_text)


REPORT_HELP = "what a report looks like: mem run --help"


def _learned(here: FolderCall, text: str, mode: Any) -> dict[str, Any]:
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.learning_bodies import reported_run_json
    from memory_layer.edge.shapes.run_reports import read_run_report
    from memory_layer.errors import Invalid
    from memory_layer.usecases.learn.learn_from_run import learn_from_run

    try:
        report = read_run_report(text)
    except Invalid as error:
        error.add_note(REPORT_HELP)
        raise
    if report.project not in (None, here.project):
        raise Invalid.at(
            "/project", f"the run is of project {report.project}, not {here.project}; say -p {report.project}"
        )
    offer_model(here)
    learned = learn_from_run(here.ports, here.principal, here.project, report.run, mode or "auto")
    return reported_run_json(learned)


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
    asked = Asked("list_staging", query={"status": status, "limit": limit, "cursor": cursor})
    document = call.answer(asked, lambda here: _staging(here, status or [], limit, cursor))
    if not document["staged"]:
        tell_if_empty(call)
    return CommandOutput(document, printing.staging)


def _staging(here: FolderCall, status: list[str], limit: int, cursor: str | None) -> dict[str, Any]:
    from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
    from memory_layer.edge.shapes.learning_bodies import staging_json
    from memory_layer.usecases.review.review_staging import list_staging

    statuses = _statuses(status)
    bound_to = ["staging", here.project, *statuses]
    after = decode_cursor(cursor, bound_to)
    listed = list_staging(here.ports, here.principal, here.project, statuses, after=after, limit=limit)
    return staging_json(listed, encode_cursor(listed.page.next_key, bound_to))


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
    if ids:
        results = [_promoted(call, line, id) for line, id in enumerate(ids, 1)]
        if clear:
            call.answer(Asked("clear_staging", query={"status": "promoted"}), _clear)
        is_refused = any("problem" in one for one in results)
        return CommandOutput({"results": results}, printing.staged_decision_lines, is_refused=is_refused)
    judged = call.answer(Asked("validate_staging", body={}), _judge)
    asked = Asked("promote_staging", body={"auto_validate": False, "clear_after": clear})
    document = call.answer(asked, lambda here: _promote_all(here, clear))
    if not any((judged["rejected"], *(document[name] for name in ("promoted", "merged", "skipped")))):
        tell_if_empty(call)
    told = partial(printing.promotion_text, rejected=judged["rejected"], is_cleared=clear)
    return CommandOutput(document, told)


def _promoted(call: Invocation, line: int, id: str) -> dict[str, Any]:
    try:
        staged = call.answer(Asked("promote_staged", {"id": id}), lambda here: _promote(here, id))
    except refusals() as error:
        problem = command_problem(error)
        if problem["status"] is None:  # no answer, so that the others would have none
            raise
        return {"line": line, "status": problem["status"], "id": id, "problem": problem}
    return {"line": line, "status": 200, "id": id, "memory_id": staged["memory_id"]}


def _promote(here: FolderCall, id: str) -> dict[str, Any]:
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.learning_bodies import staged_json
    from memory_layer.usecases.review.review_staging import promote_one

    offer_model(here)
    return staged_json(promote_one(here.ports, here.principal, here.project, id))


def _clear(here: FolderCall) -> None:
    from memory_layer.usecases.review.review_staging import clear_staging

    clear_staging(here.ports, here.principal, here.project, ["promoted"])


def _judge(here: FolderCall) -> dict[str, Any]:
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.answer_fields import document
    from memory_layer.usecases.review.review_staging import validate_staging

    offer_model(here)
    return document(validate_staging(here.ports, here.principal, here.project))


def _promote_all(here: FolderCall, clears: bool) -> dict[str, Any]:
    from memory_layer.edge.shapes.answer_fields import document
    from memory_layer.usecases.review.review_staging import promote_staging

    how = {"judges_first": False, "clears_after": clears}
    return document(promote_staging(here.ports, here.principal, here.project, **how))


def promote_staged(
    call: Invocation, id: str, version: int | None, seen: Sequence[str] | None
) -> CommandOutput:
    """Makes a memory of one learning: `mem approve` of a staged id.

    Raises:
        Invalid: with a version, or with places, which a learning takes none of.
    """
    from memory_layer.domain.remedies import omit
    from memory_layer.errors import Invalid
    from memory_layer.usecases.review.review import refuse_version

    refuse_version(id, version)
    if seen:
        raise Invalid.at("/seen", f"{id} is a learning, which takes nobody's place", omit("/seen"))
    document = call.answer(Asked("promote_staged", {"id": id}), lambda here: _promote(here, id))
    return CommandOutput(document, printing.promoted_learning)


def reject_staged(call: Invocation, id: str, reason: str | None, version: int | None) -> CommandOutput:
    """Keeps one learning from becoming a memory: `mem reject` of a staged id."""
    from memory_layer.usecases.review.review import refuse_version

    refuse_version(id, version)
    said = given(reason=reason)
    asked = Asked("reject_staged", {"id": id}, body=said)
    return CommandOutput(
        call.answer(asked, lambda here: _rejected(here, id, said)), printing.rejected_learning
    )


def _rejected(here: FolderCall, id: str, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.shapes.learning_bodies import staged_json
    from memory_layer.edge.shapes.requests import Reason
    from memory_layer.usecases.review.review_staging import reject_one

    reason = validated(Reason, said).reason
    return staged_json(reject_one(here.ports, here.principal, here.project, id, reason))
