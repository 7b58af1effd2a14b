"""Commands for recall, the prompt made of it, and the outcome of a memory."""

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, get_args

import typer

from memory_layer.cli.printing import memory_text
from memory_layer.cli.terminal.empty_project import tell_if_empty
from memory_layer.cli.terminal.filter_options import with_filters
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.next_command import runnable
from memory_layer.cli.terminal.options import AsOf, FilterValues, OnlyStanding, time_ago
from memory_layer.cli.terminal.refusal_text import command_problem, printable
from memory_layer.cli.terminal.requests import done_now, given, validated
from memory_layer.wire.message import Asked

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
    run: Annotated[
        str | None, typer.Option(help="The run that asks: its verdict (mem run) meets what is shown.")
    ] = None,
    no_explore: Annotated[
        bool, typer.Option("--no-explore", help="Try nothing out; default: the setting exploration.")
    ] = False,
    why: Annotated[bool, typer.Option("--why", help="Show the signals behind each place.")] = False,
    filters: FilterValues = None,
) -> CommandOutput:
    """Recall what bears on a question, the highest score first."""
    said = given(
        query=query,
        limit=limit,
        strategy=strategy,
        profile=profile,
        filters=given(**(filters or {}), standing=standing),
        entities=entity,
        hops=hops,
        write_scope=write_scope,
        include_stale=include_stale,
        min_score=min_score,
        min_relevance=min_relevance,
        as_of=time_ago(as_of, call.now()),
        run_id=run,
        explore=False if no_explore else None,
    )
    document = call.answer(Asked("recall", body=said), lambda here: _recalled(here, said))
    if document["abstained"] and not (include_stale or as_of or call.is_json):
        _tell_if_stale(call)
    if not document["memories"]:
        tell_if_empty(call)
    return CommandOutput(document, memory_text.recalled_with_signals if why else memory_text.recalled)


def _recalled(here: FolderCall, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.edge.shapes.recall_answers import recalled_json
    from memory_layer.edge.shapes.recall_requests import RecallQuery, recall_request
    from memory_layer.usecases.recall.recall import recall

    asked = recall_request(validated(RecallQuery, said))
    offer_model(here)
    return recalled_json(recall(here.ports, here.principal, here.project, asked))


def _tell_if_stale(call: Invocation) -> None:
    """Notes on stderr that the project has stale memories: one of them may be the one searched for."""
    asked = Asked("list_memories", query={"status": ["stale"], "limit": 1})
    if call.answer(asked, _newest_stale)["memories"]:
        print("mem: stale memories are left out: --include-stale", file=sys.stderr)


def _newest_stale(here: FolderCall) -> dict[str, Any]:
    from memory_layer.domain.filters import Filters
    from memory_layer.usecases.ground.queries import list_memories

    stale = Filters(status=("stale",))
    page = list_memories(here.ports, here.principal, here.project, stale, after=None, limit=1)
    return {"memories": page.memories}


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
    said = given(
        task=task,
        write_scope=write_scope,
        format=format,
        task_type=task_type,
        file_patterns=file_pattern,
        error_patterns=error_pattern,
        limit=limit,
    )
    document = call.answer(Asked("compose_prompt", body=said), lambda here: _composed(here, said))
    if document.get("note") and not call.is_json:
        print(f"note: {printable(runnable(document['note']))}", file=sys.stderr)
    if not document["markdown"]:
        tell_if_empty(call)
    return CommandOutput(document, lambda shown: str(shown["markdown"]), aside=_beside(document, format))


def _composed(here: FolderCall, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.shapes.answers import prompt_json
    from memory_layer.edge.shapes.recall_requests import PromptQuery, prompt_for

    body = validated(PromptQuery, said)
    return prompt_json(prompt_for(here.ports, here.principal, here.project, body))


def _beside(prompt: Mapping[str, Any], format: str | None) -> str:
    if not prompt["markdown"]:
        return "nothing that bears on it is known"
    is_numbered = format in (None, "memories")
    return memory_text.what_helped(prompt["recall_id"], len(prompt["memory_ids"])) if is_numbered else ""


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
    said = given(result=result, note=note, run_id=run, session_id=session, recall_id=recall)
    if recall is not None and all(name.isdecimal() for name in names):
        return _outcome_on_page(call, {**said, "refs": [int(name) for name in names]})
    return _outcome_of_one(call, said, names)


def _names_and_result(named: list[str], flags: list[str]) -> tuple[list[str], str]:
    """Memories named, and the result, which is a flag or the last word.

    Raises:
        Invalid: there is no result, more than one, or no memory.
    """
    from memory_layer.domain.memory import OutcomeResult
    from memory_layer.errors import Invalid

    if len(flags) > 1:
        raise Invalid.at("/result", f"one result at a time, not {' and '.join(flags)}")
    if not flags and named[-1] not in get_args(OutcomeResult):
        is_missing = len(named) == 1 or named[-1].isdecimal()
        wrong = "a verdict is missing" if is_missing else f"{named[-1]} is no verdict"
        raise Invalid.at("/result", f"{wrong}; end with worked, failed or partial")
    if not flags and len(named) == 1:
        raise Invalid.at("/id", f"a memory is missing: say mem outcome ID {named[0]}")
    return (named, flags[0]) if flags else (named[:-1], named[-1])


def _outcome_on_page(call: Invocation, said: Mapping[str, Any]) -> CommandOutput:
    asked = Asked("report_page_outcome", body=said)
    return CommandOutput(call.answer(asked, lambda here: _judged(here, said)), memory_text.page_outcome_lines)


def _judged(here: FolderCall, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.shapes.answers import page_outcome_json
    from memory_layer.edge.shapes.requests import PageOutcome
    from memory_layer.usecases.learn.report_on_page import report_on_page
    from memory_layer.usecases.learn.report_outcome import OutcomeReport

    body = validated(PageOutcome, said)
    report = OutcomeReport(**body.model_dump(exclude={"refs"}))
    judged = report_on_page(here.ports, here.principal, here.project, body.recall_id, body.refs, report)
    return page_outcome_json(body.recall_id, judged, command_problem)


def _outcome_of_one(call: Invocation, said: Mapping[str, Any], names: Sequence[str]) -> CommandOutput:
    from memory_layer.domain.remedies import give
    from memory_layer.errors import Invalid

    if len(names) > 1 or names[0].isdecimal():
        raise Invalid.at("/refs", "several memories are named by their numbers on a page", give("/recall_id"))
    asked = Asked("report_outcome", {"id": names[0]}, body=said)
    document = call.answer(asked, lambda here: _reported(here, names[0], said))
    aside = printable(document.get("note") or "")
    return CommandOutput(document, memory_text.outcome_text, aside=aside)


def _reported(here: FolderCall, id: str, said: Mapping[str, Any]) -> dict[str, Any]:
    from memory_layer.edge.shapes.answers import reported_json
    from memory_layer.edge.shapes.requests import Outcome
    from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome

    report = OutcomeReport(**validated(Outcome, said).model_dump())
    return reported_json(done_now(report_outcome(here.ports, here.principal, here.project, id, report)))
