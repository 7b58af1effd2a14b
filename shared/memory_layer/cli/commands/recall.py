"""Commands for recall, the prompt made of it, and the outcome of a memory."""

import sys
from typing import Annotated

import typer

from memory_layer.cli.printing import memory_text
from memory_layer.cli.terminal.filter_options import with_filters
from memory_layer.cli.terminal.invocation import (
    CommandOutput,
    Invocation,
    command,
    command_problem,
    printable,
    validated,
)
from memory_layer.cli.terminal.next_command import runnable
from memory_layer.cli.terminal.options import AsOf, FilterValues, OnlyStanding, time_ago

app = typer.Typer()
WriteScope = Annotated[
    list[str] | None,
    typer.Option(help="A path, glob or keyword of what the task may touch; repeat for more."),
]


@command(app, served="reads")
@with_filters
def search(
    call: Invocation,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question, an error message, a few words.")],
    limit: Annotated[int | None, typer.Option("--limit", "-n", help="1 to 100; default 10.")] = None,
    strategy: Annotated[
        str | None, typer.Option(help="auto (default), semantic, lexical, entity, graph.")
    ] = None,
    profile: Annotated[
        str | None, typer.Option(help="learned, governed, task; default: the project's.")
    ] = None,
    entity: Annotated[
        list[str] | None,
        typer.Option(
            help="Those of --entity in mem add (strategy entity); or where to start, a name too (graph).",
        ),
    ] = None,
    standing: OnlyStanding = None,
    hops: Annotated[int | None, typer.Option(help="How far strategy graph goes: 1 to 3; default 2.")] = None,
    write_scope: WriteScope = None,
    include_stale: Annotated[bool | None, typer.Option("--include-stale", help="Stale ones too.")] = None,
    min_score: Annotated[float | None, typer.Option(help="Leave out what scores less.")] = None,
    min_relevance: Annotated[
        float | None, typer.Option(help="Leave out what is less likely to bear on it, 0 to 1.")
    ] = None,
    as_of: AsOf = None,
    why: Annotated[bool, typer.Option("--why", help="Show the signals behind each place.")] = False,
    filters: FilterValues = None,
) -> CommandOutput:
    """Recall what bears on a question, the highest score first."""
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.answers import recalled_json
    from memory_layer.edge.shapes.recall_requests import RecallQuery, recall_request
    from memory_layer.usecases.recall.recall import recall

    chosen = {**(filters or {}), "standing": standing}
    body = validated(
        RecallQuery,
        {
            **{"query": query, "limit": limit, "strategy": strategy, "profile": profile, "filters": chosen},
            **{
                "entities": entity,
                "hops": hops,
                "write_scope": write_scope,
                "include_stale": include_stale,
            },
            **{"min_score": min_score, "min_relevance": min_relevance},
            **{"as_of": time_ago(as_of, call.ports.clock.now())},
        },
    )
    offer_model(call)
    recalled = recall(call.ports, call.principal, call.project, recall_request(body))
    show = memory_text.recalled_with_signals if why else memory_text.recalled
    if recalled.abstained and not (body.include_stale or body.as_of or call.is_json):
        _tell_if_stale(call)
    return CommandOutput(recalled_json(recalled), show)


def _tell_if_stale(call: Invocation) -> None:
    """Notes on stderr that the project has stale memories: one of them may be the one searched for."""
    from memory_layer.domain.filters import Filters
    from memory_layer.usecases.ground.queries import list_memories

    stale = Filters(status=("stale",))
    if list_memories(call.ports, call.principal, call.project, stale, after=None, limit=1).memories:
        print("mem: stale memories are left out: --include-stale", file=sys.stderr)


