"""Sweeps by project over both backends: queued in pages, each project with its own lease and cursor, nothing twice."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Scope
from memory_layer.domain.time.sweep_state import SweepReport
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground import stored_state
from memory_layer.usecases.sweeps import project_sweeps
from memory_layer.usecases.sweeps.project_sweeps import (
    QUEUED,
    is_by_project,
    project_state_name,
    queue_projects,
    run_project_sweep,
)
from memory_layer.usecases.transfer import snapshot_in_steps
from memory_layer.usecases.transfer.snapshot_files import PREFIX, SnapshotFiles
from memory_layer.usecases.transfer.snapshot_in_steps import take_snapshot_step
from memory_layer.usecases.transfer.take_snapshot import take_snapshot
from tests.given import StandingClock, a_memory, new_scope, put_records

MANY_SECONDS = 3_600.0
NO_TIME = 0.0


@pytest.fixture
def ports(backend: EmbeddedBackend) -> Ports:
    return backend.ports


def filled(ports: Ports, scope: Scope, count: int) -> Scope:
    """Project with so many memories."""
    put_records(
        ports.store, *(a_memory(scope, f"m{number:03d}") for number in range(count)), at=ports.clock.now()
    )
    return scope


def swept(ports: Ports, scope: Scope, *, seconds: float = MANY_SECONDS) -> SweepReport | None:
    return run_project_sweep(
        ports, "snapshot", scope, due=ports.clock.now(), holder="a test", seconds=seconds
    )


def admin_of(scope: Scope) -> Principal:
    return Principal(tenant=scope.tenant, subject="ada", roles=frozenset({"admin"}))


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of one page of two records."""
    monkeypatch.setattr(snapshot_in_steps, "PAGE_IDS", 2)
    monkeypatch.setattr(stored_state, "PAGE_IDS", 2)
    monkeypatch.setattr(take_snapshot_step, "__kwdefaults__", {"pages": 1})


def test_every_project_is_queued_once(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_sweeps, "PROJECTS_LISTED", 2)
    scopes = {filled(ports, new_scope(), 1) for _ in range(3)}
    sent: list[Scope] = []

    def send(groups: Sequence[Sequence[Scope]]) -> None:
        assert all(len(group) == 1 for group in groups)
        sent.extend(scope for group in groups for scope in group)

    report = queue_projects(ports, "snapshot", send, holder="a test", seconds=MANY_SECONDS)
    assert report.is_complete
    assert scopes <= set(sent)
    assert len(sent) == len(set(sent)) == report.did[QUEUED]


def test_a_queue_that_is_down_is_asked_again_from_the_same_place(
    ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_sweeps, "PROJECTS_LISTED", 1)
    scopes = sorted(filled(ports, new_scope(), 1) for _ in range(2))
    sent: list[Scope] = []

    def send(groups: Sequence[Sequence[Scope]]) -> None:
        if sent and len(sent) < 2 and not is_up:
            raise StoreUnavailable("the queue is away")
        sent.extend(scope for group in groups for scope in group)

    is_up = False
    first = queue_projects(ports, "snapshot", send, holder="a test", seconds=MANY_SECONDS)
    assert (first.is_stopped, len(sent)) == (True, 1)
    is_up = True
    assert queue_projects(ports, "snapshot", send, holder="a test", seconds=MANY_SECONDS).is_complete
    assert len(sent) == len(set(sent))
    assert set(scopes) <= set(sent)


def test_one_projects_run_is_nobody_elses(ports: Ports) -> None:
    one, other = filled(ports, new_scope(), 1), filled(ports, new_scope(), 1)
    report = swept(ports, one)
    assert report is not None
    assert (report.is_complete, report.did) == (True, {"snapshots taken": 1})
    assert SnapshotFiles(ports.blobs, other).all() == []
    assert ports.store.sweeps.state(project_state_name("snapshot", one)) is not None
    assert ports.store.sweeps.state(project_state_name("snapshot", other)) is None


