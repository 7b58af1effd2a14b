"""Pages of conversations against a plain sort: indexes that are current, and indexes that know nothing yet."""

from __future__ import annotations

from typing import Any

import pytest

from memory_layer.adapters.aws.store import session_pages
from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.table import keys
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Scope
from tests.aws.dynamodb_table import open_store
from tests.aws.indexes_that_lag import Lagging
from tests.given import START, a_memory, changed, commit_all, created, new_scope

pytestmark = pytest.mark.engines

EVERYONE = Viewer(sees_all_personas=True)
PLACES = [2, 10, 9, 9, 0, 1_000, 11, 3]


def turn(scope: Scope, number: int, position: int | None, session_id: str = "talk", **fields: Any) -> Memory:
    return a_memory(scope, f"t{number}", position=position, session_id=session_id, **fields)


def put(store: DynamoRecordStore, scope: Scope) -> list[tuple[int, str]]:
    """Stores turns, one of them moved since, and other records; returns the places of the turns."""
    turns = [turn(scope, number, position) for number, position in enumerate(PLACES)]
    others = [
        *(turn(scope, 20, None), turn(scope, 21, 4, "else")),
        *(turn(scope, 22, 5, status="archived"), turn(scope, 23, 6, persona="bob")),
    ]
    commit_all(store, [created(one) for one in (*turns, *others)])
    commit_all(store, [changed(turns[0], position=7)])
    return sorted([(7, "t0"), *((position, f"t{n}") for n, position in enumerate(PLACES) if n)])


def pages(
    store: DynamoRecordStore, scope: Scope, viewer: Viewer = EVERYONE, **asked: Any
) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    after: tuple[str, str] | None = None
    for _ in range(40):
        page = store.sessions.page(scope, "talk", Filters(), viewer, now=START, after=after, **asked)
        found += [(one.position or 0, one.id) for one in page.memories]
        after = page.next_key
        if after is None:
            return found
    raise AssertionError("the pages do not end")


@pytest.mark.parametrize("is_current", [True, False])
@pytest.mark.parametrize("limit", [1, 3, 200])
def test_turns_come_in_order_both_ways(
    table: tuple[Any, str], store: DynamoRecordStore, is_current: bool, limit: int
) -> None:
    """Falls where an index that is behind hides turns, or shows one at the place that it left."""
    scope = new_scope()
    there = put(store, scope)
    begins = "~" if is_current else ""
    with open_store(Lagging(table[0], log_begins=begins, is_current=is_current), table[1]) as asked:
        own = Viewer.of("ann")
        assert pages(asked, scope, own, limit=limit) == there
        assert pages(asked, scope, own, limit=limit, newest_first=True) == there[::-1]
        assert pages(asked, scope, limit=limit) == sorted([*there, (6, "t23")])


def test_a_page_that_looked_at_enough_names_the_next(
    store: DynamoRecordStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = new_scope()
    hidden = [turn(scope, number, number, persona="bob") for number in range(12)]
    commit_all(store, [created(one) for one in (*hidden, turn(scope, 50, 50))])
    monkeypatch.setattr(session_pages, "EXAMINED_MAX", 3)
    first = store.sessions.page(scope, "talk", Filters(), Viewer(), now=START, after=None, limit=2)
    assert first.memories == ()
    assert first.next_key is not None
    assert pages(store, scope, Viewer(), limit=2) == [(50, "t50")]


def test_conversations_come_by_id_and_those_without_a_visible_turn_do_not(
    store: DynamoRecordStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also over pages that look at two of them at a time."""
    scope, other = new_scope(), new_scope()
    named = ["b", "a", "Ä", "hidden", "c"]
    turns = [
        turn(scope, number, 0, name, persona="bob" if name == "hidden" else None)
        for number, name in enumerate(named)
    ]
    commit_all(store, [created(one) for one in (*turns, turn(scope, 9, None, "unplaced"), turn(other, 1, 0))])
    for looked_at in (2, session_pages.CONVERSATIONS_MAX):
        monkeypatch.setattr(session_pages, "CONVERSATIONS_MAX", looked_at)
        found: list[str] = []
        after: str | None = None
        for _ in range(9):
            page = store.sessions.conversations(scope, Filters(), Viewer(), now=START, after=after, limit=3)
            found += [one.session_id for one in page.sessions]
            after = page.next_key
            if after is None:
                break
        assert found == ["a", "b", "c", "Ä"]


def test_a_listed_conversation_passes_verification_and_gives_out_its_positions(
    store: DynamoRecordStore, table: tuple[Any, str]
) -> None:
    """Falls where the mark of a conversation does not match its digest, or stands in the way of the counter."""
    scope = new_scope()
    commit_all(store, [created(turn(scope, 1, 6))])
    assert store.sessions.take_positions(scope, "talk", 2) == 7
    commit_all(store, [created(turn(scope, 2, 7))])
    assert store.sessions.take_positions(scope, "talk", 1) == 9
    client, name = table
    assert client.get_item(TableName=name, Key=keys.positions_key(scope, "talk"))["Item"]["session_sk"] == {
        "S": "talk"
    }
    found = [one.broken for one in store.integrity.beside(scope) if one.broken]
    assert found == []
