"""What sweeps go by: what is due, which projects there are, and the state of each sweep; the same on both backends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from memory_layer.adapters.aws.table import lifecycle_keys
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.time.sweep_state import SweepReport, SweepState
from memory_layer.errors import Malformed, VersionConflict
from memory_layer.ports.commit import Change, Commit, Erasure
from memory_layer.ports.record_store import RecordStore
from tests.given import START, StandingClock, a_memory, changed, created, new_scope, put_records

DAY = timedelta(days=1)
MOMENT = timedelta(microseconds=1)
LATER = START + 6 * DAY
NEW = (Scope("beta", "api"), Scope("acme", "web"), Scope("acme", "_shared"))


@pytest.fixture(autouse=True)
def _recent_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk that knows no better begins in the past: here not longer ago than needed, for an engine that is slow."""
    monkeypatch.setattr(lifecycle_keys, "DUE_EPOCH", START - timedelta(days=2))


REPORT = SweepReport(
    name="expiry",
    started_at=START,
    ended_at=START + timedelta(seconds=3),
    is_complete=True,
    looked_at=7,
    did={"expired": 3},
    failed=("web: m1: it is too long", "web: m2 — so is this"),
    failed_count=40,
)


def due(
    store: RecordStore, until: datetime, *, limit: int = 100, since: datetime | None = None
) -> list[Memory]:
    """Of all pages, in the order that they come in."""
    found: list[Memory] = []
    cursor: str | None = None
    for _ in range(1_000):
        page = store.sweeps.due(until, since=since, after=cursor, limit=limit)
        assert len(page.memories) <= limit
        assert page.damaged == ()
        names = store.sweeps.due_names(until, since=since, after=cursor, limit=limit)
        assert names.next_cursor == page.next_cursor
        assert list(names.names) == [(memory.scope, memory.id) for memory in page.memories]
        found += page.memories
        cursor = page.next_cursor
        if cursor is None:
            return found
    raise AssertionError("the walk does not end")


def due_ids(store: RecordStore, until: datetime, **asked: Any) -> list[str]:
    return [memory.id for memory in due(store, until, **asked)]


def expiring(scope: Scope, id: str, at: datetime, **fields: Any) -> Memory:
    return a_memory(scope, id, expires_at=at, **fields)


# ---- what is due


def test_what_is_due_is_found_across_tenants_as_it_is_stored(store: RecordStore) -> None:
    one, other = new_scope("acme"), new_scope("beta")
    first, second = (
        expiring(one, "m1", START + DAY),
        expiring(other, "m#2/ü", START + 2 * DAY, status="pending"),
    )
    put_records(store, first, second, a_memory(one, "never"), expiring(one, "later", START + 9 * DAY))
    assert due(store, START + 3 * DAY) == [first, second]


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_pages_go_through_all_of_it_once_the_oldest_days_first(store: RecordStore, limit: int) -> None:
    scope = new_scope()
    days = [1, 3, 3, 3, 10, 10, 2, 90, 3]
    put_records(
        store, *(expiring(scope, f"m{n}", START + day * DAY + n * MOMENT) for n, day in enumerate(days))
    )
    found = due_ids(store, START + 10 * DAY + timedelta(hours=1), limit=limit)
    assert sorted(found) == [f"m{n}" for n, day in enumerate(days) if day <= 10]
    assert [days[int(id[1:])] for id in found] == sorted(day for day in days if day <= 10)


def test_due_means_by_then_to_the_microsecond(store: RecordStore) -> None:
    put_records(store, expiring(new_scope(), "m1", START + DAY))
    assert due_ids(store, START + DAY - MOMENT) == []
    assert due_ids(store, START + DAY) == ["m1"]


def test_a_change_moves_a_record_in_the_list_or_takes_it_off(store: RecordStore) -> None:
    scope = new_scope()
    memory = expiring(scope, "m1", START + DAY)
    put_records(store, memory)
    renewed = changed(memory, expires_at=START + 4 * DAY)
    store.writer.commit(Commit(scope=scope, changes=(renewed,)))
    assert due_ids(store, START + 4 * DAY - MOMENT) == []
    assert due_ids(store, START + 4 * DAY) == ["m1"]
    ended = changed(renewed.memory, status="archived")
    store.writer.commit(Commit(scope=scope, changes=(ended,)))
    assert due_ids(store, LATER) == []
    back = changed(ended.memory, status="active")
    store.writer.commit(Commit(scope=scope, changes=(back,)))
    assert due_ids(store, LATER) == ["m1"]
    store.writer.commit(Commit(scope=scope, erasures=(Erasure("m1", back.memory.version),)))
    assert due_ids(store, LATER) == []


