"""The sweeps over both backends: leased, resumable, bounded, idempotent, with a dry run and a report; nothing twice."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.adapters.aws.table import lifecycle_keys
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.lifecycle import status_before_expiry
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.outcome import drift
from memory_layer.domain.policy import Policy
from memory_layer.domain.time.sweep_state import FAILED_MAX, SweepReport
from memory_layer.errors import NotFound, StoreUnavailable, SweepRunning, TooLarge
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.settings import DATABASE_NAME
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.sweeps import run_sweep as frame
from memory_layer.usecases.sweeps.expire_and_decay import PAGE_RECORDS
from memory_layer.usecases.sweeps.lease import GRACE, LEASE_MAX
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.sweeps.step import StepReport, SweepWalk
from memory_layer.usecases.transfer.snapshot_files import SnapshotFiles
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.revise import revise
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import START, StandingClock, a_memory, created, new_scope, put_records, read_back

DAY = timedelta(days=1)
MOMENT = timedelta(microseconds=1)
MANY_SECONDS = 3_600.0


@pytest.fixture(autouse=True)
def _recent_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk that knows no better begins in the past: here not longer ago than needed, for an engine that is slow."""
    monkeypatch.setattr(lifecycle_keys, "DUE_EPOCH", START - timedelta(days=2))


@pytest.fixture
def ports(backend: EmbeddedBackend) -> Ports:
    return backend.ports


def put(ports: Ports, *memories: Memory) -> None:
    put_records(ports.store, *memories, at=ports.clock.now())


def run(ports: Ports, name: Any, *, seconds: float = MANY_SECONDS, **asked: Any) -> SweepReport:
    return run_sweep(ports, name, holder="a test", seconds=seconds, **asked)


def expiring(scope: Scope, id: str = "m1", days: float = 1, **fields: Any) -> Memory:
    return a_memory(scope, id, expires_at=START + days * DAY, **fields)


# ---- expiry


def test_what_is_past_its_expiry_is_archived_and_nothing_else(ports: Ports, clock: StandingClock) -> None:
    scope, other = new_scope(), new_scope("beta")
    over, also, later = expiring(scope, "over"), expiring(other, "also"), expiring(scope, "later", 2)
    put(ports, over, also, later, a_memory(scope, "never"))
    clock.advance(days=1)
    report = run(ports, "expiry")
    assert (report.did, report.is_complete, report.failed) == ({"expired": 2}, True, ())
    for memory in (over, also):
        assert (
            read_back(ports.store, memory.scope, memory.id).status,
            read_back(ports.store, memory.scope, memory.id).status_reason,
        ) == ("archived", "expired")
    assert read_back(ports.store, later.scope, later.id) == later
    version = ports.store.history.of(scope, "over")[-1]
    assert (version.verb, version.by, version.reason, version.at) == (
        "expired",
        "sweep expiry",
        "expired",
        START + DAY,
    )
    assert version.memory.updated_at == over.updated_at


def test_a_moment_before_the_expiry_nothing_happens(ports: Ports, clock: StandingClock) -> None:
    memory = expiring(new_scope())
    put(ports, memory)
    clock.moment = START + DAY - MOMENT
    assert run(ports, "expiry").did == {}
    clock.moment += MOMENT
    assert run(ports, "expiry").did == {"expired": 1}


@pytest.mark.parametrize("status", ["inactive", "pending", "quarantined", "stale"])
def test_what_was_out_of_use_does_not_come_back_as_active(
    ports: Ports, clock: StandingClock, status: str
) -> None:
    """The safeguard is the reason that `as_of_now` gives: with "expired" alone a renewal would make it active."""
    before = expiring(new_scope(), status=status, status_reason="so")
    put(ports, before)
    clock.advance(days=1)
    run(ports, "expiry")
    assert status_before_expiry(read_back(ports.store, before.scope, before.id), clock.now()) == (
        status,
        "so",
    )


@pytest.mark.parametrize("is_swept", [False, True])
@pytest.mark.parametrize("active", [True, False])
def test_a_new_expiry_brings_back_what_was_there_whether_or_not_the_sweep_came_by(
    backend: EmbeddedBackend, clock: StandingClock, agent: Principal, is_swept: bool, active: bool
) -> None:
    ports, end = backend.ports, START + DAY
    put_memory(ports, agent, "web", "m1", {"content": "Use the blue pool.", "expires_at": end})
    revise(ports, agent, "web", "m1", {"active": active})
    clock.advance(days=2)
    if is_swept:
        assert run(ports, "expiry").did == {"expired": 1}
    assert get_memory(ports, agent, "web", "m1").status == "archived"
    revise(ports, agent, "web", "m1", {"expires_at": None})
    assert get_memory(ports, agent, "web", "m1").status == ("active" if active else "inactive")


