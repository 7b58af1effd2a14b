"""Sweeps by project over both backends: queued in pages, each project with its own lease and cursor, nothing twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Ref, Scope
from memory_layer.domain.time.sweep_state import SweepName, SweepReport
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground import stored_state
from memory_layer.usecases.sweeps import project_sweeps
from memory_layer.usecases.sweeps.project_sweeps import (
    QUEUED,
    RECORDS_QUEUED,
    SweepPart,
    project_state_name,
    queue_projects,
    run_part,
    run_project_sweep,
)
from memory_layer.usecases.transfer import snapshot_in_steps
from memory_layer.usecases.transfer.snapshot_files import PREFIX, SnapshotFiles
from memory_layer.usecases.transfer.snapshot_in_steps import take_snapshot_step
from memory_layer.usecases.transfer.take_snapshot import take_snapshot
from tests.given import START, StandingClock, a_memory, changed, new_scope, put_records

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

    def send(groups: Sequence[Sequence[SweepPart]]) -> None:
        assert all(len(group) == 1 for group in groups)
        sent.extend(part.scope for group in groups for part in group)

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

    def send(groups: Sequence[Sequence[SweepPart]]) -> None:
        if sent and len(sent) < 2 and not is_up:
            raise StoreUnavailable("the queue is away")
        sent.extend(part.scope for group in groups for part in group)

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


# ---- by what is due


def expiring(ports: Ports, scope: Scope, count: int) -> list[str]:
    """Memories that expire in an hour, one that does not, and one that is damaged by nobody."""
    ids = [f"m{number:03d}" for number in range(count)]
    at = ports.clock.now()
    memories = [a_memory(scope, id, expires_at=at + timedelta(hours=1)) for id in ids]
    put_records(ports.store, *memories, a_memory(scope, "stays"), at=at)
    return ids


class Queue:
    """Queue of sweeps that is a list, worked off as told."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self.messages: list[Sequence[SweepPart]] = []

    def fill(self, name: SweepName, *, seconds: float = MANY_SECONDS) -> SweepReport:
        return queue_projects(self._ports, name, self.messages.extend, holder="a test", seconds=seconds)

    def work_off(self, name: SweepName) -> Counter[str]:
        did: Counter[str] = Counter()
        for part in (part for message in self.messages for part in message):
            report = run_part(
                self._ports, name, part, due=self._ports.clock.now(), holder="a test", seconds=MANY_SECONDS
            )
            assert report is not None
            assert (report.is_complete, report.failed) == (True, ())
            did.update(report.did)
        return did


def statuses(ports: Ports, scope: Scope, ids: Sequence[str]) -> list[str]:
    found = ports.store.memories.get_many(scope.tenant, [Ref(scope.project, id) for id in ids])
    return [memory.status for memory in found.values()]


def test_what_is_due_is_queued_by_project_in_messages_of_a_bounded_size(
    ports: Ports, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project with much holds up none with little, and little of many shares a message."""
    monkeypatch.setattr(project_sweeps, "RECORDS_TOGETHER", 4)
    large, small, other = new_scope(), new_scope("beta"), new_scope()
    wanted = {
        (scope, id) for scope, n in ((large, 9), (small, 2), (other, 1)) for id in expiring(ports, scope, n)
    }
    clock.advance(hours=2)
    queue = Queue(ports)
    report = queue.fill("expiry")
    assert (report.is_complete, report.did) == (True, {RECORDS_QUEUED: 12})
    sizes = [sum(len(part.ids or ()) for part in message) for message in queue.messages]
    assert (sum(sizes), max(sizes)) == (12, 4)
    assert {(part.scope, id) for m in queue.messages for part in m for id in part.ids or ()} == wanted
    assert queue.work_off("expiry") == {"expired": 12}
    assert set(statuses(ports, large, ["m000", "m008"])) == {"archived"}
    assert statuses(ports, large, ["stays"]) == ["active"]


def test_what_is_queued_twice_is_done_once(ports: Ports, clock: StandingClock) -> None:
    scope = new_scope()
    expiring(ports, scope, 3)
    clock.advance(hours=2)
    queue = Queue(ports)
    queue.fill("expiry")
    assert queue.work_off("expiry") == {"expired": 3}
    assert queue.work_off("expiry") == {}
    verbs = [version.verb for version in ports.store.history.of(scope, "m000")]
    assert verbs == ["created", "expired"]


def test_what_is_due_no_longer_stays(ports: Ports, clock: StandingClock) -> None:
    """Falls if a message is believed: somebody may have prolonged a memory while it waited."""
    scope = new_scope()
    expiring(ports, scope, 1)
    clock.advance(hours=2)
    queue = Queue(ports)
    queue.fill("expiry")
    memory = ports.store.memories.get(scope, "m000")
    assert memory is not None
    longer = changed(memory, expires_at=clock.now() + timedelta(days=9))
    ports.store.writer.commit(Commit(scope=scope, changes=(longer,)))
    assert queue.work_off("expiry") == {}
    assert statuses(ports, scope, ["m000"]) == ["active"]


def test_a_walk_that_runs_out_of_time_goes_on_where_it_left_off(
    ports: Ports, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_sweeps, "RECORDS_LISTED", 2)
    expiring(ports, new_scope(), 5)
    clock.advance(hours=2)
    queue, runs = Queue(ports), 0
    while not queue.fill("expiry", seconds=NO_TIME).is_complete:
        runs += 1
    assert runs >= 2
    assert sorted(id for m in queue.messages for part in m for id in part.ids or ()) == [
        f"m{n:03d}" for n in range(5)
    ]


def test_a_score_drifts_by_the_queue_as_without_it(ports: Ports, clock: StandingClock) -> None:
    scope = new_scope()
    put_records(ports.store, a_memory(scope, "m1", outcome_score=0.2, last_used_at=START), at=START)
    clock.advance(days=40)
    queue = Queue(ports)
    queue.fill("decay")
    assert queue.work_off("decay") == {"drifted": 1}


def test_tiers_are_swept_by_project_and_then_by_what_is_due(ports: Ports, clock: StandingClock) -> None:
    scope, cold = new_scope(), new_scope()
    filled(ports, scope, 1)
    put_records(ports.store, a_memory(cold, "m1", tier="cold", status="archived"), at=START)
    clock.advance(days=400)
    queue = Queue(ports)
    report = queue.fill("tiering")
    assert report.is_complete
    assert report.did[QUEUED] >= 2
    assert report.did.get(RECORDS_QUEUED, 0) >= 1
    did = queue.work_off("tiering")
    assert did["frozen"] == 1
