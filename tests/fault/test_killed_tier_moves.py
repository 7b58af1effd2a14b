"""A move between tiers that died at any step: all words can be read at once, and the next run completes it.

Falls where a stub is committed before its body lies there, or where a body goes before its record is whole again.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.memory import Memory, Tier, is_stub
from memory_layer.domain.policy import Policy
from memory_layer.domain.tier_policy import DEFAULT_TIER_POLICY, with_overrides
from memory_layer.domain.time.decay import FREEZE_AFTER_DAYS
from memory_layer.ports.process import Ports
from memory_layer.ports.receipts import RecallReceipt
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.ground.read_memory import read_memory
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.sweeps.lease import LEASE_MAX
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from tests.fault.forked_process import assert_alive
from tests.fault.test_killed_sweeps import Died, Dying, complete, deaths, mortal, opened
from tests.given import ADMIN, SCOPE, START, StandingClock, a_memory, put_records

pytestmark = pytest.mark.fault

CYCLES = int(os.environ.get("KILLED_SWEEPS", "6"))
RECORDS, KILLED_RECORDS = 5, 300
DAY = timedelta(days=1)


def example(number: int) -> Memory:
    content = f"Note {number}. " + f"The projector writes line {number} of what it was told. " * 60
    return a_memory(SCOPE, f"m{number:04}", content=content, status="archived")


def put(ports: Ports, count: int) -> None:
    put_records(ports.store, *map(example, range(count)))


def at_warm(ports: Ports, clock: StandingClock) -> None:
    """What is to move is hot, and two days old."""
    put(ports, RECORDS)
    clock.moment = START + 2 * DAY


def at_cold(ports: Ports, clock: StandingClock) -> None:
    """What is to move is warm, and too much."""
    at_warm(ports, clock)
    complete(ports, "tiering")
    clock.advance(days=1)
    no_room(ports)


def at_frozen(ports: Ports, clock: StandingClock) -> None:
    """What is to move has been cold for a year."""
    at_cold(ports, clock)
    complete(ports, "tiering")
    clock.advance(days=FREEZE_AFTER_DAYS)


def at_hot(ports: Ports, clock: StandingClock) -> None:
    """What is to move is warm, and was recalled."""
    at_warm(ports, clock)
    complete(ports, "tiering")
    refs = tuple(example(number).ref for number in range(RECORDS))
    ports.store.receipts.note(RecallReceipt("rcl_1", SCOPE, "rob", refs, clock.moment))
    ports.store.memories.every(SCOPE, after=None, limit=1)
    clock.advance(days=31)


def no_room(ports: Ports) -> None:
    tight = with_overrides(
        DEFAULT_TIER_POLICY["general"], {"evict": {"max_total_size_gb": 1e-9}, "pin": {"max_size_mb": 0}}
    )
    set_policy(ports, ADMIN, "web", lambda _: Policy(tier_policy={**DEFAULT_TIER_POLICY, "general": tight}))


def dying_in_blobs(backend: EmbeddedBackend, dying: Dying) -> Ports:
    """The store keeps its bodies with these very blobs: between body and commit is a step as well."""
    blobs = backend.ports.blobs
    for call in ("put", "reclass"):
        setattr(blobs, call, dying.around(getattr(blobs, call)))
    ports = mortal(backend.ports, dying)
    return replace(ports, blobs=blobs)


@pytest.mark.parametrize(
    ("tier", "prepare"), [("warm", at_warm), ("cold", at_cold), ("frozen", at_frozen), ("hot", at_hot)]
)
def test_a_move_that_died_between_any_two_writes_has_lost_nothing_and_is_completed(
    tmp_path: Path, tier: Tier, prepare: Callable[[Ports, StandingClock], None]
) -> None:
    died = 0
    for number, (at, is_after) in enumerate(deaths()):
        clock, folder = StandingClock(), tmp_path / str(number)
        backend = opened(folder, clock)
        prepare(backend.ports, clock)
        dying = Dying(at, is_after)
        try:
            run_sweep(
                dying_in_blobs(backend, dying), "tiering", holder="who dies", seconds=600, page_records=2
            )
        except Died:
            died += 1
        backend.close()
        again = opened(folder, clock)
        assert_nothing_is_lost(again.ports, RECORDS)
        clock.moment += LEASE_MAX if dying.is_dead else timedelta()
        complete(again.ports, "tiering")
        assert_moved_once(again.ports, tier)
        again.close()
        if not dying.is_dead:
            break
    assert died >= 2 * RECORDS, "each body and each page of records is a write of its own"


@pytest.mark.parametrize("is_after", [False, True])
def test_a_thaw_that_died_leaves_what_is_cold_readable(tmp_path: Path, is_after: bool) -> None:
    clock = StandingClock()
    backend = opened(tmp_path, clock)
    at_cold(backend.ports, clock)
    complete(backend.ports, "tiering")
    with pytest.raises(Died):
        read_memory(dying_in_blobs(backend, Dying(0, is_after)), ADMIN, "web", "m0000")
    backend.close()
    again = opened(tmp_path, clock)
    assert_nothing_is_lost(again.ports, RECORDS)
    assert read_memory(again.ports, ADMIN, "web", "m0000").tier == "hot"
    verbs = [version.verb for version in again.ports.store.history.of(SCOPE, "m0000")]
    assert verbs == ["created", "moved", "moved", "restored"]
    again.close()


def test_moves_that_were_killed_have_lost_nothing_and_are_completed(tmp_path: Path) -> None:
    randomness, interrupted = random.Random(20260301), 0
    for cycle in range(CYCLES):
        folder, clock = tmp_path / str(cycle), StandingClock()
        killed_moves(folder, after_bodies=randomness.randrange(KILLED_RECORDS - 100))
        backend = opened(folder, clock)
        assert_nothing_is_lost(backend.ports, KILLED_RECORDS)
        clock.moment = START + 2 * DAY + LEASE_MAX
        interrupted += 0 < complete(backend.ports, "tiering") < KILLED_RECORDS
        assert_moved_once(backend.ports, "warm", KILLED_RECORDS)
        backend.close()
    assert interrupted, "no kill came while the sweep was under way"


def killed_moves(folder: Path, *, after_bodies: int) -> None:
    """Run the sweep in a process that dies as soon as more than so many bodies lie there."""
    clock = StandingClock()
    backend = opened(folder, clock)
    put(backend.ports, KILLED_RECORDS)
    blobs = backend.ports.blobs
    backend.close()
    pid = os.fork()
    if pid == 0:
        try:
            clock.moment = START + 2 * DAY
            run_sweep(opened(folder, clock).ports, "tiering", holder="who dies", seconds=600, page_records=2)
            time.sleep(60)
        finally:
            os._exit(1)
    while len(blobs.keys("bodies/")) <= after_bodies:
        assert_alive(pid)
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def assert_nothing_is_lost(ports: Ports, count: int) -> None:
    """Also before anybody has completed anything."""
    for number in range(count):
        read = get_memory(ports, ADMIN, "web", example(number).id)
        assert read.content == example(number).content


def assert_moved_once(ports: Ports, tier: Tier, count: int = RECORDS) -> None:
    way: dict[Tier, int] = {"warm": 1, "cold": 2, "frozen": 3, "hot": 2}
    assert complete(ports, "tiering") == 0
    assert_nothing_is_lost(ports, count)
    refs = [example(number).ref for number in range(count)]
    lying = ports.store.memories.get_many(SCOPE.tenant, refs, with_bodies=False).values()
    assert {memory.tier for memory in lying} == {tier}
    assert {is_stub(memory) for memory in lying} == {tier != "hot"}
    for memory in lying:
        verbs = [version.verb for version in ports.store.history.of(SCOPE, memory.id)]
        assert verbs == ["created", *["moved"] * way[tier]]
