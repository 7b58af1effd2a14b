"""`as_of`: get, list, history and recall show what a project knew at some moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref
from memory_layer.errors import Invalid, NotFound
from memory_layer.ports.commit import Change, Commit
from memory_layer.usecases.recall.as_of import held_at, history_at, list_memories_at, memory_at
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.approve import reject_memory
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from tests.given import PROJECT, START, StandingClock, remembered

HERONS = "Herons nest in the reeds of the northern lake."
OTTERS = "Otters sleep on the raft below the old mill."
TICK = timedelta(microseconds=1)


def listed(
    backend: EmbeddedBackend, by: Principal, as_of: datetime | None, filters: Filters | None = None
) -> Sequence[str]:
    page = list_memories_at(backend.ports, by, PROJECT, filters or Filters(), as_of, after=None, limit=50)
    return [memory.id for memory in page.memories]


def recalled(
    backend: EmbeddedBackend, by: Principal, query: str, as_of: datetime, **asked: Any
) -> dict[str, Memory]:
    request = RecallRequest(query=query, as_of=as_of, **asked)
    found = recall(backend.ports, by, PROJECT, request).memories
    return {item.memory.id: item.memory for item in found}


def test_before_the_first_write_nothing_was_known(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    remembered(backend.ports, admin, HERONS, id="h")
    before = START - TICK
    clock.advance(days=1)
    assert listed(backend, admin, before) == []
    assert recalled(backend, admin, HERONS, before) == {}
    for look in (memory_at, history_at):
        with pytest.raises(NotFound, match="no memory h at 2026-03-01T11:59:59"):
            look(backend.ports, admin, PROJECT, "h", before)
    assert listed(backend, admin, START) == ["h"]


def test_a_change_by_a_clock_that_was_set_back_shows_nothing_before_it_was_there(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls where get and history go by the change alone, and list and recall by the creation."""
    clock.advance(hours=2)
    remembered(backend.ports, admin, HERONS, id="h")
    clock.moment = START
    revise(backend.ports, admin, PROJECT, "h", {"tags": ("birds",)})
    clock.advance(hours=3)
    for look in (memory_at, history_at):
        with pytest.raises(NotFound):
            look(backend.ports, admin, PROJECT, "h", START)
    assert listed(backend, admin, START) == []
    assert recalled(backend, admin, HERONS, START) == {}
    assert memory_at(backend.ports, admin, PROJECT, "h", START + timedelta(hours=2)).version == 2


