"""Learnings that wait for people: looked at, judged, promoted, rejected, cleared away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, Viewer
from memory_layer.domain.learning.staging import StagedLearning, StagedStatus, learning_id
from memory_layer.errors import Conflict, Forbidden, MemoryLayerError, NotFound
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.review.review import awaiting_review, decide_all
from memory_layer.usecases.review.review_staging import (
    EVERY_STATUS,
    clear_staging,
    list_staging,
    promote_one,
    promote_staging,
    reject_one,
    validate_staging,
)
from tests.given import PROJECT, REVIEWER, StandingClock
from tests.run_examples import run_of

WEAK = [{"number": 1, "status": "completed"}] + [{"number": at, "status": "failed"} for at in range(2, 6)]


@dataclass(frozen=True)
class Said:
    id: str
    decision: Literal["approve", "reject", "archive"]
    reason: str | None = None
    version: int | None = None
    seen_versions: dict[str, int] | None = None


def stage(
    backend: EmbeddedBackend, agent: Principal, run_id: str = "r1", **changed: Any
) -> dict[str, StagedLearning]:
    learn_from_run(backend.ports, agent, PROJECT, run_of(run_id, **changed), "staged")
    return {item.learning.type: item for item in staged(backend)}


def staged(backend: EmbeddedBackend, *statuses: StagedStatus) -> tuple[StagedLearning, ...]:
    asked = statuses or EVERY_STATUS
    return list_staging(backend.ports, REVIEWER, PROJECT, asked, after=None, limit=100).page.staged


def counts(backend: EmbeddedBackend) -> dict[str, int]:
    found = list_staging(backend.ports, REVIEWER, PROJECT, EVERY_STATUS, after=None, limit=1).counts
    return {status: count for status, count in found.items() if count}


def test_a_staged_run_stops_at_pending(backend: EmbeddedBackend, agent: Principal) -> None:
    stage(backend, agent)
    assert counts(backend) == {"pending": 5}


def test_step_by_step(backend: EmbeddedBackend, agent: Principal) -> None:
    """The estimate of a run that mostly failed is not sure enough: 1 of 5."""
    stage(backend, agent, iterations=WEAK)
    judged = validate_staging(backend.ports, REVIEWER, PROJECT)
    assert (judged.validated, judged.rejected) == (0, 1)
    (rejected,) = staged(backend, "rejected")
    assert rejected.rejection_reason == "Confidence too low (< 0.3)"
    stage(backend, agent, "r2")
    done = promote_staging(backend.ports, REVIEWER, PROJECT, judges_first=False, clears_after=False)
    assert (done.promoted, done.merged, counts(backend)) == (0, 0, {"pending": 5, "rejected": 1})
    done = promote_staging(backend.ports, REVIEWER, PROJECT, judges_first=True, clears_after=False)
    assert (done.promoted, done.skipped, counts(backend)) == (5, 0, {"promoted": 5, "rejected": 1})
    assert all(
        get_memory(backend.ports, agent, PROJECT, item.memory_id or "")
        for item in staged(backend, "promoted")
    )


def test_many_runs_are_promoted_as_one_memory_each(backend: EmbeddedBackend, agent: Principal) -> None:
    for number in range(12):
        stage(backend, agent, f"run-{number:02}")
    done = promote_staging(backend.ports, REVIEWER, PROJECT, judges_first=True, clears_after=True)
    assert (done.promoted, done.merged, done.skipped, counts(backend)) == (5, 55, 0, {})


def test_promoting_again_changes_nothing(backend: EmbeddedBackend, agent: Principal) -> None:
    item = stage(backend, agent)["strategy"]
    once = promote_one(backend.ports, REVIEWER, PROJECT, item.id)
    memory = get_memory(backend.ports, agent, PROJECT, once.memory_id or "")
    assert promote_one(backend.ports, REVIEWER, PROJECT, item.id) == once
    assert get_memory(backend.ports, agent, PROJECT, memory.id) == memory
    assert (once.decided_by, memory.created_by) == (REVIEWER.name, agent.name)


def test_what_is_rejected_is_not_promoted(backend: EmbeddedBackend, agent: Principal) -> None:
    found = stage(backend, agent)
    after = reject_one(backend.ports, REVIEWER, PROJECT, found["strategy"].id, "chance")
    assert (after.status, after.rejection_reason, after.decided_by) == ("rejected", "chance", REVIEWER.name)
    with pytest.raises(Conflict, match="chance"):
        promote_one(backend.ports, REVIEWER, PROJECT, after.id)
    promoted = promote_one(backend.ports, REVIEWER, PROJECT, found["estimate"].id)
    with pytest.raises(Conflict):
        reject_one(backend.ports, REVIEWER, PROJECT, promoted.id, None)


def test_agents_decide_nothing(backend: EmbeddedBackend, agent: Principal) -> None:
    id = stage(backend, agent)["strategy"].id
    for decide in (
        lambda: promote_one(backend.ports, agent, PROJECT, id),
        lambda: reject_one(backend.ports, agent, PROJECT, id, None),
        lambda: validate_staging(backend.ports, agent, PROJECT),
        lambda: promote_staging(backend.ports, agent, PROJECT, judges_first=True, clears_after=True),
        lambda: clear_staging(backend.ports, agent, PROJECT),
    ):
        with pytest.raises(Forbidden):
            decide()
    assert counts(backend) == {"pending": 5}


def test_another_personas_learnings_are_for_reviewers_of_all(
    backend: EmbeddedBackend, agent: Principal
) -> None:
    """Safeguard: `review_viewer_of` in `review_staging`; a reviewer whose token names a persona has theirs alone."""
    analyst = Principal("acme", "agent-8", persona="analyst")
    id = stage(backend, agent)["strategy"].id
    learn_from_run(backend.ports, analyst, PROJECT, run_of("r2"), "staged")
    assert len(staged(backend)) == 10
    of_ops = replace(REVIEWER, persona="ops")
    page = list_staging(backend.ports, of_ops, PROJECT, EVERY_STATUS, after=None, limit=100)
    assert (len(page.page.staged), page.counts["pending"]) == (5, 5)
    hidden = list_staging(backend.ports, analyst, PROJECT, EVERY_STATUS, after=None, limit=100).page.staged
    theirs = next(item.id for item in hidden if item.persona == "analyst")
    with pytest.raises(NotFound):
        promote_one(backend.ports, of_ops, PROJECT, theirs)
    assert promote_one(backend.ports, of_ops, PROJECT, id).memory_id
    assert promote_one(backend.ports, REVIEWER, PROJECT, theirs).memory_id


def test_they_wait_among_the_reviews(
    backend: EmbeddedBackend, agent: Principal, clock: StandingClock
) -> None:
    stage(backend, agent)
    clock.advance(days=1)
    stage(backend, agent, "r2", objective="Build the importer")
    found, after = [], None
    while True:
        page = awaiting_review(backend.ports, REVIEWER, PROJECT, after=after, limit=3)
        found += [item.id for item in page.items]
        after = page.next_key
        if after is None:
            break
    assert found == [item.id for item in staged(backend)]
    assert len(found) == 10


def test_many_are_decided_on_at_once(backend: EmbeddedBackend, agent: Principal) -> None:
    found = stage(backend, agent)
    wishes = [
        Said(found["strategy"].id, "approve"),
        Said(found["estimate"].id, "reject", "one run is no estimate"),
        Said(found["antipattern"].id, "archive"),
        Said("stg_" + 32 * "0", "approve"),
    ]
    done = decide_all(backend.ports, REVIEWER, PROJECT, [(wish, None) for wish in wishes])
    assert [isinstance(outcome, MemoryLayerError) for outcome in done] == [False, False, True, True]
    assert counts(backend) == {"pending": 3, "promoted": 1, "rejected": 1}


def test_decided_ones_are_gone_after_thirty_days(
    backend: EmbeddedBackend, agent: Principal, clock: StandingClock
) -> None:
    stage(backend, agent)
    promote_staging(backend.ports, REVIEWER, PROJECT, judges_first=True, clears_after=False)
    clock.advance(days=31)
    stage(backend, agent, "r2")
    assert counts(backend) == {"pending": 5}


def test_what_a_reviewer_rejects_no_other_run_brings_back(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where a rejection is of one run's word alone."""
    agent = Principal(tenant="acme", subject="agent-7")
    learn_from_run(backend.ports, agent, "web", run_of("r1"), mode="staged")
    page = backend.ports.store.learnings.staged_page(
        admin.scope("web"), ("pending",), Viewer(sees_all_personas=True), after=None, limit=50
    )
    strategy = next(item for item in page.staged if item.learning.type == "strategy")
    reject_one(backend.ports, admin, "web", strategy.id, "too narrow")
    learn_from_run(backend.ports, agent, "web", run_of("r2"), mode="auto")
    kept_out = backend.ports.store.memories.get(
        admin.scope("web"), learning_id(strategy.learning, strategy.persona)
    )
    assert kept_out is not None
    assert (kept_out.status, kept_out.status_reason) == ("rejected", "too narrow")
