"""Lists ordered and counted on columns are those of the rows: in every order, both ways, page by page, filtered."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest

from memory_layer.adapters.embedded.ram_index import listed_columns
from memory_layer.adapters.embedded.sqlite.project_rows import project_key
from memory_layer.adapters.project_index import id_ranks
from memory_layer.adapters.project_index.id_column import IdColumn
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.list_order import ORDER_FIELDS, ListOrder, OrderedId
from memory_layer.domain.memory import Scope
from memory_layer.errors import IndexUnavailable, Malformed
from memory_layer.ports.index import ListQuery
from tests.index_examples import NOW, SCOPE
from tests.unit.adapters.embedded import lists_by_sql
from tests.unit.adapters.embedded.test_embedded_index import Backend
from tests.unit.adapters.embedded.test_statistics import MOMENTS, VIEWERS, Writer

ORDERS = [
    ListOrder(field, down, is_from_end)
    for field in ORDER_FIELDS
    for down in (False, True)
    for is_from_end in (False, True)
]
FILTERS = (
    Filters(),
    Filters(status=()),
    Filters(status=("archived",)),
    Filters(status=("active", "archived"), source=("human",)),
    Filters(status=("stale", "rejected"), tier=("hot", "cold")),
    Filters(status=(), min_confidence=0.5, min_success_rate=0.1),
    Filters(status=(), standing="trusted"),
    Filters(status=(), standing="unreviewed", task_type=("feature",)),
    Filters(status=(), is_approved=True),
    Filters(status=(), is_approved=False, is_doubted=False, pinned=False),
    Filters(status=(), is_doubted=True),
    Filters(status=(), pinned=True),
    Filters(status=(), tags=("red", "blue")),
    Filters(status=(), entities=("urn:file:a",)),
    Filters(status=(), complexity=("high",)),
    Filters(status=(), session_id=("s1",), created_by=("bob",)),
    Filters(status=(), updated_after=NOW + timedelta(seconds=300), created_before=NOW + timedelta(days=1)),
    Filters(status=(), persona=("nobody",)),
)


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[Backend]:
    opened = Backend(tmp_path / "memories.db")
    yield opened
    opened.store.close()


def listed(backend: Backend, query: ListQuery, order: ListOrder, k: int) -> list[OrderedId]:
    """All pages, one after the other."""
    found: list[OrderedId] = []
    while page := backend.index.ordered(query, order, after=found[-1] if found else None, k=k):
        assert len(page) <= k
        assert page[0] not in found
        found += page
    return found


def assert_lists_are_those_of_the_rows(backend: Backend, randomness: random.Random) -> None:
    connection = backend.database.reader()
    key = project_key(connection, SCOPE)
    for filters in FILTERS:
        query = ListQuery(SCOPE, filters, randomness.choice(VIEWERS), randomness.choice(MOMENTS))
        assert backend.index.count(query) == lists_by_sql.count_matching(connection, key, query)
        assert backend.index.created_by_day(query) == lists_by_sql.created_by_day(connection, key, query)
        for order in randomness.sample(ORDERS, 4):
            expected = lists_by_sql.ordered_ids(connection, key, query, order, None, 1_000)
            assert listed(backend, query, order, randomness.choice((1, 3, 7, 1_000))) == expected
            place = randomness.choice(expected) if expected else OrderedId(None, "m3")
            gone = OrderedId(place.key, place.id + randomness.choice(("", "0", "~")))
            expected = lists_by_sql.ordered_ids(connection, key, query, order, gone, 5)
            assert backend.index.ordered(query, order, after=gone, k=5) == expected


@pytest.mark.parametrize("seed", range(4))
def test_lists_are_those_of_the_rows(
    backend: Backend, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After every few writes of this process and of another; erasures too, until columns are compacted."""
    monkeypatch.setattr(listed_columns, "_COMPACTED_LEAST", 8)
    monkeypatch.setattr(listed_columns, "_CHUNK_RECORDS", 7)
    monkeypatch.setattr(id_ranks, "_FEWEST_RENEWED", 4)
    other = Backend(tmp_path / "memories.db")
    writer = Writer(seed, backend, other)
    assert_lists_are_those_of_the_rows(backend, writer.randomness)
    for _ in range(8):
        for _ in range(writer.randomness.randrange(1, 15)):
            writer.write()
        assert_lists_are_those_of_the_rows(backend, writer.randomness)
    for old in list(writer.kept.values())[:-3]:
        backend.erase(old.id, before=old.version)
    assert_lists_are_those_of_the_rows(backend, writer.randomness)
    other.store.close()


def test_a_place_whose_text_is_gone_is_between_its_neighbours(backend: Backend) -> None:
    writer = Writer(1, backend)
    for _ in range(30):
        writer.write()
    connection, query = backend.database.reader(), ListQuery(SCOPE, Filters(status=()), VIEWERS[-1], NOW)
    for text in ("", "gotchb", "~"):
        for order in (one for one in ORDERS if one.field == "category"):
            after = OrderedId(text, "m5")
            expected = lists_by_sql.ordered_ids(
                connection, project_key(connection, SCOPE), query, order, after, 50
            )
            assert backend.index.ordered(query, order, after=after, k=50) == expected


@pytest.mark.parametrize(("field", "key"), [("use_count", "many"), ("category", 3), ("updated_at", "2026")])
def test_a_place_of_another_order_is_refused(backend: Backend, field: str, key: str | int) -> None:
    """Safeguard: the refusal in `_number_of`; a cursor of an earlier version names moments as texts."""
    Writer(2, backend).write()
    order = next(one for one in ORDERS if one.field == field)
    query = ListQuery(SCOPE, Filters(status=()), Viewer(), NOW)
    with pytest.raises(Malformed):
        backend.index.ordered(query, order, after=OrderedId(key, "m1"), k=5)


def test_a_project_that_nobody_wrote_to_is_empty_and_takes_no_room(backend: Backend) -> None:
    """Safeguard: names that anybody may ask for would each leave their columns behind."""
    query = ListQuery(Scope("acme", "unheard-of"), Filters(), Viewer(), NOW)
    assert backend.index.ordered(query, ORDERS[0], after=None, k=5) == []
    assert backend.index.count(query) == 0
    assert list(backend.index._listed._projects) == []


def test_lists_of_a_row_that_cannot_be_read_are_refused(backend: Backend) -> None:
    """As recalls are: they would leave it out, and nobody would know."""
    writer = Writer(4, backend)
    writer.write()
    with backend.database.writing() as connection:
        connection.execute("UPDATE memories SET tags = '[\"re'")
    with pytest.raises(IndexUnavailable, match="mem doctor"):
        backend.index.count(ListQuery(SCOPE, Filters(status=()), Viewer(), NOW))


def test_columns_that_were_filled_half_are_read_anew(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Safeguard: `_empty_on_failure`; else some columns are longer than others for good."""
    writer = Writer(5, backend)
    for _ in range(20):
        writer.write()
    with monkeypatch.context() as failing:
        failing.setattr(IdColumn, "extend", Mock(side_effect=MemoryError))
        with pytest.raises(MemoryError):
            backend.index.count(ListQuery(SCOPE, Filters(status=()), VIEWERS[-1], NOW))
    assert_lists_are_those_of_the_rows(backend, writer.randomness)
