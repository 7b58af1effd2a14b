"""The laptop's clock: what is due runs, in turns, until the server stops; the same list as the cloud's."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.integrity.index_comparison import VectorCoverage
from memory_layer.domain.time.sweep_state import SweepReport
from memory_layer.errors import IndexUnavailable, StoreUnavailable
from memory_layer.local.scheduler import Scheduler, embed_waiting, embedding_beside, is_due
from memory_layer.manifest.functions import FUNCTIONS
from memory_layer.manifest.schedules import SCHEDULES
from memory_layer.manifest.sweeps import DECLARED_SWEEPS, HOUR
from memory_layer.ports.process import Ports
from memory_layer.usecases.sweeps import run_sweep as frame
from memory_layer.usecases.sweeps.lease import take_lease
from memory_layer.usecases.sweeps.registry import SWEEPS
from memory_layer.usecases.sweeps.step import Step, StepReport, SweepWalk
from tests.given import ADMIN, SCOPE, START, NoEmbedder, StandingClock, put_as

LAST = SweepReport(name="expiry", started_at=START, ended_at=START, is_complete=True)


def test_every_declared_sweep_has_a_step() -> None:
    """Falls where the declaration names a step that is not there, or two sweeps share a name."""
    steps = [sweep.step for sweep in DECLARED_SWEEPS.values()]
    assert set(DECLARED_SWEEPS) == set(SWEEPS)
    assert len(set(steps)) == len(steps)
    assert all(callable(step) for step in SWEEPS.values())


def test_every_step_is_declared() -> None:
    """Falls where a step of usecases/sweeps runs in no sweep."""
    folder = Path(import_module("memory_layer.usecases.sweeps").__path__[0])
    modules = (import_module(f"memory_layer.usecases.sweeps.{path.stem}") for path in folder.glob("*.py"))
    steps = {name for module in modules for name in _step_names(module)}
    assert steps == {sweep.step for sweep in DECLARED_SWEEPS.values()}


def _step_names(module: ModuleType) -> Iterator[str]:
    """Public steps of a module, which its annotations tell."""
    short = module.__name__.rpartition(".")[2]
    hints = {name for name, kind in inspect.get_annotations(module).items() if kind is Step}
    functions = inspect.getmembers(module, inspect.isfunction)
    made = {name for name, made in functions if made.__module__ == module.__name__ and _is_step(made)}
    yield from (f"{short}.{name}" for name in hints | made if not name.startswith("_"))


def _is_step(function: Callable[..., Any]) -> bool:
    return list(inspect.get_annotations(function).values()) == [Ports, SweepWalk, StepReport]


def test_every_schedule_calls_a_function_that_there_is_with_the_name_of_its_sweep() -> None:
    assert {one.name: dict(one.detail) for one in SCHEDULES if one.function == "sweep"} == {
        name: {"sweep": name} for name in SWEEPS
    }
    assert {schedule.function for schedule in SCHEDULES} <= {function.name for function in FUNCTIONS}


@pytest.mark.parametrize(
    ("last", "after", "is_due_then"),
    [
        (None, timedelta(), True),
        (LAST, timedelta(minutes=60), True),
        (LAST, timedelta(minutes=60, microseconds=-1), False),
        (LAST, timedelta(microseconds=-1), True),
        (replace(LAST, is_complete=False), timedelta(), True),
    ],
)
def test_due_is_what_has_not_run_for_its_period(
    last: SweepReport | None, after: timedelta, is_due_then: bool
) -> None:
    assert is_due(last, HOUR, START + after) == is_due_then


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every sweep but notes that it was called."""
    called: list[str] = []

    def noting(_: Ports, walk: SweepWalk) -> StepReport:
        called.append(walk.name)
        return StepReport()

    for name in SWEEPS:
        monkeypatch.setitem(frame.SWEEPS, name, noting)  # type: ignore[arg-type]
    return called


def named(is_asked: Callable[[int], bool]) -> list[str]:
    """Sweeps whose period is asked for."""
    return sorted(sweep.name for sweep in DECLARED_SWEEPS.values() if is_asked(sweep.minutes))


def test_all_run_at_the_first_start_and_then_each_in_its_time(
    backend: EmbeddedBackend, clock: StandingClock, calls: list[str]
) -> None:
    scheduler = Scheduler(backend.ports)
    scheduler.run_due()
    assert sorted(calls) == sorted(SWEEPS)
    calls.clear()
    clock.advance(minutes=HOUR - 1)
    scheduler.run_due()
    assert sorted(calls) == named(lambda minutes: minutes < HOUR)
    calls.clear()
    clock.advance(minutes=1)
    scheduler.run_due()
    assert sorted(calls) == named(lambda minutes: minutes == HOUR)


