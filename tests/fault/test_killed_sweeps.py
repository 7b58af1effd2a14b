"""A sweep that died between any two steps: the next run completes it, and nothing is done twice.

Falls where a sweep does more than one thing to a record, or goes on from a place that it had not reached.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.outcome import drift
from memory_layer.domain.time.entity_events import EntityEvent
from memory_layer.domain.time.sweep_state import SweepName
from memory_layer.ports.process import Embedder, Ports
from memory_layer.settings import DATABASE_NAME, read_settings
from memory_layer.usecases.sweeps.lease import LEASE_MAX
from memory_layer.usecases.sweeps.mark_stale import SETTLED_AFTER
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.transfer.snapshot_files import SnapshotFiles
from tests.fault.forked_process import assert_alive
from tests.given import START, NoEmbedder, StandingClock, a_memory, put_records, with_parts

pytestmark = pytest.mark.fault

CYCLES = int(os.environ.get("KILLED_SWEEPS", "6"))
KILLED_RECORDS = 1_200
RECORDS = 230
SCOPES = (Scope("acme", "web"), Scope("beta", "api"))
STORE_WRITES = {"writer": ("commit", "commit_each"), "sweeps": ("put_state",), "events": ("mark_applied",)}
BLOB_WRITES = ("put", "delete")
EVENTS = 3
"""That nobody has looked at yet."""

MEANT = [f"urn:{number}" for number in range(EVENTS)]


class Died(BaseException):
    """As if the process were gone: nobody catches it."""


@dataclass
class Dying:
    """Counts writes, and dies right before or right after one of them; what follows is not written either."""

    at: int
    is_after: bool
    done: int = 0
    is_dead: bool = False

    def around(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def dying(*given: Any, **named: Any) -> Any:
            if self.is_dead or (self.done == self.at and not self.is_after):
                self._die()
            answer = write(*given, **named)
            if self.done == self.at:
                self._die()
            self.done += 1
            return answer

        return dying

    def _die(self) -> None:
        self.is_dead = True
        raise Died


class Through:
    """A part of the backend, some of whose calls are others."""

    def __init__(self, part: Any, **others: Any) -> None:
        self._part = part
        self.__dict__ |= others

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)


def mortal(ports: Ports, dying: Dying) -> Ports:
    def through(part: Any, calls: tuple[str, ...]) -> Any:
        return Through(part, **{call: dying.around(getattr(part, call)) for call in calls})

    parts = {name: through(getattr(ports.store, name), calls) for name, calls in STORE_WRITES.items()}
    return replace(with_parts(ports, **parts), blobs=through(ports.blobs, BLOB_WRITES))


def deaths() -> Iterator[tuple[int, bool]]:
    for at in range(1_000):
        yield at, False
        yield at, True


@pytest.mark.parametrize("name", ["expiry", "decay", "snapshot", "staleness", "backfill"])
def test_a_sweep_that_died_between_any_two_writes_is_completed(
    tmp_path: Path, name: SweepName, embedder: Embedder
) -> None:
    died, model = 0, embedder if name == "backfill" else NoEmbedder()
    for number, (at, is_after) in enumerate(deaths()):
        clock = StandingClock()
        backend = opened(tmp_path / str(number), clock, model)
        put(backend.ports, RECORDS)
        clock.moment = START + 40 * timedelta(days=1)
        backend.ports.store.events.add(
            [happened(number, clock.moment - SETTLED_AFTER) for number in range(EVENTS)]
        )
        dying = Dying(at, is_after)
        try:
            run_sweep(mortal(backend.ports, dying), name, holder="who dies", seconds=600)
        except Died:
            died += 1
        backend.close()
        again = opened(tmp_path / str(number), clock, model)
        clock.moment += LEASE_MAX if dying.is_dead else timedelta()
        complete(again.ports, name)
        check(again.ports, name)
        again.close()
        if not dying.is_dead:
            break
    assert died >= 8, "it has at least four writes: the lease, two pages with their cursors, the end"


def test_a_sweep_that_was_killed_is_completed(tmp_path: Path) -> None:
    randomness, interrupted = random.Random(20260301), 0
    for cycle in range(CYCLES):
        folder, clock = tmp_path / str(cycle), StandingClock()
        killed_sweep(folder, after_records=randomness.randrange(KILLED_RECORDS // 2 - 100))
        backend = opened(folder, clock)
        clock.moment = START + 40 * timedelta(days=1) + LEASE_MAX
        report = complete(backend.ports, "expiry")
        interrupted += 0 < report < KILLED_RECORDS // 2  # every second one expires
        check(backend.ports, "expiry", KILLED_RECORDS)
        backend.close()
    assert interrupted, "no kill came while the sweep was under way"


def opened(folder: Path, clock: StandingClock, model: Embedder | None = None) -> EmbeddedBackend:
    settings = read_settings({}, data_dir=folder, model_dir=folder / "none")
    return open_embedded(settings, embedder=model or NoEmbedder(), clock=clock)


def happened(number: int, at: datetime) -> EntityEvent:
    return EntityEvent(
        id=f"e{number}",
        **SCOPES[0]._asdict(),
        urn=f"urn:{number}",
        event="schema_changed",
        occurred_at=at,
        received_at=at,
        created_by="ada",
    )


def put(ports: Ports, count: int) -> None:
    put_records(ports.store, *map(example, range(count)))


def example(number: int) -> Memory:
    """Even ones expire; the others drift."""
    scope = SCOPES[number % 3 % 2]
    end = START + timedelta(days=2, minutes=number) if number % 2 == 0 else None
    return a_memory(
        scope,
        f"m{number:04}",
        expires_at=end,
        outcome_score=0.8,
        last_used_at=START,
        entities=(f"urn:{number % 7}",),
    )


def complete(ports: Ports, name: SweepName) -> int:
    """Run it until it is; how many records it changed."""
    changed = 0
    for _ in range(100):
        report = run_sweep(ports, name, holder="who comes after", seconds=600)
        changed += sum(report.did.values())
        assert report.failed == ()
        if report.is_complete:
            return changed
    raise AssertionError("it does not come to its end")


def check(ports: Ports, name: SweepName, count: int = RECORDS) -> None:
    """Everything once, nothing more; and the sweep has nothing left to do."""
    assert complete(ports, name) == 0
    if name == "snapshot":
        for scope in SCOPES:
            whole = [one for one in SnapshotFiles(ports.blobs, scope).all() if one.is_whole]
            assert [one.records for one in whole] == [sum(example(n).scope == scope for n in range(count))]
        return
    for before in map(example, range(count)):
        after = ports.store.memories.get(before.scope, before.id)
        assert after is not None
        is_over = before.expires_at is not None
        verbs = [version.verb for version in ports.store.history.of(before.scope, before.id)]
        if name == "expiry":
            assert verbs == (["created", "expired"] if is_over else ["created"])
        elif name == "staleness":
            is_meant = before.scope == SCOPES[0] and before.entities[0] in MEANT and not is_over
            assert verbs == (["created", "staled"] if is_meant else ["created"])
        elif name == "backfill":
            assert verbs == ["created", "embedded"]
            assert after.embedding_model == ports.embedder.model
        else:
            assert verbs == (["created"] if is_over else ["created", "drifted"])
            assert is_over or after.outcome_score == drift(0.8, 40)


def killed_sweep(folder: Path, *, after_records: int) -> None:
    """Run the sweep in a process that dies as soon as more than so many records are archived."""
    clock = StandingClock()
    backend = opened(folder, clock)
    put(backend.ports, KILLED_RECORDS)
    backend.close()
    pid = os.fork()
    if pid == 0:
        try:
            clock.moment = START + 40 * timedelta(days=1)
            run_sweep(opened(folder, clock).ports, "expiry", holder="who dies", seconds=600)
            time.sleep(60)
        finally:
            os._exit(1)
    archived = "SELECT count(*) FROM memories WHERE status = 'archived'"
    with closing(sqlite3.connect(folder / DATABASE_NAME)) as database:
        while database.execute(archived).fetchone()[0] <= after_records:
            assert_alive(pid)
            time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