def test_a_message_that_comes_twice_does_nothing_twice(ports: Ports, clock: StandingClock) -> None:
    scope, due = filled(ports, new_scope(), 1), ports.clock.now()
    assert run_project_sweep(ports, "snapshot", scope, due=due, holder="one", seconds=MANY_SECONDS)
    assert run_project_sweep(ports, "snapshot", scope, due=due, holder="two", seconds=MANY_SECONDS) is None
    clock.advance(hours=1)
    later = run_project_sweep(
        ports, "snapshot", scope, due=ports.clock.now(), holder="two", seconds=MANY_SECONDS
    )
    assert later is not None


@pytest.mark.usefixtures("small_steps")
def test_a_snapshot_goes_on_inside_its_project(ports: Ports) -> None:
    """Falls where a step takes the whole project: one larger than a run would never have a snapshot."""
    scope, due = filled(ports, new_scope(), 5), ports.clock.now()
    runs = 0
    while True:
        report = run_project_sweep(ports, "snapshot", scope, due=due, holder="a test", seconds=NO_TIME)
        runs += 1
        assert report is not None
        if report.is_complete:
            break
        assert SnapshotFiles(ports.blobs, scope).all() == []
        assert runs < 40
    assert runs >= 3
    (taken,) = SnapshotFiles(ports.blobs, scope).all()
    assert (taken.records, taken.problem, len(taken.parts) >= 3) == (5, None, True)
    SnapshotFiles(ports.blobs, scope).check(taken)
    whole = take_snapshot(ports, admin_of(scope), scope.project)
    assert taken.manifest == whole.manifest
    left = ports.blobs.keys(f"{PREFIX}{scope.tenant}/{scope.project}/{taken.id}/")
    assert not [key for key in left if "progress" in key or "lines-" in key]


@pytest.mark.usefixtures("small_steps")
def test_a_snapshot_whose_progress_is_gone_begins_anew(ports: Ports) -> None:
    scope = filled(ports, new_scope(), 5)
    begun = take_snapshot_step(ports, admin_of(scope), scope.project, None)
    assert begun.next_id is not None
    SnapshotFiles(ports.blobs, scope).delete(begun.next_id)
    step = take_snapshot_step(ports, admin_of(scope), scope.project, begun.next_id)
    assert step.next_id not in (None, begun.next_id)


@pytest.mark.usefixtures("small_steps")
def test_damaged_lines_of_an_earlier_step_make_no_snapshot(ports: Ports) -> None:
    scope = filled(ports, new_scope(), 3)
    begun = take_snapshot_step(ports, admin_of(scope), scope.project, None)
    (lines,) = [
        key
        for key in ports.blobs.keys(f"{PREFIX}{scope.tenant}/{scope.project}/{begun.next_id}/")
        if "lines-" in key
    ]
    ports.blobs.put(lines, b"something else")
    with pytest.raises(StoreUnavailable, match="taken anew"):
        _to_its_end(ports, scope, begun.next_id)
    assert SnapshotFiles(ports.blobs, scope).all() == []


def _to_its_end(ports: Ports, scope: Scope, id: str | None) -> None:
    """Takes the steps of a snapshot, forty at most."""
    for _ in range(40):
        step = take_snapshot_step(ports, admin_of(scope), scope.project, id)
        if step.taken is not None:
            return
        id = step.next_id


def test_what_is_done_once_a_month_is_not_done_again_before(ports: Ports, clock: StandingClock) -> None:
    scope = filled(ports, new_scope(), 1)

    def verified() -> Any:
        clock.advance(seconds=1)
        report = run_project_sweep(
            ports, "verify", scope, due=ports.clock.now(), holder="a test", seconds=MANY_SECONDS
        )
        assert report is not None
        return report.looked_at

    assert verified() > 0
    assert verified() == 0
    clock.moment += timedelta(days=32)
    assert verified() > 0


def test_sweeps_by_time_are_not_queued() -> None:
    assert not is_by_project("expiry")
    assert not is_by_project("tiering")
    assert is_by_project("snapshot")
