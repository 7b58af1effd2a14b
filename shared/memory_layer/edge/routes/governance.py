"""Routes for people: reviews, the settings of a project, its numbers."""

import json
from functools import partial
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from memory_layer.domain.learning.staging import StagedLearning
from memory_layer.domain.memory import Memory
from memory_layer.domain.policy import Policy
from memory_layer.edge.http import caller
from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
from memory_layer.edge.operations.jobs import with_result
from memory_layer.edge.routes.memories import record
from memory_layer.edge.shapes import answer_models
from memory_layer.edge.shapes.answers import operation_json, policy_json, reviews_json, stats_json, to_text
from memory_layer.edge.shapes.problems import problem
from memory_layer.edge.shapes.requests import Reason, Settings, replaced_policy
from memory_layer.edge.shapes.review_answers import NearAnswer, ReviewsAnswer, near_json
from memory_layer.edge.shapes.review_requests import PRINCIPAL_MAX, Approval, Decisions
from memory_layer.edge.shapes.settings_patch import SettingsPatch, patched_policy
from memory_layer.edge.shapes.stats_answers import StatsAnswer
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.ground.queries import entity_event_counts, get_operation, project_stats
from memory_layer.usecases.review.approve import approve_memory, reject_memory
from memory_layer.usecases.review.configure import default_policy, get_policy, set_policy
from memory_layer.usecases.review.near_review_item import near_review_item
from memory_layer.usecases.review.review import Outcome, awaiting_review, decide_all
from memory_layer.usecases.review.review_groups import (
    GroupKind,
    decide_group,
    groups_of,
    waiting_long,
    waiting_of,
)

router = Router()


@router.patch(
    "/v1/projects/<project>/memories/<id>/approve",
    summary="Approve a memory (reviewers)",
    operation_id="approve_memory",
    tags=["reviews"],
    responses=caller.described_response(200, answer_models.MemoryAnswer, "Approved"),
)
def approve(
    call: caller.Calling,
    project: caller.Project,
    id: caller.MemoryId,
    body: Annotated[Approval | None, Body()] = None,
    if_match: caller.IfMatch = None,
) -> Response[str]:
    seen = body.seen_versions if body else None
    expected = caller.expected_version(if_match)
    return record(approve_memory(call.ports, call.principal, project, id, expected=expected, seen=seen))


@router.patch(
    "/v1/projects/<project>/memories/<id>/reject",
    summary="Reject a memory (reviewers)",
    operation_id="reject_memory",
    tags=["reviews"],
    responses=caller.described_response(200, answer_models.MemoryAnswer, "Rejected"),
)
def reject(
    call: caller.Calling,
    project: caller.Project,
    id: caller.MemoryId,
    body: Annotated[Reason | None, Body()] = None,
    if_match: caller.IfMatch = None,
) -> Response[str]:
    reason, expected = (body.reason if body else None), caller.expected_version(if_match)
    return record(reject_memory(call.ports, call.principal, project, id, reason=reason, expected=expected))


@router.get(
    "/v1/projects/<project>/reviews",
    summary="All that waits for a person, oldest first",
    operation_id="list_reviews",
    tags=["reviews"],
    responses=caller.described_response(
        200, ReviewsAnswer, "Memories and staged learnings, with why and how long"
    ),
)
def reviews(
    call: caller.Calling,
    project: caller.Project,
    principal: Annotated[
        str | None,
        Query(
            min_length=1, max_length=PRINCIPAL_MAX, description="Only what this one has waiting, 100 at most"
        ),
    ] = None,
    kind: Annotated[
        GroupKind | None,
        Query(description="With `principal`: of this kind; `doubted`: what they alone doubt"),
    ] = None,
    limit: caller.Limit = 50,
    cursor: caller.Cursor = None,
) -> Response[str]:
    place, now = (call.ports, call.principal, project), call.ports.clock.now()
    if principal is not None or kind is not None:
        named = waiting_of(*place, principal, kind)
        return caller.json_response(200, reviews_json(named, None, now, groups=groups_of(*place, named)))
    bound_to = ["reviews", project]
    page = awaiting_review(*place, after=decode_cursor(cursor, bound_to), limit=limit)
    next_cursor = encode_cursor(page.next_key, bound_to)
    groups = groups_of(*place, page.items)
    return caller.json_response(200, reviews_json(page.items, next_cursor, now, page.damaged, groups))


@router.get(
    "/v1/projects/<project>/reviews/<id>/near",
    summary="What is in force and near to an item that waits (reviewers)",
    operation_id="list_near_memories",
    tags=["reviews"],
    responses=caller.described_response(200, NearAnswer, "At most 3: what says the same first"),
)
def near(call: caller.Calling, project: caller.Project, id: caller.MemoryId) -> Response[str]:
    return caller.json_response(200, near_json(near_review_item(call.ports, call.principal, project, id)))


