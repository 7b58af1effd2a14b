"""Routes that read runs: lists, one, its iterations, and all as training data."""

from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from memory_layer.domain.learning.run import RunStatus
from memory_layer.domain.learning.trajectory import TrajectoryShape
from memory_layer.domain.memory import TaskType
from memory_layer.edge.http import caller
from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
from memory_layer.edge.http.described_bodies import NDJSON, lines_schema
from memory_layer.edge.shapes import learning_bodies
from memory_layer.edge.shapes.run_queries import bound_to, export_lines
from memory_layer.usecases.learn.export_runs import export_runs
from memory_layer.usecases.learn.read_runs import RunFilter, get_history, get_run, list_runs

router = Router()
TrainingFormat = Literal["jsonl"]

RunId = Annotated[str, Path(min_length=1, max_length=256, description="The run's own id")]
Words = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=1_024,
        description="Words that the run says in its objective or its iterations, all of them",
    ),
]
Ended = Annotated[RunStatus | None, Query(description="How it ended")]
Kind = Annotated[TaskType | None, Query(description="Kind of its task")]
Shape = Annotated[
    TrajectoryShape,
    Query(
        description="trajectories: whole runs; messages: conversations; preferences: of one task a run that worked "
        "and one that failed"
    ),
]


def _lines() -> dict[int, Any]:
    """Description of an answer of lines in openapi.json."""
    line = {"type": "object", "description": "A run, or where the next page begins: its `schema` says which."}
    words = (
        "One run a line, the newest first; where another page follows, the last line has its `next_cursor`."
    )
    return {200: {"description": "Training data", "content": {NDJSON: {"schema": lines_schema(line, words)}}}}


@router.get(
    "/v1/projects/<project>/runs",
    summary="Runs, newest first; all, or those that say some words",
    operation_id="list_runs",
    tags=["runs"],
    responses=caller.described_response(200, learning_bodies.RunsAnswer, "With what became of each"),
)
def runs(
    call: caller.Calling,
    project: caller.Project,
    query: Words = None,
    status: Ended = None,
    task_type: Kind = None,
    limit: caller.Limit = 50,
    cursor: caller.Cursor = None,
) -> Response[str]:
    asked = RunFilter(query=query, status=status, task_type=task_type)
    bound = ["runs", project, *asked.bound]
    after = decode_cursor(cursor, bound)
    page = list_runs(call.ports, call.principal, project, after=after, limit=limit, asked=asked)
    next_cursor = encode_cursor(page.next_key, bound)
    return caller.json_response(200, learning_bodies.runs_json(page.runs, next_cursor))


@router.get(
    "/v1/projects/<project>/runs/export",
    summary="Runs as training data, redacted (reviewers)",
    operation_id="export_runs",
    tags=["runs"],
    responses=_lines(),
)
def exported(
    call: caller.Calling,
    project: caller.Project,
    format: Annotated[TrainingFormat, Query(description="One JSON document a line")] = "jsonl",
    shape: Shape = "trajectories",
    query: Words = None,
    status: Ended = None,
    task_type: Kind = None,
    limit: caller.Limit = 50,
    cursor: caller.Cursor = None,
) -> Response[str]:
    del format
    asked = RunFilter(query=query, status=status, task_type=task_type)
    bound = bound_to(project, shape, asked)
    after = decode_cursor(cursor, bound)
    page = export_runs(call.ports, call.principal, project, shape, after=after, limit=limit, asked=asked)
    return Response(200, NDJSON, export_lines(page.lines, encode_cursor(page.next_key, bound)))


@router.get(
    "/v1/projects/<project>/runs/<run_id>",
    summary="One run",
    operation_id="get_run",
    tags=["runs"],
    responses=caller.described_response(200, learning_bodies.RunAnswer, "And what became of it"),
)
def run(call: caller.Calling, project: caller.Project, run_id: RunId) -> Response[str]:
    return caller.json_response(
        200, learning_bodies.run_json(get_run(call.ports, call.principal, project, run_id))
    )


@router.get(
    "/v1/projects/<project>/runs/<run_id>/history",
    summary="One run with all its iterations, and with what it was shown",
    operation_id="get_run_history",
    tags=["runs"],
    responses=caller.described_response(
        200, learning_bodies.RunHistoryAnswer, "As they were reported, without secrets"
    ),
)
def history(call: caller.Calling, project: caller.Project, run_id: RunId) -> Response[str]:
    found = get_history(call.ports, call.principal, project, run_id)
    return caller.json_response(200, learning_bodies.history_json(found))