@command(app, served="reads")
def prompt(
    call: Invocation,
    task: Annotated[str, typer.Argument(metavar="TASK", help="What is about to be done.")],
    write_scope: WriteScope = None,
    format: Annotated[
        str | None, typer.Option(help="memories (default), or knowledge: what earlier runs taught.")
    ] = None,
    task_type: Annotated[
        str | None, typer.Option(help="For knowledge: test-fix, feature ...; default: told from the task.")
    ] = None,
    file_pattern: Annotated[
        list[str] | None, typer.Option(help="For knowledge: a glob or part of a path; repeat for more.")
    ] = None,
    error_pattern: Annotated[
        list[str] | None, typer.Option(help="For knowledge: a phrase of an error; repeat for more.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", help="1 to 100; default: the setting prompt_limit.")
    ] = None,
) -> CommandOutput:
    """Compose the section for the prompt of a task.

    Of memories: those of the write scope first, then the most trusted, and among equals those that bear on the task;
    the room is filled. Where nothing bears on the task: the write scope's, conventions and preferences, and a note.
    What is known of a question: mem search. Or of what earlier runs taught.
    """
    from memory_layer.edge.shapes.answers import prompt_json
    from memory_layer.edge.shapes.recall_requests import PromptQuery, prompt_for

    asked = {
        **{"task": task, "write_scope": write_scope, "format": format, "task_type": task_type},
        **{"file_patterns": file_pattern, "error_patterns": error_pattern, "limit": limit},
    }
    body = validated(PromptQuery, asked)
    composed = prompt_for(call.ports, call.principal, call.project, body)
    if composed.note and not call.is_json:
        print(f"note: {runnable(composed.note)}", file=sys.stderr)
    is_numbered = bool(composed.markdown) and body.format == "memories"
    aside = "" if composed.markdown else "nothing that bears on it is known"
    aside = memory_text.what_helped(composed.recall_id, len(composed.memories)) if is_numbered else aside
    return CommandOutput(prompt_json(composed), lambda document: str(document["markdown"]), aside=aside)


@command(app, served="writes")
def outcome(
    call: Invocation,
    named: Annotated[
        list[str],
        typer.Argument(
            metavar="ID|NUMBERS [worked|failed|partial]",
            help="The memory's id; or its numbers on the page that --recall names.",
        ),
    ],
    worked: Annotated[bool, typer.Option("--worked", help="Right, and it helped.")] = False,
    failed: Annotated[bool, typer.Option("--failed", help="It misled.")] = False,
    partial: Annotated[bool, typer.Option("--partial", help="Right, of little help.")] = False,
    note: Annotated[str | None, typer.Option(help="What happened.")] = None,
    run: Annotated[
        str | None, typer.Option(help="The run; a later verdict of the same run replaces it.")
    ] = None,
    session: Annotated[str | None, typer.Option(help="The session that it was used in.")] = None,
    recall: Annotated[str | None, typer.Option(help="The recall, prompt or context that showed it.")] = None,
) -> CommandOutput:
    """Report whether memories helped. They are named by id, or by their numbers on a page; they rank by that."""
    flags = {"worked": worked, "failed": failed, "partial": partial}
    names, result = _names_and_result(named, [flag for flag, is_set in flags.items() if is_set])
    asked = {"result": result, "note": note, "run_id": run, "session_id": session, "recall_id": recall}
    if recall is not None and all(name.isdecimal() for name in names):
        return _outcome_on_page(call, asked, [int(name) for name in names])
    return _outcome_of_one(call, asked, names)


def _names_and_result(named: list[str], flags: list[str]) -> tuple[list[str], str | None]:
    """Memories named, and the result, which is a flag or the last word. Raises: Invalid: more than one result."""
    from memory_layer.errors import Invalid

    if len(flags) > 1:
        raise Invalid.at("/result", f"one result at a time, not {' and '.join(flags)}")
    if flags or len(named) == 1:
        return named, flags[0] if flags else None
    return named[:-1], named[-1]


def _outcome_on_page(call: Invocation, asked: dict[str, str | None], refs: list[int]) -> CommandOutput:
    from memory_layer.edge.shapes.answers import page_outcome_json
    from memory_layer.edge.shapes.requests import PageOutcome
    from memory_layer.usecases.learn.report_on_page import report_on_page
    from memory_layer.usecases.learn.report_outcome import OutcomeReport

    body = validated(PageOutcome, {**asked, "refs": refs})
    report = OutcomeReport(**body.model_dump(exclude={"refs"}))
    judged = report_on_page(call.ports, call.principal, call.project, body.recall_id, body.refs, report)
    shown = page_outcome_json(body.recall_id, judged, command_problem)
    return CommandOutput(shown, memory_text.page_outcome_lines)


def _outcome_of_one(call: Invocation, asked: dict[str, str | None], names: list[str]) -> CommandOutput:
    from memory_layer.domain.remedies import give
    from memory_layer.edge.shapes.answers import reported_json
    from memory_layer.edge.shapes.requests import Outcome
    from memory_layer.errors import Invalid
    from memory_layer.ports.commit import IdempotencyRecord
    from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome

    if len(names) > 1 or names[0].isdecimal():
        raise Invalid.at("/refs", "several memories are named by their numbers on a page", give("/recall_id"))
    body = validated(Outcome, asked)
    reported = report_outcome(
        call.ports, call.principal, call.project, names[0], OutcomeReport(**body.model_dump())
    )
    if isinstance(reported, IdempotencyRecord):
        raise TypeError("a command has no idempotency key")
    return CommandOutput(
        reported_json(reported), memory_text.outcome_text, aside=printable(reported.note or "")
    )
