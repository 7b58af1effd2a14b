"""Tools that report: whether memories helped, by id or by their numbers on a page, and a finished run."""

from dataclasses import fields

from memory_layer.domain.remedies import give
from memory_layer.edge.shapes.derived_models import answer_model
from memory_layer.edge.shapes.learning_bodies import RunAnswer, RunCounts, reported_run_json
from memory_layer.edge.shapes.run_reports import run_report_of
from memory_layer.errors import Invalid, MemoryLayerError
from memory_layer.mcp import tool_answers, tool_schemas
from memory_layer.mcp.tool_session import Tool, ToolReply, ToolSession, card_of, named_memory, project_of
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.learn.report_on_page import JudgedReference, report_on_page
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome

RUN = answer_model(RunAnswer)
_COUNTS = tuple(field.name for field in fields(RunCounts))


def _outcome(session: ToolSession, asked: tool_schemas.ReportOutcome) -> ToolReply:
    if (asked.memory_id is None) == (not asked.refs):
        raise Invalid.at(
            "/memory_id", "name one memory by its id, or those of a page", give("/memory_id"), give("/refs")
        )
    report = OutcomeReport(
        result=asked.result,
        session_id=session.session_id,
        run_id=asked.run_id,
        recall_id=asked.recall_id,
        note=asked.note,
    )
    if asked.memory_id is None:
        return _on_page(session, asked, report)
    named = named_memory(session, asked, asked.memory_id)
    return _of_one(session, named.project, named.id, report)


def _of_one(session: ToolSession, project: str, id: str, report: OutcomeReport) -> ToolReply:
    reported = report_outcome(session.ports, session.principal, project, id, report)
    if isinstance(reported, IdempotencyRecord):
        raise TypeError("a tool call has no idempotency key")
    memory = reported.memory
    text = (
        f"Noted: {memory.id} {report.result}. It is {memory.status}, outcome {memory.outcome_score:+g}, "
        f"confidence {memory.confidence:g}.{' A person will look at it.' if memory.doubted else ''}"
    )
    note = f"\nNote: {reported.note}." if reported.note else ""
    return ToolReply(tool_answers.Reported(memory=card_of(memory)), f"{text}{note}")


def _on_page(session: ToolSession, asked: tool_schemas.ReportOutcome, report: OutcomeReport) -> ToolReply:
    if asked.recall_id is None:
        raise Invalid.at("/recall_id", "numbers stand on the page of one recall", give("/recall_id"))
    project = project_of(session, asked)
    judged = report_on_page(session.ports, session.principal, project, asked.recall_id, asked.refs, report)
    results = [_result(one) for one in judged]
    lines = [f"{one.ref} ({one.id}): {one.refused or f'{asked.result}, noted'}" for one in results]
    return ToolReply(tool_answers.Reported(results=results), "\n".join(lines))


def _run(session: ToolSession, asked: tool_schemas.ReportRun) -> ToolReply:
    project = project_of(session, asked)
    report = run_report_of(asked.run)
    if report.project not in (None, project):
        raise Invalid.at(
            "/project", f"the run is of project {report.project}, the call of {project}", give("/project")
        )
    learned = learn_from_run(session.ports, session.principal, project, report.run, "auto")
    document = reported_run_json(learned)
    counts = ", ".join(f"{name} {document[name]}" for name in _COUNTS if document.get(name))
    told = "told again" if learned.is_replay else "taken"
    unknown = f" Nobody knows: {', '.join(learned.unknown)}." if learned.unknown else ""
    return ToolReply(
        RUN.model_validate(document),
        f"Run {report.run.run_id} is {told}: {counts or 'no learnings'}.{unknown}",
    )


def _result(judged: JudgedReference) -> tool_answers.JudgedByRef:
    refused = judged.outcome.detail if isinstance(judged.outcome, MemoryLayerError) else None
    return tool_answers.JudgedByRef(ref=judged.ref, id=judged.memory.id, refused=refused)


OUTCOME_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="report_outcome",
        title="Report whether a memory helped",
        description=(
            "Say whether a memory that you used worked, failed or helped in part, once the result is known (a test "
            "passed, a build broke): by its numbers on a page (recall_id, refs), or by its id. Memories rank by this. "
            "Only those that you used, not all that you were shown."
        ),
        asks=tool_schemas.ReportOutcome,
        answers=tool_answers.Reported,
        run=_outcome,
    ),
    Tool(
        name="report_run",
        title="Report a finished run",
        description=(
            "Learn from a run that has ended: strategies, anti-patterns and estimates are drawn "
            "from it, the memories that it cites get its verdict. The same run_id twice is one run."
        ),
        asks=tool_schemas.ReportRun,
        answers=RUN,
        run=_run,
        is_idempotent=True,
    ),
)