@pytest.mark.parametrize("is_swept", [False, True])
def test_the_same_words_put_again_find_what_went_stale_before_it_expired_stale_still(
    ports: Ports, clock: StandingClock, admin: Principal, is_swept: bool
) -> None:
    """Falls without `as_before_expiry` in revise.py: the sweep that came by would have confirmed it."""
    memory = expiring(new_scope(), status="stale", status_reason="gone")
    put(ports, memory)
    clock.advance(days=1)
    if is_swept:
        assert run(ports, "expiry").did == {"expired": 1}
    put_memory(ports, admin, memory.project, memory.id, {"content": memory.content, "expires_at": None})
    again = read_back(ports.store, memory.scope, memory.id)
    assert (again.status, again.status_reason, again.expires_at) == ("stale", "gone", None)


def test_turns_in_use_forget_what_they_heard_of_one_that_expired(
    backend: EmbeddedBackend, clock: StandingClock, agent: Principal
) -> None:
    """The safeguard is sweep_retiring: a context would go on saying what no recall may show."""
    ports = backend.ports
    said = ["The limit is six megabytes.", "Six it is.", "Then we split the file."]
    told = add_turns(ports, agent, "web", "s1", [RememberRequest(fields={"content": text}) for text in said])
    ids = [one.memory.id for one in told]  # type: ignore[union-attr]
    revise(ports, agent, "web", ids[0], {"expires_at": START + DAY})
    assert "six megabytes" in (get_memory(ports, agent, "web", ids[1]).context or "")
    backend.drain()  # who is faster than the sweep is left to the next one
    clock.advance(days=2)
    assert run(ports, "expiry").did == {"expired": 1}
    heard = [get_memory(ports, agent, "web", id).context or "" for id in ids[1:]]
    assert not any("six megabytes" in context for context in heard)
    assert "Six it is" in heard[1]


# ---- decay


def test_disuse_drifts_once_a_day_and_low_confidence_goes_out_of_use(
    ports: Ports, clock: StandingClock
) -> None:
    scope = new_scope()
    good = a_memory(scope, "good", outcome_score=0.8, last_used_at=START)
    weak = a_memory(scope, "weak", confidence=0.1)
    put(ports, good, weak, a_memory(scope, "plain"))
    assert run(ports, "decay").did == {"deactivated": 1}
    assert (
        read_back(ports.store, weak.scope, weak.id).status,
        read_back(ports.store, weak.scope, weak.id).status_reason,
    ) == (
        "inactive",
        "confidence below 0.2",
    )
    for day, did in ((30, {}), (31, {"drifted": 1}), (31, {}), (35.5, {"drifted": 1}), (36, {"drifted": 1})):
        clock.moment = START + day * DAY
        assert run(ports, "decay").did == did
    swept = read_back(ports.store, good.scope, good.id)
    assert (swept.outcome_score, swept.drifted_at) == (drift(0.8, 36), START + 36 * DAY)
    assert (swept.version, swept.updated_at, swept.last_used_at) == (4, START, START)


def test_a_clock_set_back_does_nothing_twice(ports: Ports, clock: StandingClock) -> None:
    memory = a_memory(new_scope(), outcome_score=0.8, last_used_at=START)
    put(ports, memory)
    clock.moment = START + 40 * DAY
    run(ports, "decay")
    clock.moment = START + 35 * DAY
    assert run(ports, "decay").did == {}
    assert run(ports, "expiry").did == {}
    assert read_back(ports.store, memory.scope, memory.id).outcome_score == drift(0.8, 40)


def test_what_falls_due_under_a_clock_that_was_set_back_is_found(ports: Ports, clock: StandingClock) -> None:
    """The safeguard is in `_since`: a walk that began in a future that is none any more says nothing of today."""
    memory = expiring(new_scope(), days=20)
    clock.moment = START + 60 * DAY
    for name in ("expiry", "decay"):
        run(ports, name)
    clock.moment = START + 10 * DAY
    put(ports, memory)
    run(ports, "decay")
    clock.moment = START + 21 * DAY
    assert run(ports, "expiry").did == {"expired": 1}


