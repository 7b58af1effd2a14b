"""Entity events and activity: kept once under their ids, read in order from either end, open until applied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

from memory_layer.adapters.embedded.sqlite.row_digests import DIGESTED_CELLS
from memory_layer.adapters.stored_form.entity_event_fields import EVENTS, counts_by_kind
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import Policy
from memory_layer.domain.time.entity_events import EntityEvent
from memory_layer.ports.collections import EventPage
from memory_layer.ports.commit import Commit
from memory_layer.ports.record_store import RecordStore
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import SCOPE, START

TABLE = "urn:table:orders"


def an_event(id: str = "e1", **fields: Any) -> EntityEvent:
    said = {"urn": TABLE, "event": "content_changed", "occurred_at": START, "received_at": START}
    whose = {"tenant": SCOPE.tenant, "project": SCOPE.project, "created_by": "ada"}
    return EntityEvent(id=id, **{**whose, **said, **fields})


def applied(event: EntityEvent, **fields: Any) -> EntityEvent:
    return replace(event, **{"applied_at": START, "is_known": True, "version": event.version + 1, **fields})


def pages(read: Callable[[tuple[str, str] | None], EventPage]) -> Iterator[EventPage]:
    after: tuple[str, str] | None = None
    while True:
        page = read(after)
        yield page
        if page.next_key is None:
            return
        assert after is None or page.next_key > after, "the next page begins where this one did"
        after = page.next_key


def of(store: RecordStore, urn: str, limit: int = 100) -> list[str]:
    found = pages(lambda after: store.events.of(SCOPE, urn, after=after, limit=limit))
    return [event.id for page in found for event in page.events]


def still_open(store: RecordStore, limit: int = 100) -> list[str]:
    found = pages(lambda after: store.events.open(SCOPE, after=after, limit=limit))
    return [event.id for page in found for event in page.events]


def test_rows_hold_every_field() -> None:
    assert {field.name for field in fields(EntityEvent)} == {*EVENTS.fields, "tenant", "project"}
    assert DIGESTED_CELLS["entity_events"] == ("project_key", *EVENTS.fields)


def test_every_field_comes_back(store: RecordStore) -> None:
    full = an_event(
        "ci:7.1",
        event="renamed",
        target="urn:table:orders_v2 — über",
        detail={"by": "migration 12", "n": [1, 2.5, None, {"é": True}]},
        occurred_at=START - timedelta(days=1, microseconds=1),
    )
    bare = an_event()
    assert store.events.add([full, bare]) == [True, True]
    assert store.events.get_many(SCOPE, ["ci:7.1", "e1", "nobody's"]) == {"ci:7.1": full, "e1": bare}
    done = applied(full, marked=3, is_known=False)
    assert store.events.mark_applied([done]) == [True]
    assert store.events.get_many(SCOPE, ["ci:7.1"]) == {"ci:7.1": done}
    assert store.events.get_many(SCOPE, []) == {}


def test_an_id_is_kept_once_whatever_it_says(store: RecordStore) -> None:
    """Falls where ids are unique only together with a URN."""
    first = an_event()
    other = an_event(urn="urn:elsewhere", occurred_at=START + timedelta(days=1))
    assert store.events.add([first, other]) == [True, False]
    assert store.events.add([other, an_event("e2"), first]) == [False, True, False]
    assert store.events.get_many(SCOPE, ["e1"]) == {"e1": first}
    assert of(store, "urn:elsewhere") == []
    assert store.events.counts(SCOPE) == counts_by_kind({"content_changed": 2})


def test_the_same_id_of_another_project_is_another_event(store: RecordStore) -> None:
    elsewhere = [replace(an_event(), project="api"), replace(an_event(), tenant="other")]
    assert store.events.add([an_event(), *elsewhere]) == [True, True, True]
    for event in elsewhere:
        assert store.events.get_many(event.scope, ["e1"]) == {"e1": event}
        assert store.events.counts(event.scope)["content_changed"] == 1
    assert of(store, TABLE) == ["e1"]


def test_an_entity_has_the_events_of_both_its_ends_in_order(store: RecordStore) -> None:
    told = [
        an_event("b", event="linked", target="urn:x", occurred_at=START),
        an_event("a", occurred_at=START),
        an_event("late", urn="urn:x", event="linked", target=TABLE, occurred_at=START + timedelta(hours=1)),
        an_event("early", urn="urn:y", event="renamed", target=TABLE, occurred_at=START - timedelta(hours=1)),
        an_event("self", event="linked", target=TABLE, occurred_at=START + timedelta(hours=2)),
    ]
    store.events.add(told)
    in_order = ["early", "a", "b", "late", "self"]
    for limit in (1, 2, 5, 100):
        assert of(store, TABLE, limit) == in_order
    assert of(store, "urn:x") == ["b", "late"]
    assert of(store, "urn:nobody") == []


def test_events_are_open_until_they_are_applied(store: RecordStore) -> None:
    told = [an_event(f"e{n}", received_at=START + timedelta(seconds=n % 3)) for n in range(7)]
    store.events.add(told)
    in_order = ["e0", "e3", "e6", "e1", "e4", "e2", "e5"]
    for limit in (1, 3, 7, 100):
        assert still_open(store, limit) == in_order
    assert store.events.mark_applied([applied(told[3]), applied(told[1])]) == [True, True]
    assert still_open(store) == ["e0", "e6", "e4", "e2", "e5"]
    assert len(of(store, TABLE)) == 7


def test_an_event_is_closed_once(store: RecordStore) -> None:
    """Falls where `mark_applied` does not go by the version: then the unknown are counted twice."""
    event = an_event()
    store.events.add([event])
    closed = applied(event, is_known=False)
    assert store.events.mark_applied([closed, closed]) == [True, False]
    assert store.events.mark_applied([closed, applied(an_event("never told"))]) == [False, False]
    assert store.events.counts(SCOPE) == counts_by_kind({"content_changed": 1, "unknown": 1})
    assert store.events.get_many(SCOPE, ["never told"]) == {}


def test_all_kinds_are_counted(store: RecordStore) -> None:
    assert store.events.counts(SCOPE) == counts_by_kind({})
    kinds = ["renamed", "linked", "activity", "linked"]
    told = [an_event(f"e{n}", event=kind, target="urn:t") for n, kind in enumerate(kinds)]
    store.events.add(told)
    store.events.mark_applied([applied(told[0]), *(applied(event, is_known=False) for event in told[1:])])
    assert store.events.counts(SCOPE) == counts_by_kind(
        {"renamed": 1, "linked": 2, "activity": 1, "unknown": 3}
    )


def test_a_hundred_at_once_of_which_some_are_known(store: RecordStore) -> None:
    told = [an_event(f"e{n:03}", event="renamed", target="urn:t") for n in range(107)]
    store.events.add(told[10:90:7])
    known = {event.id for event in told[10:90:7]}
    assert store.events.add(told) == [event.id not in known for event in told]
    assert of(store, "urn:t") == [event.id for event in told]
    assert all(store.events.mark_applied([applied(event) for event in told]))
    assert still_open(store) == []


def test_many_tell_the_same_at_once(store: RecordStore) -> None:
    """Each is new to one of them, and counted once."""
    told = [an_event(f"e{n}") for n in range(12)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: store.events.add(told), range(4)))
    assert [sum(was_new) for was_new in zip(*answers, strict=True)] == [1] * 12
    assert store.events.counts(SCOPE)["content_changed"] == 12


def test_nobody_watches_at_first(store: RecordStore) -> None:
    assert store.projects.recall_settings(SCOPE)[:2] == (Policy(), None)
    store.projects.note_activity(SCOPE, START)
    assert store.projects.recall_settings(SCOPE)[:2] == (Policy(), START)
    store.projects.note_activity(SCOPE, START - timedelta(microseconds=1))
    assert store.projects.recall_settings(SCOPE)[1] == START
    store.projects.note_activity(SCOPE, START + timedelta(microseconds=1))
    assert store.projects.recall_settings(SCOPE)[1] == START + timedelta(microseconds=1)
    assert store.projects.recall_settings(Scope("acme", "api"))[:2] == (Policy(), None)


def test_activity_stands_beside_the_settings(store: RecordStore) -> None:
    store.projects.note_activity(SCOPE, START)
    settings = Policy(blend="flag", version=1)
    store.writer.commit(Commit(scope=SCOPE, policy=settings))
    assert store.projects.recall_settings(SCOPE)[:2] == (settings, START)
    assert store.projects.policy(SCOPE) == settings


def test_what_is_told_makes_a_project(store: RecordStore) -> None:
    store.events.add([replace(an_event(), project="told-of")])
    store.projects.note_activity(Scope("acme", "watched"), START)
    assert {Scope("acme", "told-of"), Scope("acme", "watched")} <= set(
        store.sweeps.projects(after=None, limit=99)
    )


def test_what_is_kept_is_sound(store: RecordStore) -> None:
    event = an_event(event="linked", target="urn:t")
    store.events.add([event, an_event("e2")])
    store.events.mark_applied([applied(event)])
    store.projects.note_activity(SCOPE, START)
    store.projects.note_activity(SCOPE, START + timedelta(days=1))
    assert [found.broken for found in store.integrity.beside(SCOPE) if found.broken] == []


def test_what_was_told_is_forgotten(store: RecordStore) -> None:
    told = [
        an_event("a"),
        an_event("b", urn="urn:x", event="linked", target=TABLE, created_by="eve"),
        an_event("c", urn="urn:x", created_by="eve"),
        an_event("d", urn="urn:y"),
        an_event("e", urn="urn:y"),
    ]
    store.events.add(told)
    store.events.mark_applied([applied(event, is_known=False) for event in told[:3]])
    store.projects.note_activity(SCOPE, START)
    assert store.events.forget(SCOPE, urn=TABLE) == 2
    assert (of(store, TABLE), of(store, "urn:x"), still_open(store)) == ([], ["c"], ["d", "e"])
    assert store.events.counts(SCOPE) == counts_by_kind({"content_changed": 3, "unknown": 1})
    assert store.events.forget(SCOPE, created_by="eve") == 1
    assert store.events.counts(SCOPE) == counts_by_kind({"content_changed": 2})
    assert store.projects.recall_settings(SCOPE)[1] == START
    assert store.events.forget(Scope("acme", "api")) == 0
    assert store.events.forget(SCOPE) == 2
    assert store.events.forget(SCOPE) == 0
    assert (of(store, "urn:y"), still_open(store), store.events.counts(SCOPE)) == ([], [], counts_by_kind({}))
    assert store.projects.recall_settings(SCOPE)[1] is None
    assert store.events.get_many(SCOPE, [event.id for event in told]) == {}


@EMBEDDED_ONLY
def test_a_damaged_row_is_told(open_backend: Callable[..., EmbeddedBackend]) -> None:
    """Falls where `entity_events` or `activity` is missing from what verify reads."""
    store = open_backend().ports.store
    store.events.add([an_event()])
    store.projects.note_activity(SCOPE, START)
    with store.memories._database.writing() as connection:  # type: ignore[attr-defined]
        connection.execute("UPDATE entity_events SET urn = 'urn:another'")
        connection.execute("UPDATE activity SET last_activity_at = '2020-01-01T00:00:00.000000Z'")
    broken = [found.broken for found in store.integrity.beside(SCOPE) if found.broken]
    assert {(one.part, one.id) for one in broken if one} >= {("event", "e1")}
    assert "activity" in {one.part for one in broken if one}
    with store.memories._database.writing() as connection:  # type: ignore[attr-defined]
        connection.execute("UPDATE activity SET last_activity_at = 'once'")
    assert store.projects.recall_settings(SCOPE)[:2] == (Policy(), None)


@EMBEDDED_ONLY
def test_a_damaged_event_keeps_no_other_from_taking_effect(
    open_backend: Callable[..., EmbeddedBackend],
) -> None:
    """Falls where one that cannot be read is raised, or ends a page."""
    store = open_backend().ports.store
    store.events.add([an_event(id) for id in ("e1", "e2", "e3")])
    with store.memories._database.writing() as connection:  # type: ignore[attr-defined]
        connection.execute("UPDATE entity_events SET detail = '{' WHERE id = 'e2'")
    assert {*store.events.get_many(SCOPE, ["e1", "e2", "e3"])} == {"e1", "e3"}
    assert still_open(store) == ["e1", "e3"]
    second = store.events.open(SCOPE, after=None, limit=2).next_key
    assert [event.id for event in store.events.open(SCOPE, after=second, limit=2).events] == ["e3"]
    assert of(store, TABLE) == ["e1", "e3"]