def test_whose_time_is_over_when_it_is_written_is_due_from_then_on(store: RecordStore) -> None:
    """The safeguard is due_from: under its own time it would lie where every walk has been already."""
    written = START + 30 * DAY
    put_records(store, expiring(new_scope(), "m1", START - 30 * DAY), at=written)
    assert due_ids(store, written, since=written) == ["m1"]


def test_a_score_that_drifts_is_due_with_the_first_day_that_counts(store: RecordStore) -> None:
    scope = new_scope()
    put_records(store, a_memory(scope, "m1", outcome_score=0.2, last_used_at=START + DAY))
    assert due_ids(store, START + 32 * DAY - MOMENT) == []
    assert due_ids(store, START + 32 * DAY) == ["m1"]


@pytest.mark.parametrize("cursor", ["", "x", "#", "2026-13-01#0#", "2026-03-01#x#"])
def test_a_cursor_that_no_page_named_is_refused(store: RecordStore, cursor: str) -> None:
    with pytest.raises(Malformed):
        store.sweeps.due(LATER, since=None, after=cursor, limit=10)


# ---- projects


def test_projects_are_listed_once_by_tenant_and_name(store: RecordStore) -> None:
    for number, scope in enumerate((*NEW, NEW[0])):
        store.writer.commit(Commit(scope=scope, changes=(created(a_memory(scope, f"m{number}")),)))
    assert projects(store) == sorted(NEW)


def projects(store: RecordStore, limit: int = 2) -> list[Scope]:
    found: list[Scope] = []
    while page := store.sweeps.projects(after=found[-1] if found else None, limit=limit):
        found += page
        if len(page) < limit:
            break
    return found


def test_a_project_is_known_as_soon_as_anything_is_in_it(store: RecordStore) -> None:
    scopes = [new_scope(), new_scope(), new_scope()]
    assert (
        store.writer.commit_each([Commit(scope=s, changes=(created(a_memory(s)),)) for s in scopes])
        == [None] * 3
    )
    assert set(scopes) <= set(projects(store))


def test_what_was_written_since_is_never_overlooked(
    open_backend: Callable[..., EmbeddedBackend], clock: StandingClock
) -> None:
    store, scope, other = open_backend().ports.store, new_scope(), new_scope()
    memory = a_memory(scope)
    put_records(store, memory, a_memory(other))
    assert store.sweeps.written_since(scope, START)
    clock.advance(days=3)
    assert not store.sweeps.written_since(scope, START + 2 * DAY)
    again = Change(replace(memory, version=2, pinned=True), 1, "updated", "ada", clock.now())
    store.writer.commit(Commit(scope=scope, changes=(again,)))
    assert store.sweeps.written_since(scope, START + 2 * DAY)
    assert not store.sweeps.written_since(other, START + 2 * DAY)
    clock.advance(days=3)
    assert not store.sweeps.written_since(scope, START + 5 * DAY)
    assert not store.sweeps.written_since(Scope("acme", "unheard-of"), START)


# ---- states


def test_a_state_comes_back_as_it_was_kept(open_backend: Callable[..., EmbeddedBackend]) -> None:
    store = open_backend().ports.store
    assert store.sweeps.state("expiry") is None
    state = SweepState(
        name="expiry",
        holder="host:1",
        leased_until=START + MOMENT,
        cursor="2026-03-01#7#x",
        walk_began_at=START,
        is_whole=False,
        walked_until=START - DAY,
        last_report=REPORT,
    )
    store.sweeps.put_state(state)
    assert open_backend().ports.store.sweeps.state("expiry") == state
    empty = SweepState(name="expiry", version=2)
    store.sweeps.put_state(empty)
    assert store.sweeps.state("expiry") == empty
    assert store.sweeps.state("decay") is None


def test_of_two_who_write_a_state_the_second_is_told(store: RecordStore) -> None:
    """The safeguard is the version: without it two processes would both have the lease."""
    store.sweeps.put_state(SweepState(name="decay", holder="one"))
    with pytest.raises(VersionConflict, match="decay"):
        store.sweeps.put_state(SweepState(name="decay", holder="other"))
    store.sweeps.put_state(SweepState(name="decay", holder="one", version=2))
    for version in (2, 4):
        with pytest.raises(VersionConflict):
            store.sweeps.put_state(SweepState(name="decay", holder="other", version=version))
    kept = store.sweeps.state("decay")
    assert kept is not None
    assert (kept.holder, kept.version) == ("one", 2)