def test_what_fell_due_while_nobody_swept_under_a_clock_that_was_set_back_is_found(
    ports: Ports, clock: StandingClock
) -> None:
    """Falls where such a walk begins a day before today, as if it knew what was done until then."""
    clock.moment = START + 60 * DAY
    for name in ("expiry", "decay"):
        run(ports, name)
    clock.moment = START + 10 * DAY
    put(ports, expiring(new_scope(), days=20))
    clock.moment = START + 40 * DAY
    assert run(ports, "expiry").did == {"expired": 1}


def test_what_a_clock_that_was_set_back_has_hidden_is_found_with_the_next_month(
    ports: Ports, clock: StandingClock
) -> None:
    """Nobody can tell any more that it was: falls where no walk of a month begins at the beginning."""
    clock.moment = START + 55 * DAY
    for name in ("expiry", "decay"):
        run(ports, name)
    clock.moment = START + 10 * DAY
    memory = expiring(new_scope(), days=20)
    put(ports, memory)
    for day in (57, 61):  # the end of April, and the first of May
        clock.moment = START + day * DAY
        for name in ("expiry", "decay"):
            run(ports, name)
    assert read_back(ports.store, memory.scope, memory.id).status == "archived"


@pytest.mark.parametrize("first", ["expiry", "decay"])
def test_one_sweep_does_not_begin_after_what_the_other_has_still_to_do(
    ports: Ports, clock: StandingClock, first: str
) -> None:
    """The safeguard is SHARERS: the record lies in the list under the day of its drift, long before it expires."""
    memory = expiring(new_scope(), days=60, outcome_score=0.8, last_used_at=START)
    put(ports, memory)
    for day in (1, 40, 59):
        clock.moment = START + day * DAY
        run(ports, "expiry")
        if first == "decay" and day == 1:
            run(ports, "decay")
    clock.moment = START + 61 * DAY
    assert run(ports, "expiry").did == {"expired": 1}


# ---- the frame


def test_a_dry_run_tells_what_would_be_done_and_leaves_nothing_behind(
    ports: Ports, clock: StandingClock
) -> None:
    scope = new_scope()
    memories = [
        expiring(scope, "m1"),
        a_memory(scope, "m2", confidence=0.1),
        a_memory(scope, "m3", tags=("x",)),
    ]
    put(ports, *memories)
    clock.advance(days=1)
    for name, did in (
        ("expiry", {"expired": 1}),
        ("decay", {"deactivated": 1}),
        ("snapshot", {"snapshots taken": 1}),
    ):
        report = run(ports, name, is_dry_run=True)
        assert (report.did, report.is_dry_run, report.is_complete) == (did, True, True)
        assert ports.store.sweeps.state(name) is None
    assert [read_back(ports.store, memory.scope, memory.id) for memory in memories] == memories
    assert SnapshotFiles(ports.blobs, scope).all() == []


def test_a_run_out_of_time_stops_after_its_page_and_the_next_one_goes_on(
    ports: Ports, clock: StandingClock
) -> None:
    scope = new_scope()
    put(ports, *(expiring(scope, f"m{number:03}") for number in range(2 * PAGE_RECORDS + 5)))
    clock.advance(days=1)
    done, reports = 0, []
    while not reports or not reports[-1].is_complete:
        reports.append(run(ports, "expiry", seconds=0.0))
        done += reports[-1].did.get("expired", 0)
        assert reports[-1].did.get("expired", 0) <= PAGE_RECORDS
        state = ports.store.sweeps.state("expiry")
        assert state is not None
        assert (state.cursor is None) == reports[-1].is_complete
        assert (state.holder, state.leased_until, state.last_report) == (None, None, reports[-1])
        clock.advance(minutes=1)
        assert len(reports) < 50
    assert done == 2 * PAGE_RECORDS + 5
    assert len(reports) >= 3
    assert run(ports, "expiry").did == {}


def test_the_report_is_kept_and_the_next_walk_knows_where_the_last_one_began(
    ports: Ports, clock: StandingClock
) -> None:
    clock.advance(days=1)
    report = run(ports, "expiry")
    state = ports.store.sweeps.state("expiry")
    assert state is not None
    assert (state.last_report, state.walked_until) == (report, START + DAY)


