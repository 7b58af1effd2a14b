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
NEXT_CURSOR = "Next-Cursor"


def _lines() -> dict[int, Any]:
    """Description of an answer of lines in openapi.json."""
    line = {"type": "object", "description": "A run, named by its `schema`."}
    schema = lines_schema(
        line, "One run a line, the newest first; `Next-Cursor` tells where the next page begins."
    )
    header = {
        "description": "Where the next page begins; missing: this is the last.",
        "schema": {"type": "string"},
    }
    return {
        200: {
            "description": "Training data",
            "content": {NDJSON: {"schema": schema}},
            "headers": {NEXT_CURSOR: header},
        }
    }


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
    bound_to = ["runs", project, *_bound(asked)]
    after = decode_cursor(cursor, bound_to)
    page = list_runs(call.ports, call.principal, project, after=after, limit=limit, asked=asked)
    next_cursor = encode_cursor(page.next_key, bound_to)
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
    asked = RunFilter(query=query, status=status, task_type=task_type)
    bound_to = ["runs export", project, format, shape, *_bound(asked)]
    after = decode_cursor(cursor, bound_to)
    page = export_runs(call.ports, call.principal, project, shape, after=after, limit=limit, asked=asked)
    next_cursor = encode_cursor(page.next_key, bound_to)
    headers = {} if next_cursor is None else {NEXT_CURSOR: next_cursor}
    return Response(200, NDJSON, "".join(f"{line}\n" for line in page.lines), headers=headers)


def _bound(asked: RunFilter) -> list[str | None]:
    """What of a filter binds a cursor: nothing, for a list of all."""
    return [] if asked.is_empty else [asked.query, asked.status, asked.task_type]


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
