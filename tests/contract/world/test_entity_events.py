"""The world has changed: what is told is kept once and marks what it makes doubtful, at once or by the sweep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import SHARED_PROJECT, Principal, Viewer
from memory_layer.domain.memory import Memory
from memory_layer.domain.policy import Limits
from memory_layer.domain.time.entity_events import EntityEvent
from memory_layer.domain.time.sweep_state import SweepReport
from memory_layer.errors import Forbidden, IndexUnavailable, Invalid, StoreUnavailable, TooLarge
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground import entity_memories
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.review.confirm import confirm_memory
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.world import apply_entity_events as applying
from memory_layer.usecases.world import take_entity_events as taking
from memory_layer.usecases.world.take_entity_events import (
    INDEX_DOWN,
    MARKED_AT_ONCE,
    MORE_TO_MARK,
    EventReport,
    ReportedEvent,
    take_entity_events,
)
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.undo import undo_last_change
from tests.given import ADMIN, PROJECT, StandingClock

TABLE = "urn:table:orders"
SUBJECTS = ("Otters swim.", "Moles dig.", "Herons nest.", "Bats hang.", "Newts hide.", "Hares box.")


class World:
    """A project, its clock, and somebody who tells."""

    def __init__(
        self,
        open_backend: Callable[..., EmbeddedBackend],
        admin: Principal,
        agent: Principal,
        clock: StandingClock,
    ) -> None:
        self.backend = open_backend()
        self.ports: Ports = self.backend.ports
        self.admin, self.agent, self.clock = admin, agent, clock
        self.scope = admin.scope(PROJECT)

    def put(self, id: str, *entities: str, **fields: Any) -> Memory:
        content = f"{SUBJECTS[len(id) % 6]} So says {id}."
        said = {"content": content, "entities": entities, "source": "run", **fields}
        author = self.admin if "persona" in fields else self.agent
        put_memory(self.ports, author, PROJECT, id, said)
        self.clock.advance(minutes=1)
        return self.get(id)

    def get(self, id: str) -> Memory:
        found = self.ports.store.memories.get(self.scope, id)
        assert found is not None
        return found

    def tell(
        self,
        *told: ReportedEvent | str,
        ports: Ports | None = None,
        by: Principal | None = None,
        marked_at_once: int = MARKED_AT_ONCE,
    ) -> EventReport:
        events = [
            ReportedEvent(urn=one, event="content_changed") if isinstance(one, str) else one for one in told
        ]
        taken = take_entity_events(
            ports or self.ports, by or self.agent, PROJECT, events, marked_at_once=marked_at_once
        )
        self.clock.advance(minutes=1)
        return taken

    def sweep(self, *, is_dry_run: bool = False) -> SweepReport:
        self.clock.advance(minutes=5)
        return run_sweep(self.ports, "staleness", holder="test", seconds=60.0, is_dry_run=is_dry_run)

    def stale(self, *ids: str) -> list[bool]:
        return [self.get(id).status == "stale" for id in ids]

    def open(self) -> list[str]:
        page = self.ports.store.events.open(self.scope, after=None, limit=99)
        return [event.id for event in page.events]


@pytest.fixture
def world(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, agent: Principal, clock: StandingClock
) -> World:
    return World(open_backend, admin, agent, clock)


class DeadIndex:
    def __getattr__(self, name: str) -> Any:
        def dead(*_: object, **__: object) -> Any:
            raise IndexUnavailable("the index is down")

        return dead


def without_index(ports: Ports) -> Ports:
    return replace(ports, index=DeadIndex())


# ---- at once


def test_memories_that_name_the_thing_go_stale_at_once(world: World) -> None:
    world.put("a", TABLE)
    world.put("bb", "urn:else", TABLE)
    world.put("ccc", "urn:else")
    world.backend.drain()
    world.put("dddd", TABLE)  # the index may not have it yet
    (taken,) = world.tell(TABLE).events
    assert (taken.marked, taken.is_known, taken.is_new, taken.is_applied) == (3, True, True, True)
    assert world.stale("a", "bb", "ccc", "dddd") == [True, True, False, True]
    kept = world.ports.store.events.get_many(world.scope, [taken.event.id])[taken.event.id]
    assert (kept.marked, kept.is_known, kept.created_by) == (3, True, "agent-7")
    assert world.open() == []


def test_the_history_says_who_told(world: World) -> None:
    before = world.put("a", TABLE)
    world.tell(ReportedEvent(urn=TABLE, event="renamed", target="urn:table:sales"))
    last = world.ports.store.history.of(world.scope, "a")[-1]
    reason = "urn:table:orders was renamed to urn:table:sales on 2026-03-01, says agent-7"
    assert (last.verb, last.by, last.reason) == ("staled", "agent-7", reason)
    assert last.memory.status_reason == reason
    assert last.memory.updated_at == before.updated_at


def test_a_stale_memory_is_out_of_recall(world: World) -> None:
    world.put("a", TABLE, content="The orders table has two selling seasons.")
    asked = RecallRequest(query="selling seasons of the orders table")
    assert recall(world.ports, world.admin, PROJECT, asked).memories
    world.tell(TABLE)
    assert not recall(world.ports, world.admin, PROJECT, asked).memories
    world.backend.drain()
    assert not recall(world.ports, world.admin, PROJECT, asked).memories


def test_what_was_said_since_stays(world: World) -> None:
    world.put("a", TABLE)
    occurred_at = world.clock.now()
    world.clock.advance(minutes=1)
    world.put("bb", TABLE)
    revise(world.ports, world.admin, PROJECT, "a", {"content": "Otters swim, now under another name."})
    (taken,) = world.tell(ReportedEvent(urn=TABLE, event="removed", occurred_at=occurred_at)).events
    assert (taken.marked, taken.is_known) == (0, True)
    assert world.stale("a", "bb") == [False, False]


def test_an_unknown_thing_is_kept_and_counted(world: World) -> None:
    world.put("a", TABLE)
    taken = world.tell("urn:nobody", TABLE, "urn:nowhere")
    assert [one.is_known for one in taken.events] == [False, True, False]
    counts = world.ports.store.events.counts(world.scope)
    assert (counts["content_changed"], counts["unknown"]) == (3, 2)


def test_a_thing_that_only_an_archived_memory_names_is_known(world: World) -> None:
    world.put("a", TABLE)
    world.tell(TABLE)
    world.backend.drain()
    (again,) = world.tell(ReportedEvent(urn=TABLE, event="removed")).events
    assert (again.marked, again.is_known) == (0, True)


def test_what_is_told_twice_takes_effect_once(world: World) -> None:
    world.put("a", TABLE)
    told = ReportedEvent(urn=TABLE, event="content_changed", occurred_at=world.clock.now(), id="ci:7")
    assert world.tell(told, told).events[1].is_new is False
    confirm_memory(world.ports, world.admin, PROJECT, "a")
    (again,) = world.tell(told).events
    assert (again.is_new, again.marked, again.is_applied) == (False, 0, True)
    assert world.stale("a") == [False]
    assert world.ports.store.events.counts(world.scope)["content_changed"] == 1
    with pytest.raises(Invalid, match="another event"):
        world.tell("urn:new", ReportedEvent(urn="urn:else", event="removed", id="ci:7"))
    assert world.ports.store.events.counts(world.scope)["content_changed"] == 1


def test_the_same_contents_are_told_once(world: World) -> None:
    told = ReportedEvent(
        urn=TABLE, event="removed", occurred_at=world.clock.now(), detail={"by": "a migration"}
    )
    assert [world.tell(told).events[0].is_new for _ in range(2)] == [True, False]


@pytest.mark.parametrize("id", ["catalog-77", None])
def test_an_agent_that_tells_first_keeps_no_person_from_telling(world: World, id: str | None) -> None:
    """Falls without `speaks_less`: an agent that knows an event before others makes theirs a repeated one."""
    world.put("m1", TABLE, content="Orders are kept for a year.")
    event = ReportedEvent(urn=TABLE, event="removed", id=id, occurred_at=world.clock.now())
    world.tell(event)
    person = Principal("acme", "ann", "ann@acme.test")
    (first,), (again,) = (world.tell(event, by=person).events for _ in range(2))
    assert world.stale("m1") == [True]
    assert [first.is_new, again.is_new] == [True, False]
    assert first.event.id == again.event.id
    (late,) = world.tell(event).events
    assert not late.is_new


def test_the_same_event_told_under_another_persona_is_another(world: World) -> None:
    told = {by: replace(world.agent, subject=by, persona=by) for by in ("mal", "ben")}
    event = ReportedEvent(urn=TABLE, event="linked", target="urn:x:b", occurred_at=world.clock.now())
    for by in told.values():
        (taken,) = world.tell(event, by=by).events
        assert taken.is_new
    links = world.ports.store.events.links_of
    assert (
        links(world.scope, [TABLE], Viewer.of("ben")) == links(world.scope, [TABLE], Viewer.of("mal")) != {}
    )


def linked(world: World, number: int, target: str, by: str, *, by_agent: bool = True) -> EntityEvent:
    at = world.clock.now() + timedelta(seconds=number)
    return EntityEvent(
        id=f"evt_{by}{number}",
        tenant=world.scope.tenant,
        project=PROJECT,
        urn=TABLE,
        event="linked",
        target=target,
        occurred_at=at,
        received_at=at,
        created_by=by,
        by_agent=by_agent,
    )


@pytest.mark.parametrize("clients", [1, 30])
def test_a_flood_of_links_of_one_token_pushes_out_no_others(world: World, clients: int) -> None:
    """Falls where the latest events are read whoever told them, or where each client counts as one that tells."""
    others = [
        linked(world, 0, "urn:of:person", "ann@acme.test", by_agent=False),
        linked(world, 0, "urn:of:agent", "honest"),
    ]
    flood = [
        linked(world, number, f"urn:flood:{number}", f"agent:c{number % clients}:bot")
        for number in range(1, 31)
    ]
    world.ports.store.events.add([*others, *flood])
    found = world.ports.store.events.links_of(world.scope, [TABLE], Viewer(), limit=5)[TABLE]
    assert [end for _, end in found if end.startswith("urn:of")] == ["urn:of:agent", "urn:of:person"]
    assert len(found) == 6
    far_end = world.ports.store.events.links_of(world.scope, ["urn:of:agent"], Viewer(), limit=5)
    assert far_end == {"urn:of:agent": ((TABLE, "urn:of:agent"),)}


def test_the_newest_of_several_is_the_reason(world: World) -> None:
    world.put("a", TABLE)
    now = world.clock.now()
    told = [
        ReportedEvent(urn=TABLE, event="removed", occurred_at=now),
        ReportedEvent(urn=TABLE, event="content_changed", occurred_at=now - timedelta(seconds=1)),
    ]
    assert [one.marked for one in world.tell(*told).events] == [1, 0]
    assert "was removed" in str(world.get("a").status_reason)


def test_a_turn_that_goes_stale_is_heard_no_more(world: World) -> None:
    """Falls where turns are committed without the turns around them (usecases.write.commit_change)."""
    said = ["The api is version 1.", "Friday is a holiday."]
    turns = [
        RememberRequest(fields={"content": text, "entities": (TABLE,) if n == 0 else ()})
        for n, text in enumerate(said)
    ]
    add_turns(world.ports, world.admin, PROJECT, "talk", turns)
    world.backend.drain()
    first, second = world.ports.store.sessions.turns(world.scope, "talk", 0, 9)
    assert "version 1" in str(second.context)
    world.clock.advance(minutes=1)
    world.tell(TABLE, by=world.admin)
    assert world.get(first.id).status == "stale"
    assert "version 1" not in str(world.get(second.id).context)


# ---- vouching


@pytest.mark.parametrize("by", ["confirm", "undo", "approve"])
def test_whoever_brings_it_back_is_not_asked_again_by_what_they_knew(world: World, by: str) -> None:
    """Falls where the history is not asked for who vouched (`VOUCHING`)."""
    world.put("a", TABLE)
    occurred_at = world.clock.now()
    world.clock.advance(minutes=1)
    world.tell(ReportedEvent(urn=TABLE, event="content_changed", occurred_at=occurred_at), by=world.admin)
    assert world.stale("a") == [True]
    lift: Any = {
        "confirm": confirm_memory,
        "undo": undo_last_change,
        "approve": approve_memory,
    }[by]
    lift(world.ports, world.admin, PROJECT, "a")
    world.clock.advance(minutes=1)
    world.tell(
        ReportedEvent(urn=TABLE, event="removed", occurred_at=occurred_at + timedelta(seconds=1)),
        by=world.admin,
    )
    assert world.stale("a") == [False]
    world.tell(ReportedEvent(urn=TABLE, event="removed", occurred_at=world.clock.now()), by=world.admin)
    assert world.stale("a") == [True]


# ---- the sweep


def test_without_the_index_events_are_kept_for_the_sweep(world: World) -> None:
    world.put("a", TABLE)
    world.backend.drain()
    taken = world.tell(TABLE, "urn:nobody", ports=without_index(world.ports))
    assert taken.note == INDEX_DOWN
    assert [(one.marked, one.is_known, one.is_applied) for one in taken.events] == [(0, None, False)] * 2
    assert (world.stale("a"), len(world.open())) == ([False], 2)
    trial = world.sweep(is_dry_run=True)
    assert (trial.did, world.stale("a"), len(world.open())) == ({"staled": 1, "closed": 2}, [False], 2)
    report = world.sweep()
    assert (report.did, report.is_complete, world.open()) == ({"staled": 1, "closed": 2}, True, [])
    last = world.ports.store.history.of(world.scope, "a")[-1]
    assert (last.verb, last.by) == ("staled", "sweep staleness")
    assert "says agent-7" in str(last.reason)
    assert world.ports.store.events.counts(world.scope)["unknown"] == 1
    assert world.sweep().did == {}


def test_the_sweep_leaves_alone_what_was_told_a_moment_ago(world: World) -> None:
    """Falls without SETTLED_AFTER: whoever told is marking just now, and both would close it."""
    world.put("a", TABLE)
    take_entity_events(
        without_index(world.ports), world.agent, PROJECT, [ReportedEvent(urn=TABLE, event="removed")]
    )
    run = {"holder": "test", "seconds": 60.0}
    world.clock.advance(minutes=2, microseconds=-1)
    assert run_sweep(world.ports, "staleness", **run).did == {}  # type: ignore[arg-type]
    world.clock.advance(microseconds=1)
    assert run_sweep(world.ports, "staleness", **run).did == {"staled": 1, "closed": 1}  # type: ignore[arg-type]


def test_a_sweep_while_the_index_is_down_stops_and_goes_on(world: World) -> None:
    world.put("a", TABLE)
    world.tell(TABLE, ports=without_index(world.ports))
    world.clock.advance(minutes=5)
    report = run_sweep(without_index(world.ports), "staleness", holder="test", seconds=60.0)
    assert (report.is_complete, report.failed_count) == (False, 1)
    assert world.sweep().did == {"staled": 1, "closed": 1}


def test_what_was_confirmed_meanwhile_is_not_swept(world: World) -> None:
    """An event that marked some of its memories and was not closed: a person has answered since."""
    world.put("a", TABLE)
    world.put("bb", TABLE)
    world.backend.drain()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(taking, "close_events", lambda *_: None)  # killed before the event is closed
        world.tell(TABLE)
    assert (world.stale("a", "bb"), len(world.open())) == ([True, True], 1)
    confirm_memory(world.ports, world.admin, PROJECT, "a")
    revise(world.ports, world.admin, PROJECT, "bb", {"content": "Bats hang elsewhere."})
    confirm_memory(world.ports, world.admin, PROJECT, "bb")
    assert world.sweep().did == {"closed": 1}
    assert world.stale("a", "bb") == [False, False]


def test_more_than_can_be_marked_at_once_is_left_to_the_sweep(world: World) -> None:
    ids = ["a", "bb", "ccc", "dddd", "eeeee"]
    for id in ids:
        world.put(id, TABLE)
    world.backend.drain()
    taken = world.tell(TABLE, marked_at_once=2)
    assert taken.note == MORE_TO_MARK
    assert [(one.marked, one.is_known, one.is_applied) for one in taken.events] == [(2, True, False)]
    assert sum(world.stale(*ids)) == 2
    world.backend.drain()
    assert world.sweep().did == {"staled": 3, "closed": 1}
    assert all(world.stale(*ids))


def test_more_than_a_search_gives_is_found_by_halves(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Falls where a list that is as long as asked for is taken for all there is."""
    monkeypatch.setattr(entity_memories, "DEPTH", 3)
    monkeypatch.setattr(entity_memories, "READ_TOGETHER", 2)
    urns = [f"urn:{n}" for n in range(6)]
    for n, urn in enumerate(urns):
        world.put("x" * (n + 1), urn)
    world.put("crowded1", "urn:crowd")
    world.put("crowded02", "urn:crowd")
    world.put("crowded003", "urn:crowd")
    world.backend.drain()
    taken = world.tell(*urns, "urn:nobody", "urn:crowd")
    assert [one.marked for one in taken.events] == [1, 1, 1, 1, 1, 1, 0, 3]
    assert [one.is_known for one in taken.events] == [True] * 6 + [False, True]
    assert [one.is_applied for one in taken.events] == [True] * 7 + [False]  # it may have more
    world.backend.drain()
    assert world.sweep().did == {"closed": 1}