@router.post(
    "/v1/projects/<project>/reviews:decide",
    summary="Decide on many, or on all of one principal (reviewers)",
    operation_id="decide_reviews",
    tags=["reviews"],
    responses=caller.described_response(200, answer_models.BatchAnswer, "What became of each"),
)
def decide_reviews(
    call: caller.Calling,
    project: caller.Project,
    body: Annotated[Decisions, Body()],
    key: caller.IdempotencyKey = None,
) -> Response[str]:
    call.require_reviewer()
    if body.group is not None:
        decided = decide_group(call.ports, call.principal, project, body.group.as_decided())
        found = [_decision_result(call, line, *one) for line, one in enumerate(decided, 1)]
        return caller.json_response(200, {"results": found})
    decisions = [
        (item, call.once(key, _decision_answer, kind=f"line {line}"))
        for line, item in enumerate(body.decisions, 1)
    ]
    outcomes = decide_all(call.ports, call.principal, project, decisions)
    results = [
        _decision_result(call, line, item.id, outcome)
        for line, (item, outcome) in enumerate(zip(body.decisions, outcomes, strict=True), 1)
    ]
    is_replay = all(isinstance(outcome, IdempotencyRecord) for outcome in outcomes)
    return caller.json_response(
        200, {"results": results}, {"Idempotent-Replayed": "true"} if is_replay else None
    )


def _decision_answer(decided: Memory | StagedLearning) -> tuple[int, str]:
    return 200, to_text({"id": decided.id})


def _decision_result(call: caller.Caller, line: int, id: str, outcome: Outcome) -> dict[str, Any]:
    if not isinstance(outcome, MemoryLayerError):
        return {"line": line, "status": 200, "id": id}
    found = problem(outcome, instance=call.path, request_id=call.request_id)
    return {"line": line, "status": found["status"], "id": id, "problem": found}


@router.get(
    "/v1/projects/<project>/settings",
    summary="A project's settings (admins)",
    operation_id="get_settings",
    tags=["settings"],
    responses=caller.described_response(200, answer_models.SettingsAnswer, "As they are in force"),
)
def settings(call: caller.Calling, project: caller.Project) -> Response[str]:
    return _settings_response(get_policy(call.ports, call.principal, project))


def _settings_response(policy: Policy) -> Response[str]:
    return caller.json_response(200, policy_json(policy), {"ETag": f'"{policy.version}"'})


@router.get(
    "/v1/projects/<project>/settings/defaults",
    summary="The settings of a project that never set any (admins)",
    operation_id="get_default_settings",
    tags=["settings"],
    responses=caller.described_response(200, answer_models.SettingsAnswer, "Of this release"),
)
def default_settings(call: caller.Calling, project: caller.Project) -> Response[str]:
    return caller.json_response(200, policy_json(default_policy(call.principal, project)))


@router.put(
    "/v1/projects/<project>/settings",
    summary="Set a project's settings (admins)",
    operation_id="put_settings",
    tags=["settings"],
    responses=caller.described_response(200, answer_models.SettingsAnswer, "As they are in force now"),
)
def put_settings(
    call: caller.Calling,
    project: caller.Project,
    body: Annotated[Settings, Body()],
    if_match: caller.IfMatch = None,
) -> Response[str]:
    expected = caller.expected_version(if_match)
    change = partial(replaced_policy, settings=body)
    return _settings_response(set_policy(call.ports, call.principal, project, change, expected=expected))


@router.patch(
    "/v1/projects/<project>/settings",
    summary="Set some of a project's settings (admins)",
    operation_id="patch_settings",
    tags=["settings"],
    responses=caller.described_response(200, answer_models.SettingsAnswer, "As they are in force now"),
)
def patch_settings(
    call: caller.Calling,
    project: caller.Project,
    body: Annotated[SettingsPatch, Body()],
    if_match: caller.IfMatch = None,
) -> Response[str]:
    expected = caller.expected_version(if_match)
    del body  # it is checked; a part of it that is left out looks there as if it were given
    change = partial(patched_policy, patch=json.loads(call.body))
    policy = set_policy(call.ports, call.principal, project, change, expected=expected, keeps_others=True)
    return _settings_response(policy)


@router.get(
    "/v1/projects/<project>/stats",
    summary="Counts of a project",
    operation_id="get_stats",
    tags=["settings"],
    responses=caller.described_response(200, StatsAnswer, "Over all statuses"),
)
def stats(call: caller.Calling, project: caller.Project) -> Response[str]:
    found = project_stats(call.ports, call.principal, project)
    return caller.json_response(
        200,
        stats_json(
            found,
            entity_event_counts(call.ports, call.principal, project),
            waiting_long(call.ports, call.principal, project),
        ),
    )


@router.get(
    "/v1/operations/<id>",
    summary="How far a long piece of work is",
    operation_id="get_operation",
    tags=["operations"],
    responses=caller.described_response(200, answer_models.OperationAnswer, "Its state"),
)
def operation(call: caller.Calling, id: caller.OperationId) -> Response[str]:
    found = get_operation(call.ports, call.principal, id)
    return caller.json_response(200, to_text(operation_json(with_result(call.ports, found))))
