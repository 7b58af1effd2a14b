"""The function that the clock calls: one run of one sweep; what is running already is left alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from functions.sweep import handler as sweep
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.integrity.index_comparison import ReconcileReport, VectorCoverage
from memory_layer.edge.events.function_frame import WorkFailed
from memory_layer.edge.events.scheduled_sweeps import RUN_S
from memory_layer.errors import StoreUnavailable, TooLarge
from memory_layer.manifest.functions import FUNCTIONS
from memory_layer.manifest.metrics import INDEX_COVERAGE, INDEX_REPAIRED, SWEEP_FAILED
from memory_layer.manifest.schedules import SCHEDULES
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.sweeps import run_sweep as frame
from memory_layer.usecases.sweeps.lease import GRACE
from memory_layer.usecases.sweeps.step import StepReport
from tests.functions.conftest import Shelf
from tests.functions.http_api import Context, cold
from tests.given import SCOPE, START, a_memory, created

MARKER = "zanzibar-marker-7731"


@pytest.fixture
def ports(backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch) -> Ports:
    monkeypatch.setattr(sweep, "cloud", lambda: Shelf(backend.ports))
    return backend.ports


def call(event: Mapping[str, Any]) -> Any:
    return cold(sweep.handler)(event, Context())


def test_it_runs_what_its_schedule_names(ports: Ports) -> None:
    memory = a_memory(SCOPE, expires_at=START)
    ports.store.writer.commit(Commit(scope=SCOPE, changes=(created(memory),)))
    (schedule,) = (one for one in SCHEDULES if one.name == "expiry")
    event = {"schedule": schedule.name, **schedule.detail}
    assert call({**event, "dry_run": True})["did"] == {"expired": 1}
    assert ports.store.memories.get(SCOPE, "m1") == memory
    told = json.loads(json.dumps(call(event)))
    assert (told["name"], told["did"], told["complete"]) == ("expiry", {"expired": 1}, True)
    assert call(event)["did"] == {}


@pytest.mark.usefixtures("ports")
def test_every_schedule_names_a_sweep_that_runs() -> None:
    for schedule in SCHEDULES:
        if schedule.function == "sweep":
            assert call(schedule.detail)["complete"]


def test_its_time_is_up_before_the_functions_is() -> None:
    (entry,) = (function for function in FUNCTIONS if function.name == "sweep")
    assert RUN_S + GRACE.total_seconds() <= entry.timeout_s


@pytest.mark.usefixtures("ports")
def test_what_runs_already_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[Any] = []

    def meanwhile(*_: Any) -> StepReport:
        met.append(call({"sweep": "expiry"}))
        return StepReport()

    monkeypatch.setitem(frame.SWEEPS, "expiry", meanwhile)  # type: ignore[arg-type]
    assert call({"sweep": "expiry"})["complete"]
    assert met == [{"sweep": "expiry", "running": True}]


@pytest.mark.usefixtures("ports")
def test_a_stop_is_raised_so_that_it_is_called_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Safeguard: `is_stopped`; without it a table that is down for an hour would raise no alarm."""

    def down(*_: Any) -> StepReport:
        raise StoreUnavailable(MARKER)

    with monkeypatch.context() as patched:
        patched.setitem(frame.SWEEPS, "decay", down)  # type: ignore[arg-type]
        with pytest.raises(WorkFailed) as raised:
            call({"sweep": "decay"})
    assert MARKER not in str(raised.value)
    assert call({"sweep": "decay"})["complete"]


def test_what_failed_is_counted_for_an_alarm_and_not_quoted_in_the_log(
    ports: Ports, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failing = [TooLarge(MARKER)]
    ports.store.writer.commit(Commit(scope=SCOPE, changes=(created(a_memory(SCOPE, expires_at=START)),)))
    monkeypatch.setattr(ports.store.writer, "commit_each", lambda commits: failing * len(commits))
    told = call({"sweep": "expiry"})
    assert told["failed_count"] == 1
    assert MARKER in told["failed"][0]
    shown = capsys.readouterr().out
    assert MARKER not in shown
    lines = [json.loads(line) for line in shown.splitlines()]
    assert [line[SWEEP_FAILED] for line in lines if SWEEP_FAILED in line] == [[1.0]]


def measured(name: str, shown: str) -> list[Any]:
    return [line[name] for line in map(json.loads, shown.splitlines()) if name in line]


def test_how_many_have_vectors_and_what_was_repaired_is_measured(
    ports: Ports, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not of a dry run, which changes nothing."""
    monkeypatch.setattr(ports.index, "coverage", lambda: VectorCoverage(4, 3), raising=False)
    monkeypatch.setattr(
        ports.index,
        "reconcile",
        lambda *_, **__: ReconcileReport(looked_at=9, missing=2, orphan=1),
        raising=False,
    )
    ports.store.writer.commit(Commit(scope=SCOPE, changes=(created(a_memory(SCOPE)),)))
    for event in ({"sweep": "backfill"}, {"sweep": "reconcile"}, {"sweep": "expiry"}):
        call(event)
    shown = capsys.readouterr().out
    assert (measured(INDEX_COVERAGE, shown), measured(INDEX_REPAIRED, shown)) == ([[75.0]], [[3.0]])
    call({"sweep": "reconcile", "dry_run": True})
    assert measured(INDEX_REPAIRED, capsys.readouterr().out) == []


@pytest.mark.usefixtures("ports")
def test_an_unknown_sweep_is_handed_back() -> None:
    with pytest.raises(WorkFailed, match="NotFound"):
        call({"sweep": "tidying"})


def test_the_report_of_a_run_is_what_the_next_one_finds(ports: Ports) -> None:
    told = call({"sweep": "snapshot"})
    state = ports.store.sweeps.state("snapshot")
    assert state is not None
    assert state.last_report is not None
    assert told["did"] == dict(state.last_report.did)