@pytest.mark.parametrize(
    ("part", "after"), [("events", "add"), ("writer", "commit_each"), ("events", "mark_applied")]
)
def test_a_crash_between_two_steps_loses_nothing(world: World, part: str, after: str) -> None:
    world.put("a", TABLE)
    world.backend.drain()
    with pytest.MonkeyPatch.context() as patch:
        stopped = getattr(world.ports.store, part)
        step = getattr(stopped, after)

        def crash(*arguments: Any) -> Any:
            done = step(*arguments)
            if after == "commit_each" and not any(commit.changes for commit in arguments[0]):
                return done  # of the allowance alone, before anything is kept
            raise StoreUnavailable("the process is gone")

        patch.setattr(stopped, after, crash)
        with pytest.raises(StoreUnavailable):
            world.tell(ReportedEvent(urn=TABLE, event="removed", occurred_at=world.clock.now(), id="e1"))
    (again,) = world.tell(
        ReportedEvent(urn=TABLE, event="removed", occurred_at=world.clock.now(), id="e1")
    ).events
    assert (again.is_new, again.is_applied) == (False, True)
    world.sweep()
    assert (world.stale("a"), world.open()) == ([True], [])
    assert [version.verb for version in world.ports.store.history.of(world.scope, "a")].count("staled") == 1
    assert world.ports.store.events.counts(world.scope)["removed"] == 1


