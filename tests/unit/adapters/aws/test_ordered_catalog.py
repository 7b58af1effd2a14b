"""Lists of a catalogue of segments are those of a plain sort of the records that pass the filters."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from memory_layer.adapters.aws.segments.project_catalog import ProjectCatalog
from memory_layer.adapters.aws.segments.segment_rows import WholeRecord, rows_of
from memory_layer.domain.fields import record_fields
from memory_layer.domain.list_order import ListOrder, OrderedId, OrderKey, worth
from memory_layer.domain.memory import Memory, as_of_now
from memory_layer.domain.retrieval.facts import microseconds
from memory_layer.ports.index import ListQuery
from tests.index_examples import MODEL, SCOPE, memory
from tests.unit.adapters.embedded.test_ordered_lists import FILTERS, ORDERS
from tests.unit.adapters.embedded.test_statistics import MOMENTS, VIEWERS, drawn

SCORES = {field.name for field in record_fields() if field.kind == "score"}


def key_of(one: Memory, order: ListOrder) -> OrderKey:
    """Key as an index keeps it: thousandths and microseconds."""
    if order.field == "worth":
        return worth(one.confidence, one.success_rate, one.use_count)
    value = getattr(one, order.field)
    if value is None:
        return None
    if order.field in SCORES:
        return round(value * 1000)
    return microseconds(value) if order.field.endswith("_at") else value


def plainly_sorted(memories: list[Memory], query: ListQuery, order: ListOrder) -> list[OrderedId]:
    """By the domain's own predicate: expired records are archived, what has no key comes last."""
    accepts = query.filters.acceptor()
    shown = [
        one for one in memories if query.viewer.may_see(one.persona) and accepts(as_of_now(one, query.now))
    ]
    places = sorted((OrderedId(key_of(one, order), one.id) for one in shown), key=lambda place: place.id)
    known = [place for place in places if place.key is not None]
    known.sort(key=lambda place: place.key, reverse=order.is_descending)  # type: ignore[arg-type,return-value]
    in_order = [*known, *(place for place in places if place.key is None)]
    return in_order[::-1] if order.is_from_end else in_order


@pytest.mark.parametrize("seed", range(4))
def test_pages_are_those_of_a_plain_sort(seed: int) -> None:
    randomness = random.Random(seed)
    ids = [f"m{number}" for number in range(80)]
    randomness.shuffle(ids)
    memories = [replace(memory(id, f"words of {id}"), **drawn(randomness)) for id in ids]
    rows = rows_of([WholeRecord(memory=one, vectors=None, said_bytes=9) for one in memories], MODEL, 4)
    catalogue = ProjectCatalog(rows, MODEL)
    for filters in FILTERS:
        query = ListQuery(SCOPE, filters, randomness.choice(VIEWERS), randomness.choice(MOMENTS))
        for order in ORDERS:
            expected = plainly_sorted(memories, query, order)
            assert catalogue.count(query) == len(expected)
            found: list[OrderedId] = []
            while page := catalogue.ordered(query, order, found[-1] if found else None, 11):
                assert page[0] not in found
                found += page
            assert found == expected