def test_one_runs_at_a_time(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    """The safeguard is take_lease; it lapses, so that a run that died holds up nobody for long."""
    met: list[str] = []

    def meanwhile(inner: Ports, _: SweepWalk) -> StepReport:
        with pytest.raises(SweepRunning, match="a test") as raised:
            run(inner, "expiry")
        met.append(raised.value.detail)
        return StepReport()

    monkeypatch.setitem(frame.SWEEPS, "expiry", meanwhile)  # type: ignore[arg-type]
    run(ports, "expiry", seconds=60)
    assert "12:02:00 UTC" in met[0]


def died(ports: Ports, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    def dies(_: Ports, __: SweepWalk) -> StepReport:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setitem(frame.SWEEPS, "expiry", dies)  # type: ignore[arg-type]
        with pytest.raises(KeyboardInterrupt):
            run(ports, "expiry", seconds=seconds)


def test_a_lease_that_lapsed_is_taken(
    ports: Ports, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    died(ports, monkeypatch, seconds=600)
    clock.moment += timedelta(seconds=600) + GRACE - MOMENT
    with pytest.raises(SweepRunning):
        run(ports, "expiry")
    clock.moment += MOMENT
    assert run(ports, "expiry").is_complete


def test_a_lease_of_before_the_clock_was_set_back_binds_nobody(
    ports: Ports, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    died(ports, monkeypatch, seconds=10)
    clock.moment -= LEASE_MAX
    assert run(ports, "expiry").is_complete


def test_who_lost_the_lease_stops_and_says_so(
    ports: Ports, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(inner: Ports, walk: SweepWalk) -> StepReport:
        if walk.cursor is None:
            clock.advance(hours=2)
            monkeypatch.setitem(frame.SWEEPS, "expiry", lambda *_: StepReport())  # type: ignore[arg-type]
            run_sweep(inner, "expiry", holder="another", seconds=1)
        return StepReport("on", did={"expired": 1})

    monkeypatch.setitem(frame.SWEEPS, "expiry", slow)  # type: ignore[arg-type]
    report = run(ports, "expiry", seconds=10**6)
    assert not report.is_complete
    assert report.did == {"expired": 1}
    assert "another process has taken over" in report.failed[0]
    state = ports.store.sweeps.state("expiry")
    assert state is not None
    assert state.last_report is not None
    assert state.last_report.is_complete


def test_a_part_that_is_down_ends_the_run_with_what_was_done(
    ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(_: Ports, walk: SweepWalk) -> StepReport:
        if walk.cursor == "two":
            raise StoreUnavailable("the disk is full")
        return StepReport("two", 5, {"expired": 4})

    monkeypatch.setitem(frame.SWEEPS, "expiry", breaks)  # type: ignore[arg-type]
    report = run(ports, "expiry")
    assert (report.is_complete, report.looked_at, report.did) == (False, 5, {"expired": 4})
    assert report.failed == ("stopped: the disk is full",)
    state = ports.store.sweeps.state("expiry")
    assert state is not None
    assert (state.cursor, state.holder, state.walked_until) == ("two", None, None)


def test_a_record_that_fails_is_told_and_hinders_no_other(
    ports: Ports, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = new_scope()
    put(ports, *(expiring(scope, f"m{number}") for number in range(3)))
    clock.advance(days=1)
    each = ports.store.writer.commit_each

    def one_fails(commits: list[Commit]) -> list[Any]:
        errors: list[Any] = each([c for c in commits if c.changes[0].memory.id != "m1"])
        return [
            TooLarge("it is too long") if c.changes[0].memory.id == "m1" else errors.pop(0) for c in commits
        ]

    with monkeypatch.context() as patched:
        patched.setattr(ports.store.writer, "commit_each", one_fails)
        report = run(ports, "expiry")
    assert (report.did, report.failed_count, report.is_complete) == ({"expired": 2}, 1, True)
    assert report.failed == (f"{scope.project}: m1: it is too long",)
    state = ports.store.sweeps.state("expiry")
    assert state is not None
    assert state.walked_until is None, "the next walk must not begin after what failed"
    clock.advance(days=40)
    assert run(ports, "expiry").did == {"expired": 1}


def test_somebody_faster_is_no_failure(
    ports: Ports, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = expiring(new_scope())
    put(ports, memory)
    clock.advance(days=1)
    each = ports.store.writer.commit_each

    def overtaken(commits: list[Commit]) -> Any:
        renewed = replace(memory, version=2, expires_at=START + 90 * DAY)
        monkeypatch.undo()
        change = replace(created(renewed), before=1, at=clock.now())
        ports.store.writer.commit(Commit(scope=memory.scope, changes=(change,)))
        return each(commits)

    monkeypatch.setattr(ports.store.writer, "commit_each", overtaken)
    report = run(ports, "expiry")
    assert (report.did, report.failed) == ({}, ())
    assert read_back(ports.store, memory.scope, memory.id).is_active


def test_failures_are_counted_and_the_first_are_told(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = tuple(f"m{number} failed" for number in range(50))
    monkeypatch.setitem(frame.SWEEPS, "expiry", lambda *_: StepReport(failed=sentences))  # type: ignore[arg-type]
    report = run(ports, "expiry")
    assert (report.failed, report.failed_count) == (sentences[:FAILED_MAX], 50)


def test_an_unknown_sweep_is_told_what_there_is(ports: Ports) -> None:
    with pytest.raises(NotFound, match="decay"):
        run(ports, "tidying")


@EMBEDDED_ONLY
def test_a_damaged_record_is_not_sealed_anew(
    backend: EmbeddedBackend, clock: StandingClock, tmp_path: Any
) -> None:
    """The safeguard is the seal in `due`: the next version would carry a digest that vouches for the damage."""
    ports, scope = backend.ports, Scope("acme", "web")
    put(ports, expiring(scope, "m1"), expiring(scope, "m2"), expiring(scope, "m3"))
    with closing(sqlite3.connect(tmp_path / "data" / DATABASE_NAME)) as database, database:
        database.execute("UPDATE memories SET content = 'Something else.' WHERE id = 'm1'")
        database.execute("UPDATE memories SET detail = '{' WHERE id = 'm2'")
        database.execute(
            "UPDATE versions SET packed = CAST(packed || x'00' AS BLOB) WHERE id <> 'm3'"
        )  # nothing heals them
    clock.advance(days=1)
    report = run(ports, "expiry")
    assert (report.did, report.failed_count) == ({"expired": 1}, 2)
    assert all("mem verify -p web" in sentence for sentence in report.failed)


# ---- snapshots


def test_every_project_that_changed_is_put_aside(ports: Ports, clock: StandingClock) -> None:
    one, other = new_scope(), new_scope("beta")
    memory = a_memory(one)
    put(ports, memory, a_memory(other))
    ids = lambda scope: [snapshot.id for snapshot in SnapshotFiles(ports.blobs, scope).all()]  # noqa: E731
    clock.advance(days=1)
    assert run(ports, "snapshot").did == {"snapshots taken": 2}
    clock.advance(days=2)
    assert run(ports, "snapshot").did == {}
    change = replace(created(replace(memory, version=2, pinned=True)), before=1, at=clock.now())
    ports.store.writer.commit(Commit(scope=one, changes=(change,)))
    ports.store.writer.commit(Commit(scope=other, policy=Policy(version=1)))
    clock.advance(days=1)
    report = run(ports, "snapshot")
    assert (report.did, report.looked_at) == ({"snapshots taken": 2}, 2)
    assert (len(ids(one)), len(ids(other))) == (2, 2)
    last = SnapshotFiles(ports.blobs, one).all()[0]
    assert (last.records, last.by) == (1, "sweep snapshot")


def test_snapshots_too_old_go_also_where_nothing_changes(ports: Ports, clock: StandingClock) -> None:
    memory = a_memory(new_scope())
    put(ports, memory)
    run(ports, "snapshot")
    clock.advance(days=1)
    change = replace(created(replace(memory, version=2, pinned=True)), before=1, at=clock.now())
    ports.store.writer.commit(Commit(scope=memory.scope, changes=(change,)))
    clock.advance(hours=1)
    run(ports, "snapshot")
    clock.advance(days=1)
    run(ports, "snapshot")  # a store that knows only the day of the last write takes one more
    clock.advance(days=40)
    assert run(ports, "snapshot").did.keys() == {"snapshots removed"}
    assert len(SnapshotFiles(ports.blobs, memory.scope).all()) == 1


def test_a_snapshot_of_a_clock_that_was_set_back_holds_up_no_other(
    ports: Ports, clock: StandingClock
) -> None:
    """Falls where the newest one is asked, whatever the clock says: nothing would be put aside for a year."""
    scope = new_scope()
    put(ports, a_memory(scope))
    clock.advance(days=365)
    run(ports, "snapshot")
    clock.moment = START + DAY
    put(ports, a_memory(scope, "m2"))
    clock.advance(days=1)
    assert run(ports, "snapshot").did == {"snapshots taken": 1}
    clock.advance(days=1)
    assert run(ports, "snapshot").did == {}


def test_an_empty_project_has_nothing_to_put_aside(ports: Ports) -> None:
    scope = new_scope()
    ports.store.writer.commit(Commit(scope=scope, policy=Policy(version=1)))
    assert run(ports, "snapshot").did == {}
