"""Routes of completed runs, and of the staged learnings from them."""

from typing import Annotated, Any
from urllib.parse import quote

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Path, Query

from memory_layer.domain.learning.run import RunMode
from memory_layer.domain.learning.staging import StagedStatus, validate
from memory_layer.edge.http import caller
from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
from memory_layer.edge.shapes import learning_bodies
from memory_layer.edge.shapes.answer_fields import document
from memory_layer.edge.shapes.answers import to_text
from memory_layer.edge.shapes.requests import Nothing, Reason
from memory_layer.edge.shapes.run_reports import read_run_report
from memory_layer.errors import Invalid
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.ground.idempotency import Render, answered_once
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.learn.promote_learnings import PromotionReport
from memory_layer.usecases.review import review_staging

router = Router()
Statuses = Annotated[list[StagedStatus] | None, Query(description="Any of these; omitted: all")]
StagedId = Annotated[str, Path(pattern="^stg_[0-9a-f]{32}$", description="As the staging area lists it")]


@router.post(
    "/v1/projects/<project>/runs",
    summary="Learn from a run that has ended: plain JSON, an EventBridge event or a CloudEvent",
    operation_id="learn_from_run",
    tags=["runs"],
    responses=caller.described_response(
        201, learning_bodies.RunAnswer, "What became of it; told again, the same answer"
    ),
)
def report_run(
    call: caller.Calling,
    project: caller.Project,
    mode: Annotated[RunMode, Query(description="staged: leave all learnings pending, for people")] = "auto",
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    report = read_run_report(call.body)
    if report.project not in (None, project):
        raise Invalid.at("/project", f"the run is of project {report.project}, the path says {project}")
    once = call.once(key, lambda learned: (201, to_text(learning_bodies.reported_run_json(learned))))
    scope, now = call.principal.scope(project), call.ports.clock.now()

    result = answered_once(
        call.ports.store.requests,
        call.ports.store.writer,
        scope,
        once,
        now,
        lambda: learn_from_run(call.ports, call.principal, project, report.run, mode),
    )
    if isinstance(result, IdempotencyRecord):
        return caller.replayed_response(result)
    location = {"Location": f"/v1/projects/{project}/runs/{quote(report.run.run_id, safe='')}"}
    replay = {"Idempotent-Replayed": "true"} if result.is_replay else {}
    return caller.json_response(201, learning_bodies.reported_run_json(result), location | replay)


@router.get(
    "/v1/projects/<project>/staging",
    summary="Learnings that wait, and those decided on in the last 30 days; oldest first",
    operation_id="list_staging",
    tags=["runs"],
    responses=caller.described_response(
        200, learning_bodies.StagingAnswer, "With the counts of all statuses"
    ),
)
def staging(
    call: caller.Calling,
    project: caller.Project,
    status: Statuses = None,
    limit: caller.Limit = 50,
    cursor: caller.Cursor = None,
) -> Response[str]:
    statuses = tuple(status or review_staging.EVERY_STATUS)
    bound_to = ["staging", project, *statuses]
    listed = review_staging.list_staging(
        call.ports, call.principal, project, statuses, after=decode_cursor(cursor, bound_to), limit=limit
    )
    next_cursor = encode_cursor(listed.page.next_key, bound_to)
    return caller.json_response(200, learning_bodies.staging_json(listed, next_cursor))


@router.post(
    "/v1/projects/<project>/staging:validate",
    summary="Judge all pending learnings (reviewers), or one that is posted, of which nothing is stored",
    operation_id="validate_staging",
    tags=["runs"],
    responses=caller.described_response(
        200, learning_bodies.JudgedAnswer, "How many passed; or whether the posted one does, and why not"
    ),
)
def judge_staging(
    call: caller.Calling, project: caller.Project, body: Annotated[learning_bodies.LearningToJudge, Body()]
) -> Response[str]:
    if body.learning is not None:
        reason = validate(body.learning)
        judged = learning_bodies.JudgedAnswer(valid=reason is None, reason=reason)
        return caller.json_response(200, document(judged))
    return caller.json_response(
        200, document(review_staging.validate_staging(call.ports, call.principal, project))
    )


@router.post(
    "/v1/projects/<project>/staging:promote",
    summary="Promote all validated learnings (reviewers)",
    operation_id="promote_staging",
    tags=["runs"],
    responses=caller.described_response(
        200, PromotionReport, "How many became memories, or were taken in by known ones"
    ),
)
def promote_all_staged(
    call: caller.Calling,
    project: caller.Project,
    body: Annotated[learning_bodies.PromoteStaging | None, Body()] = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    asked = body or learning_bodies.PromoteStaging()

    def work() -> dict[str, Any]:
        done = review_staging.promote_staging(
            call.ports,
            call.principal,
            project,
            judges_first=asked.auto_validate,
            clears_after=asked.clear_after,
        )
        return document(done)

    return _answered_once(call, project, key, work)


@router.post(
    "/v1/projects/<project>/staging/<id>/promote",
    summary="Promote one learning (reviewers)",
    operation_id="promote_staged",
    tags=["runs"],
    responses=caller.described_response(200, learning_bodies.StagedAnswer, "With the memory that it became"),
)
def promote_staged(
    call: caller.Calling,
    project: caller.Project,
    id: StagedId,
    body: Annotated[Nothing | None, Body()] = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    del body
    return _answered_once(
        call,
        project,
        key,
        lambda: learning_bodies.staged_json(
            review_staging.promote_one(call.ports, call.principal, project, id)
        ),
    )


@router.post(
    "/v1/projects/<project>/staging/<id>/reject",
    summary="Keep one learning from becoming a memory (reviewers)",
    operation_id="reject_staged",
    tags=["runs"],
    responses=caller.described_response(200, learning_bodies.StagedAnswer, "With the reason"),
)
def reject_staged(
    call: caller.Calling,
    project: caller.Project,
    id: StagedId,
    body: Annotated[Reason | None, Body()] = None,
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    reason = body.reason if body else None
    return _answered_once(
        call,
        project,
        key,
        lambda: learning_bodies.staged_json(
            review_staging.reject_one(call.ports, call.principal, project, id, reason)
        ),
    )


@router.delete(
    "/v1/projects/<project>/staging",
    summary="Empty the staging area, or what of it is in these statuses (reviewers)",
    operation_id="clear_staging",
    tags=["runs"],
    responses=caller.described_response(200, learning_bodies.ClearedAnswer, "How many learnings went"),
)
def clear(call: caller.Calling, project: caller.Project, status: Statuses = None) -> Response[str]:
    cleared = review_staging.clear_staging(
        call.ports, call.principal, project, tuple(status or review_staging.EVERY_STATUS)
    )
    return caller.json_response(200, document(learning_bodies.ClearedAnswer(cleared)))


def _answered_once(call: caller.Caller, project: str, key: str | None, work: Any) -> Response[str]:
    render: Render = lambda answer: (200, to_text(answer))  # noqa: E731
    result = answered_once(
        call.ports.store.requests,
        call.ports.store.writer,
        call.principal.scope(project),
        call.once(key, render),
        call.ports.clock.now(),
        work,
        memory_id=lambda answer: answer.get("memory_id") or "",
    )
    return (
        caller.replayed_response(result)
        if isinstance(result, IdempotencyRecord)
        else caller.json_response(200, result)
    )
