"""Whatever batches receipts come in, and however often, each is told from the counted ones by its position."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memory_layer.adapters.aws.store.receipts import receipt_item
from memory_layer.adapters.aws.store.stream_positions import (
    LANES_MAX,
    counted_positions,
    positions_of,
    positions_value,
    showing,
    uncounted,
)
from memory_layer.adapters.aws.table import record_items
from memory_layer.adapters.aws.table.keys import accesses_key
from memory_layer.domain.memory import Scope
from memory_layer.ports.receipts import RecallReceipt
from tests.unit.adapters.aws.test_projector import NOW, SCOPE

Event = dict[str, Any]


def told(number: int, sequence: str, second: float = NOW.timestamp(), scope: Scope = SCOPE) -> Event:
    keys = receipt_item(RecallReceipt(f"rcl_{number}", scope, "ada", (), NOW))
    key = {"pk": keys["pk"], "sk": keys["sk"]}
    return {"Keys": key, "SequenceNumber": sequence, "ApproximateCreationDateTime": second}


@given(st.lists(st.tuples(st.integers(0, 39), st.integers(1, 40)), max_size=12))
def test_each_is_counted_once_in_whatever_batches(deliveries: list[tuple[int, int]]) -> None:
    """Falls without the positions. A batch begins where one before has ended, or earlier."""
    stream = [showing(told(number, str(10**22 + 7 * number)), NOW) for number in range(40)]
    total, counted, done = 0, {}, 0
    for back, size in [*deliveries, (0, 40)]:
        begin = max(0, done - back)
        new = uncounted(stream[begin : begin + size], counted)
        total, counted = total + len(new), counted_positions(counted, new)
        done = max(done, min(40, begin + size))
    assert (total, done) == (done, done)


def test_numbers_of_other_lengths_are_in_order() -> None:
    counted = counted_positions({}, [showing(told(1, "000999"), NOW)])
    assert uncounted([showing(told(1, "1000"), NOW)], counted)
    assert not uncounted([showing(told(1, "998"), NOW)], counted)


def test_a_shard_that_follows_may_begin_with_any_number() -> None:
    """Falls without the second: its receipts would never count again."""
    counted = counted_positions({}, [showing(told(1, "99999"), NOW)])
    assert uncounted([showing(told(1, "1", NOW.timestamp() + 1), NOW)], counted)


def test_the_latest_lanes_are_kept_and_an_item_takes_one_unit() -> None:
    """Falls if lanes are kept without bound: a record that all projects of a tenant share would grow with them."""
    long = "x" * 64
    sequence = "9" * 28
    counted: Any = {}
    for number in range(3 * LANES_MAX):
        scope = Scope(long, f"{number:064}")
        counted = counted_positions(
            counted, [showing(told(1, sequence, NOW.timestamp() + number, scope), NOW)]
        )
    assert len(counted) == LANES_MAX
    newest = showing(told(1, sequence, NOW.timestamp() + number, scope), NOW)
    assert not uncounted([newest], counted)
    item = {
        **accesses_key(Scope(long, long), f"mem_{'0' * 32}"),
        "kind": {"S": "accesses"},
        "access_count": {"N": "1" * 12},
        "last_accessed_at": {"S": "2026-11-28T12:00:00.000000Z"},
        "counted_to": positions_value(counted),
    }
    assert record_items.size_bytes(item) < 1_024


def test_damaged_positions_are_none() -> None:
    whole = {"a": "1"}
    assert positions_of(positions_value(whole)) == whole
    for damaged in (None, {"S": "x"}, {"M": [1]}, {"M": {"a": "1"}}, {"M": {"a": {"N": "1"}}}):
        assert positions_of(damaged) == {}
