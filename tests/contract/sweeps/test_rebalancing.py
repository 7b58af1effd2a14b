"""Use tunes how soon memories cool, over both backends: seen by the walk over all tiers, once a month."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.context import usage_tuning
from memory_layer.domain.context.assembly_policy import AssemblyPolicy
from memory_layer.domain.context.usage_tuning import SEEN_MIN
from memory_layer.domain.tier_policy import GB
from memory_layer.usecases.recall.warm_up import warm_up
from memory_layer.usecases.review.tune_context import get_tuning, reset_tuning
from memory_layer.usecases.sweeps import tiering as rebalancing
from memory_layer.usecases.write.revise import revise
from tests.contract.sweeps.test_tiers import DAY, access, long_text, lying, old, put, rules, tier_of, tiering
from tests.given import ADMIN, SCOPE, START, StandingClock

IDS = [f"m{number:02}" for number in range(SEEN_MIN)]
COME_BACK = IDS[: SEEN_MIN // 4]
NEXT_MONTH = START + 31 * DAY


@pytest.fixture
def backend(open_backend: Callable[..., EmbeddedBackend]) -> EmbeddedBackend:
    return open_backend()


def use(backend: EmbeddedBackend, clock: StandingClock, *ids: str) -> None:
    """All go warm, these come back two days later, and the month goes by."""
    put(backend, *map(old, IDS))
    tiering(backend)
    clock.moment = START + 2 * DAY
    access(backend, *ids)
    warm_up(backend.ports, SCOPE, ids)
    backend.drain()
    assert {tier_of(backend.ports, id) for id in ids} <= {"hot"}
    clock.moment = NEXT_MONTH


def tuning(backend: EmbeddedBackend) -> AssemblyPolicy:
    return get_tuning(backend.ports, ADMIN, "web")


def test_what_comes_back_too_often_cools_later_until_it_is_reset(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    use(backend, clock, *COME_BACK)
    assert tiering(backend, is_dry_run=True).did == {"classes rebalanced": 1}
    assert tuning(backend) == AssemblyPolicy()
    assert tiering(backend).did == {"classes rebalanced": 1}
    kept = tuning(backend)
    assert kept.cooling == {"general": 1.5}
    assert [(change.by, change.at) for change in kept.history] == [("sweep tiering", NEXT_MONTH)]
    assert "5 of 20 that lay warm came back" in kept.history[0].why[0]

    put(backend, old("young", updated_at=NEXT_MONTH))
    clock.moment = NEXT_MONTH + DAY
    assert (tiering(backend).did, tuning(backend)) == ({}, kept), "24 hours are not enough any more"
    clock.advance(hours=12)
    assert tiering(backend).did == {"warm": 1}

    reset_tuning(backend.ports, ADMIN, "web")
    assert tuning(backend).cooling == {}
    put(backend, old("younger", updated_at=clock.now()))
    clock.advance(days=1)
    assert tiering(backend).did == {"warm": 1}


def test_a_walk_that_is_never_whole_takes_one_step_a_month(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    """Where something cannot be read `walked_until` stands still, and every run is the first one of its month."""
    use(backend, clock, *COME_BACK)
    for _ in range(3):
        tiering(backend)
        state = backend.ports.store.sweeps.state("tiering")
        assert state is not None
        unfinished = replace(state, walked_until=None, version=state.version + 1)
        backend.ports.store.sweeps.put_state(unfinished)
        clock.advance(hours=1)
    assert tuning(backend).cooling == {"general": 1.5}


def test_what_nothing_brings_back_keeps_its_age(backend: EmbeddedBackend, clock: StandingClock) -> None:
    """Nor does what was hot all the time, however often it was changed before."""
    used = [f"used{number}" for number in range(9)]
    clock.moment = START - 2 * DAY
    put(backend, *map(old, used))
    access(backend, *used)
    for summary in ("once", "twice"):
        for id in used:
            revise(backend.ports, ADMIN, "web", id, {"summary": summary})
    clock.moment = START
    use(backend, clock)
    assert tiering(backend).did == {}
    assert tuning(backend) == AssemblyPolicy()


def test_what_was_brought_back_by_a_change_is_no_use(
    backend: EmbeddedBackend, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without the look at `updated_at`."""
    monkeypatch.setattr(usage_tuning, "SEEN_MIN", 10)
    use(backend, clock, *COME_BACK)
    clock.moment = START + 2 * DAY
    for id in IDS[10:]:
        revise(backend.ports, ADMIN, "web", id, {"summary": "what it was"})
    backend.drain()
    clock.moment = NEXT_MONTH
    tiering(backend)
    assert "5 of 10" in tuning(backend).history[0].why[0]


def test_a_class_that_is_full_of_what_has_yet_to_cool_cools_sooner(backend: EmbeddedBackend) -> None:
    """What a person has pinned is not moved by it."""
    young = {"updated_at": START - timedelta(hours=20)}
    pinned = old("pinned", pinned=True, **young)
    put(backend, pinned, old("young", **young))
    limit_gb = 1.1 * len(long_text("journal").encode()) / GB
    rules(backend.ports, evict={"max_total_size_gb": limit_gb}, pin={"max_size_mb": 0})
    assert tiering(backend).did["classes rebalanced"] == 1
    assert tuning(backend).cooling == {"general": 0.667}
    assert lying(backend.ports, "pinned") == pinned


def test_what_has_just_cooled_and_what_is_asked_for_fill_no_class(backend: EmbeddedBackend) -> None:
    """No other age would make room."""
    put(backend, *map(old, IDS[:3]))
    access(backend, IDS[0])
    rules(backend.ports, evict={"max_total_size_gb": 1e-6}, pin={"max_size_mb": 0})
    assert tiering(backend).did == {"warm": 2, "cold": 3}


def test_what_a_project_has_set_is_left_to_it(backend: EmbeddedBackend, clock: StandingClock) -> None:
    use(backend, clock, *COME_BACK)
    rules(backend.ports, compress={"age_threshold_hours": 12})
    assert tiering(backend).did == {}
    assert tuning(backend) == AssemblyPolicy()


def test_of_a_project_that_was_seen_in_part_nothing_is_concluded(
    backend: EmbeddedBackend, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pages with what came back are seen, those with what stayed are not."""
    monkeypatch.setattr(usage_tuning, "SEEN_MIN", 1)
    use(backend, clock, *COME_BACK)
    assert [tiering(backend, seconds=0, page_records=10).is_complete for _ in range(2)] == [False, False]
    report = tiering(backend, page_records=10)
    assert (report.is_complete, report.did) == (True, {})
    assert tuning(backend) == AssemblyPolicy()


def test_a_few_looked_up_stand_for_all(
    backend: EmbeddedBackend, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebalancing, "LOOKED_UP", 2)
    asked: list[int] = []
    at = backend.ports.store.history.at
    monkeypatch.setattr(
        backend.ports.store.history,
        "at",
        lambda scope, ids, then: asked.append(len(ids)) or at(scope, ids, then),
    )
    use(backend, clock, *COME_BACK)
    tiering(backend)
    assert "5 of 20" in tuning(backend).history[0].why[0]
    assert asked == [2]