def test_what_takes_long_is_run_in_turns_until_it_is_done(
    backend: EmbeddedBackend, clock: StandingClock, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(_: Ports, walk: SweepWalk) -> StepReport:
        clock.advance(seconds=5)
        calls.append(walk.name)
        return StepReport(None if walk.cursor == "xx" else f"{walk.cursor or ''}x")

    monkeypatch.setitem(frame.SWEEPS, "expiry", slow)  # type: ignore[arg-type]
    Scheduler(backend.ports).run_due()
    assert calls.count("expiry") == 3
    assert calls[0] == calls[-1] == "expiry"
    assert set(calls[1:]) >= {"decay", "snapshot"}


def test_a_sweep_that_is_stopped_waits_for_the_next_tick(
    backend: EmbeddedBackend, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(_: Ports, walk: SweepWalk) -> StepReport:
        calls.append(walk.name)
        raise StoreUnavailable("the disk is full")

    monkeypatch.setitem(frame.SWEEPS, "expiry", down)  # type: ignore[arg-type]
    scheduler = Scheduler(backend.ports)
    scheduler.run_due()
    assert calls.count("expiry") == 1
    calls.clear()
    scheduler.run_due()
    assert calls == ["expiry"]


def test_two_servers_on_one_folder_do_not_run_one_sweep_at_once(
    backend: EmbeddedBackend, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(_: Ports, walk: SweepWalk) -> StepReport:
        if len(calls) < 3:
            calls.append(walk.name)
            Scheduler(backend.ports).run_due()
        return StepReport()

    monkeypatch.setitem(frame.SWEEPS, "expiry", meanwhile)  # type: ignore[arg-type]
    Scheduler(backend.ports).run_due()
    assert calls.count("expiry") == 1


def test_it_runs_in_the_background_until_it_is_closed(
    backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = threading.Event()

    def noting(*_: Any) -> StepReport:
        ran.set()
        return StepReport()

    for name in SWEEPS:
        monkeypatch.setitem(frame.SWEEPS, name, noting)  # type: ignore[arg-type]
    scheduler = Scheduler(backend.ports, tick_s=0.01)
    scheduler.start()
    assert ran.wait(30)
    scheduler.close()
    assert "sweeps" not in [thread.name for thread in threading.enumerate()]


def test_a_mistake_in_a_sweep_ends_neither_the_others_nor_the_thread(
    backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Falls without what `_sweep` catches: the first mistake of a tick would be its last sweep."""
    tries = threading.Semaphore(0)

    def wrong(*_: Any) -> StepReport:
        tries.release()
        raise ZeroDivisionError

    for name in SWEEPS:
        monkeypatch.setitem(frame.SWEEPS, name, wrong)  # type: ignore[arg-type]
    scheduler = Scheduler(backend.ports, tick_s=0.01)
    scheduler.start()
    assert all(tries.acquire(timeout=30) for _ in range(len(SWEEPS) + 1)), "each is tried, and then anew"
    scheduler.close()
    assert "could not be run" in caplog.text


class CountedIndex:
    """Index that tells how many memories have a vector."""

    def __init__(self, total: int, with_vector: int) -> None:
        self.found = VectorCoverage(total, with_vector)

    def coverage(self) -> VectorCoverage:
        return self.found


def test_missing_vectors_are_not_waited_for_until_the_next_backfill_is_due(
    backend: EmbeddedBackend, calls: list[str]
) -> None:
    """Falls without `_lacks_vectors`; what a whole walk had to leave is not tried at every tick."""
    index = CountedIndex(3, 3)
    scheduler = Scheduler(replace(backend.ports, index=index))  # type: ignore[arg-type]
    scheduler.run_due()
    calls.clear()
    scheduler.run_due()
    assert calls == []
    index.found = VectorCoverage(4, 3)
    scheduler.run_due()
    assert calls == ["backfill"]
    scheduler.run_due()
    assert calls == ["backfill"], "the one that is left cannot be embedded"
    index.found = VectorCoverage(5, 3)
    scheduler.run_due()
    assert calls == ["backfill", "backfill"]


def test_an_index_that_is_down_holds_up_no_sweep(backend: EmbeddedBackend, calls: list[str]) -> None:
    class Down:
        def coverage(self) -> VectorCoverage:
            raise IndexUnavailable("damaged")

    Scheduler(replace(backend.ports, index=Down())).run_due()  # type: ignore[arg-type]
    assert sorted(calls) == sorted(SWEEPS)


def without_vector(open_backend: Callable[..., EmbeddedBackend]) -> EmbeddedBackend:
    """A backend with its model, over a memory that was stored without it."""
    put_as(open_backend(embedder=NoEmbedder()).ports, ADMIN, "m1", "Use snake_case for Python functions.")
    return open_backend()


def test_what_waits_for_a_vector_gets_it_as_soon_as_the_process_is_ready(
    open_backend: Callable[..., EmbeddedBackend], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before the first tick, and without the other sweeps, which would hold up the first answers."""
    ports = without_vector(open_backend).ports
    ran = threading.Event()
    sweep = Scheduler._sweep
    monkeypatch.setattr(Scheduler, "_sweep", lambda *asked: (sweep(*asked), ran.set())[0])
    with embedding_beside(ports):
        assert ran.wait(30)
    assert ports.index.coverage().ratio == 1.0
    assert [name for name in SWEEPS if ports.store.sweeps.state(name)] == ["backfill"]


def test_a_command_embeds_a_few_that_wait_and_looks_at_nothing_if_none_does(
    open_backend: Callable[..., EmbeddedBackend],
) -> None:
    ports = without_vector(open_backend).ports
    embed_waiting(ports, ADMIN.scope("another"))
    assert ports.store.sweeps.state("backfill") is None
    embed_waiting(ports, SCOPE)
    assert ports.index.coverage().ratio == 1.0


def test_a_command_leaves_the_vectors_to_whoever_makes_them_already(
    open_backend: Callable[..., EmbeddedBackend],
) -> None:
    """Falls where a command that has answered ends with the error of another process's sweep."""
    backend = without_vector(open_backend)
    now = backend.ports.clock.now()
    take_lease(backend.ports.store.sweeps, "backfill", "a server", now, now + timedelta(minutes=1))
    embed_waiting(backend.ports, SCOPE)
    assert backend.ports.index.coverage().ratio == 0.0