def test_a_memory_that_somebody_writes_meanwhile_is_looked_at_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.put("a", TABLE)
    world.backend.drain()
    plain, writes = world.ports.store.writer.commit_each, iter([1])

    def overtaken(commits: Any) -> Any:
        if next(writes, None):
            revise(world.ports, world.admin, PROJECT, "a", {"tags": ("late",)})
        return plain(commits)

    occurred_at = world.clock.now() + timedelta(minutes=5)
    world.clock.advance(minutes=5)
    monkeypatch.setattr(world.ports.store.writer, "commit_each", overtaken)
    (taken,) = world.tell(ReportedEvent(urn=TABLE, event="removed", occurred_at=occurred_at)).events
    memory = world.get("a")
    assert (taken.is_applied, memory.tags) == (True, ("late",))
    assert (taken.marked, memory.status) == (0, "active")  # who changed it then knew of it


def test_a_damaged_memory_is_not_sealed_anew(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.put("a", TABLE)
    world.backend.drain()
    monkeypatch.setattr(applying, "content_hash", lambda _: "another")
    assert world.tell(TABLE).events[0].marked == 0
    assert world.stale("a") == [False]


# ---- who may, and what is refused


def test_another_persona_is_marked_and_not_told_of(world: World) -> None:
    """Falls where the answer's counts are those of all personas."""
    world.put("a", TABLE, persona="coder")
    world.put("bb", TABLE)
    world.put("ccc", "urn:secret", persona="coder")
    world.backend.drain()
    person = Principal(tenant="acme", subject="u7", email="eve@acme.test", persona="writer")
    taken = world.tell(TABLE, "urn:secret", by=person)
    assert [(one.marked, one.is_known) for one in taken.events] == [(1, True), (0, False)]
    assert world.stale("a", "bb", "ccc") == [True, True, True]
    kept = world.ports.store.events.get_many(world.scope, [one.event.id for one in taken.events])
    assert sorted((event.marked, event.is_known) for event in kept.values()) == [(1, True), (2, True)]


def test_of_what_a_tenant_shares_a_reviewer_tells(world: World) -> None:
    told = [ReportedEvent(urn=TABLE, event="removed")]
    with pytest.raises(Forbidden):
        take_entity_events(world.ports, world.agent, SHARED_PROJECT, told)
    assert take_entity_events(world.ports, world.admin, SHARED_PROJECT, told).events[0].is_new


def test_other_projects_and_tenants_are_left_alone(world: World) -> None:
    put_memory(world.ports, world.admin, "api", "a", {"content": "Moles dig.", "entities": (TABLE,)})
    world.clock.advance(minutes=1)
    assert world.tell(TABLE).events[0].is_known is False
    found = world.ports.store.memories.get(world.admin.scope("api"), "a")
    assert found is not None
    assert found.is_active


@pytest.mark.parametrize(
    ("told", "pointer"),
    [
        (ReportedEvent(urn=TABLE, event="linked"), "/1/target"),
        (ReportedEvent(urn=TABLE, event="unlinked"), "/1/target"),
        (ReportedEvent(urn="urn:\x00", event="removed"), "/1/urn"),
        (ReportedEvent(urn=TABLE, event="renamed", target="\ud800"), "/1/target"),
        (ReportedEvent(urn=TABLE, event="removed", detail={"x": "y" * 17_000}), "/1/detail"),
        (ReportedEvent(urn=TABLE, event="removed", id="ghp_" + "a1B2" * 9), "/1/id"),
    ],
)
def test_what_cannot_be_taken_is_refused_whole(world: World, told: ReportedEvent, pointer: str) -> None:
    world.put("a", TABLE)
    with pytest.raises(Invalid) as refused:
        world.tell(TABLE, told)
    assert [violation.pointer for violation in refused.value.violations] == [pointer]
    assert (world.stale("a"), world.ports.store.events.counts(world.scope)["content_changed"]) == ([False], 0)


def test_the_future_has_not_happened(world: World) -> None:
    now = world.clock.now()
    with pytest.raises(Invalid, match="future"):
        world.tell(ReportedEvent(urn=TABLE, event="removed", occurred_at=now + timedelta(microseconds=1)))
    assert world.tell(ReportedEvent(urn=TABLE, event="removed", occurred_at=now)).events[0].is_new


def test_a_source_that_the_settings_name_tells_as_a_person_does(world: World) -> None:
    """Falls where the settings are not asked, or a name without a token, or of an end user, is enough."""
    said = {"content": "The orders live in Postgres.", "entities": [TABLE]}
    put_memory(world.ports, ADMIN, PROJECT, "a", said)
    world.clock.advance(minutes=1)
    ci = Principal(tenant=ADMIN.tenant, subject="ci")

    def told(by: Principal, *sources: str) -> str:
        set_policy(world.ports, ADMIN, PROJECT, lambda before: replace(before, event_sources=sources))
        world.tell(TABLE, by=by)
        assert world.get("a").status != "active" or world.get("a").doubted is not None
        return world.get("a").status

    assert told(ci) == "active"
    for lesser in ({"subject": "other"}, {"is_proven": False}, {"user": "clara"}):
        assert told(replace(ci, **lesser), "ci") == "active"
    assert told(ci, "ci") == "stale"


def test_a_thousand_are_taken_and_no_more(world: World) -> None:
    world.put("a", "urn:999")
    world.put("bb", "urn:0", "urn:500")
    limits = Limits(events_per_principal_hour=2_000)
    set_policy(world.ports, ADMIN, PROJECT, lambda before: replace(before, limits=limits))
    told = [ReportedEvent(urn=f"urn:{n}", event="content_changed") for n in range(1_000)]
    taken = world.tell(*told)
    assert [one.marked for one in taken.events if one.marked] == [1, 1]
    assert sum(one.is_known is True for one in taken.events) == 3
    with pytest.raises(TooLarge):
        world.tell(*told, TABLE)


def test_secrets_in_what_is_told_are_taken_out(world: World) -> None:
    key = "AKIA" + "Q7RS" * 4
    told = ReportedEvent(urn=TABLE, event="removed", detail={"by": f"key {key}"}, target=f"urn:{key}")
    (taken,) = world.tell(told).events
    assert key not in str(taken.event)


# ---- activity


def test_activity_is_noted_and_marks_nothing(world: World) -> None:
    world.put("a", TABLE)
    now = world.clock.now()
    told = [
        ReportedEvent(urn=TABLE, event="activity", occurred_at=now),
        ReportedEvent(urn=TABLE, event="activity", occurred_at=now - timedelta(days=1)),
        ReportedEvent(urn=TABLE, event="linked", target="urn:t"),
    ]
    assert [one.marked for one in world.tell(*told).events] == [0, 0, 0]
    assert world.stale("a") == [False]
    assert world.ports.store.projects.recall_settings(world.scope)[1] == now


def test_activity_is_noted_without_the_index(world: World) -> None:
    world.tell(ReportedEvent(urn=TABLE, event="activity"), ports=without_index(world.ports))
    assert world.ports.store.projects.recall_settings(world.scope)[1] is not None


def test_a_project_that_fell_silent_ranks_as_less_recent(world: World) -> None:
    """Falls at the exact day, and where silence is judged by anything but `activity`."""
    world.put("a", content="Otters swim at night.")
    world.tell(ReportedEvent(urn=TABLE, event="activity"))
    noted = world.ports.store.projects.recall_settings(world.scope)[1]
    assert noted is not None
    asked = RecallRequest(query="when do otters swim")

    def recency() -> float:
        (found,) = recall(world.ports, world.admin, PROJECT, asked).memories
        return found.signals.recency

    world.clock.moment = noted + timedelta(days=90, microseconds=-1)
    before = recency()
    world.clock.moment = noted + timedelta(days=90)
    assert recency() == pytest.approx(before / 2, rel=0.05)
    assert recency() < before * 0.51
    world.tell(ReportedEvent(urn=TABLE, event="content_changed"))
    assert recency() < before * 0.51
    world.tell(ReportedEvent(urn=TABLE, event="activity"))
    assert recency() > before * 0.9