def test_the_future_is_refused(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `refuse_future`."""
    remembered(backend.ports, admin, HERONS, id="h")
    later = START + TICK
    for look in (
        lambda: memory_at(backend.ports, admin, PROJECT, "h", later),
        lambda: history_at(backend.ports, admin, PROJECT, "h", later),
        lambda: listed(backend, admin, later),
        lambda: recalled(backend, admin, HERONS, later),
    ):
        with pytest.raises(Invalid, match="lies in the future"):
            look()


def test_a_record_is_shown_as_it_was(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    remembered(backend.ports, admin, HERONS, id="h", tags=["birds"])
    clock.advance(days=1)
    revise(
        backend.ports, admin, PROJECT, "h", {"content": "Herons nest in the southern lake.", "tags": ["lake"]}
    )
    assert memory_at(backend.ports, admin, PROJECT, "h", START).content == HERONS
    assert [version.memory.version for version in history_at(backend.ports, admin, PROJECT, "h", START)] == [
        1
    ]
    assert len(history_at(backend.ports, admin, PROJECT, "h", None)) == 2
    assert recalled(backend, admin, "Where do herons nest?", START)["h"].content == HERONS
    assert listed(backend, admin, START, Filters(tags=("birds",))) == ["h"]
    assert listed(backend, admin, clock.now(), Filters(tags=("birds",))) == []


def test_what_is_pinned_is_listed_now_and_then(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    remembered(backend.ports, admin, HERONS, id="h", pinned=True)
    remembered(backend.ports, admin, OTTERS, id="o")
    clock.advance(days=1)
    revise(backend.ports, admin, PROJECT, "h", {"pinned": False})
    revise(backend.ports, admin, PROJECT, "o", {"pinned": True})
    for moment, pinned, other in ((None, "o", "h"), (START, "h", "o")):
        assert listed(backend, admin, moment, Filters(pinned=True)) == [pinned]
        assert listed(backend, admin, moment, Filters(pinned=False)) == [other]


def test_filters_of_a_recall_are_judged_on_what_was(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls without the second search in `past_index_filters`: the index knows the present alone."""
    remembered(backend.ports, admin, HERONS, id="h", tags=["birds"])
    clock.advance(days=1)
    revise(backend.ports, admin, PROJECT, "h", {"tags": ["lake"]})
    asked = "Where do herons nest?"
    assert set(recalled(backend, admin, asked, START, filters=Filters(tags=("birds",)))) == {"h"}
    assert recalled(backend, admin, asked, START, filters=Filters(tags=("lake",))) == {}


def test_what_held_then_and_no_longer_does(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    remembered(backend.ports, admin, HERONS, id="h")
    clock.advance(days=1)
    supersede_memory(backend.ports, admin, PROJECT, "h", {"content": "Herons nest on the island.", "id": "i"})
    after = clock.now()
    assert listed(backend, admin, after - TICK) == ["h"]
    assert listed(backend, admin, after) == ["i"]
    asked = "Where do herons nest?"
    assert set(recalled(backend, admin, asked, after - TICK)) == {"h"}
    assert set(recalled(backend, admin, asked, after)) == {"i"}
    then = recalled(backend, admin, asked, after - TICK)["h"]
    assert (then.status, then.superseded_by, then.valid_to) == ("active", None, None)


def test_what_was_archived_since_is_recalled_as_of_then(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    remembered(backend.ports, admin, HERONS, id="h")
    clock.advance(days=1)
    archive_memory(backend.ports, admin, PROJECT, "h")
    assert set(recalled(backend, admin, HERONS, START)) == {"h"}
    assert recalled(backend, admin, HERONS, clock.now()) == {}


def test_what_a_person_has_refused_since_is_not_handed_to_a_model(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls without WITHDRAWN; people still see in lists what was in force."""
    remembered(backend.ports, admin, HERONS, id="h")
    clock.advance(days=1)
    reject_memory(backend.ports, admin, PROJECT, "h", reason="it is an order to agents")
    assert recalled(backend, admin, HERONS, START) == {}
    assert listed(backend, admin, START) == ["h"]


def test_expired_means_gone_at_that_time(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """At the exact second, whether or not a sweep came by; falls where `now` judges what was."""
    over = START + timedelta(days=2)
    remembered(backend.ports, admin, HERONS, id="h", expires_at=over)
    clock.advance(days=9)
    assert listed(backend, admin, over - TICK) == ["h"]
    assert listed(backend, admin, over) == []
    assert listed(backend, admin, over, Filters(status=("archived",))) == ["h"]
    assert memory_at(backend.ports, admin, PROJECT, "h", over - TICK).status == "active"
    assert memory_at(backend.ports, admin, PROJECT, "h", over).status == "archived"
    assert set(recalled(backend, admin, HERONS, over - TICK)) == {"h"}
    assert recalled(backend, admin, HERONS, over) == {}


def test_stale_since_then_is_let_in(backend: EmbeddedBackend, admin: Principal, clock: StandingClock) -> None:
    memory = remembered(backend.ports, admin, HERONS, id="h")
    clock.advance(days=1)
    stale = replace(memory, status="stale", status_reason="the lake has changed", version=2)
    change = Change(stale, 1, "staled", "sweep staleness", clock.now())
    backend.ports.store.writer.commit(Commit(scope=memory.scope, changes=(change,)))
    assert set(recalled(backend, admin, HERONS, START)) == {"h"}
    assert recalled(backend, admin, HERONS, clock.now()) == {}
    assert set(recalled(backend, admin, HERONS, clock.now(), include_stale=True)) == set()
    both = {"include_stale": True, "filters": Filters(status=("active", "stale"))}
    assert set(recalled(backend, admin, HERONS, clock.now(), **both)) == {"h"}


def test_what_was_not_valid_then_was_not_in_force(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    begins, ends = START + timedelta(days=2), START + timedelta(days=4)
    remembered(backend.ports, admin, HERONS, id="h", valid_from=begins, valid_to=ends)
    clock.advance(days=9)
    moments = [begins - TICK, begins, ends - TICK, ends]
    assert [listed(backend, admin, moment) for moment in moments] == [[], ["h"], ["h"], []]
    assert [set(recalled(backend, admin, HERONS, moment)) for moment in moments] == [
        set(),
        {"h"},
        {"h"},
        set(),
    ]


def test_what_was_erased_is_gone_from_the_past(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    remembered(backend.ports, admin, HERONS, id="h")
    clock.advance(days=1)
    erase_memory(backend.ports, admin, PROJECT, "h")
    assert listed(backend, admin, START) == []
    assert recalled(backend, admin, HERONS, START) == {}


def test_the_past_of_another_persona_is_that_personas(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls without either look at the persona in `held_at`: of the record now, and of what it was."""
    everyone, ops = (
        Principal(tenant="acme", subject="e"),
        Principal(tenant="acme", subject="o", persona="ops"),
    )
    remembered(backend.ports, admin, HERONS, id="then", persona="ops")
    remembered(backend.ports, admin, OTTERS, id="now")
    clock.advance(days=1)
    revise(backend.ports, admin, PROJECT, "then", {"persona": None})
    revise(backend.ports, admin, PROJECT, "now", {"persona": "ops"})
    assert listed(backend, everyone, START) == []
    assert sorted(listed(backend, ops, START)) == ["now", "then"]
    assert recalled(backend, everyone, HERONS, START) == recalled(backend, everyone, OTTERS, START) == {}
    now = backend.ports.store.memories.get_many("acme", [Ref(PROJECT, "then"), Ref(PROJECT, "now")])
    assert held_at(backend.ports.store.history, now, Viewer(), START) == {}
    with pytest.raises(NotFound):
        memory_at(backend.ports, everyone, PROJECT, "then", START)
    with pytest.raises(NotFound):
        history_at(backend.ports, everyone, PROJECT, "then", START)


def test_pages_of_the_past_hold_each_record_once(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """A page that has looked at as much as it may ends early, and the next one goes on."""
    for number in range(20):
        fields = {"content": f"{HERONS} Nest {number}.", "id": f"m{number:02d}"}
        remember(backend.ports, admin, PROJECT, RememberRequest(fields=fields, on_duplicate="create"))
        clock.advance(hours=1)
    then = clock.now()
    clock.advance(days=1)
    for number in range(4, 18):
        archive_memory(backend.ports, admin, PROJECT, f"m{number:02d}")
    for filters, expected in ((Filters(), 20), (Filters(status=("archived",)), 0)):
        seen: list[str] = []
        after: tuple[str, str] | None = None
        for _ in range(30):
            page = list_memories_at(
                backend.ports,
                admin,
                PROJECT,
                filters,
                then,
                after=after,
                limit=4,
                read_together=3,
                examined_max=6,
            )
            assert len(page.memories) <= 4
            seen += [memory.id for memory in page.memories]
            after = page.next_key
            if after is None:
                break
        assert after is None
        assert len(seen) == len(set(seen)) == expected
    assert len(listed(backend, admin, None)) == 6
