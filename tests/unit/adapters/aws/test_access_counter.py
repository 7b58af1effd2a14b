"""Receipts in batches of the stream: counted together, in no hurry, and never lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory_layer.adapters.aws.projection.access_counter import AccessCounter
from memory_layer.adapters.aws.store.receipts import receipt_item
from memory_layer.adapters.aws.store.stream_positions import Showing
from memory_layer.domain.memory import Ref, Scope
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.receipts import RecallReceipt
from tests.unit.adapters.aws.test_projector import NOW, SCOPE, event, image


def receipt_event(number: int, *ids: str, project: str = "shop") -> dict[str, Any]:
    refs = tuple(Ref(project, id) for id in ids)
    told = event(number, receipt_item(RecallReceipt(f"rcl_{number}", SCOPE, "ada", refs, NOW)))
    told["dynamodb"]["ApproximateCreationDateTime"] = NOW.timestamp()
    return told


class Counts:
    """Notes what is counted, or is busy."""

    def __init__(self, *, is_busy: bool = False) -> None:
        self.counted: list[dict[Any, int]] = []
        self._is_busy = is_busy

    def count(self, showings: Mapping[Any, Sequence[Showing]]) -> None:
        if self._is_busy:
            raise StoreUnavailable("busy")
        assert {one.at for shown in showings.values() for one in shown} == {NOW}
        self.counted.append({record: len(shown) for record, shown in showings.items()})


def test_each_memory_is_counted_once_a_batch() -> None:
    """Falls if receipts are counted one by one: the writes are as many as the memories shown."""
    counts = Counts()
    batch = [
        receipt_event(1, "a", "b"),
        event(2, image("c")),
        receipt_event(3, "a"),
        receipt_event(4, "a", project="x"),
    ]
    assert AccessCounter(counts.count).take(batch).failed == []
    accesses = {(SCOPE, "a"): 2, (SCOPE, "b"): 1, (Scope("acme", "x"), "a"): 1}
    assert counts.counted == [accesses]


def test_a_table_that_is_busy_has_them_told_again() -> None:
    batch = [event(1, image("c")), receipt_event(2, "a"), receipt_event(3, "b")]
    assert AccessCounter(Counts(is_busy=True).count).take(batch).failed == ["2"]


def test_a_damaged_receipt_holds_up_no_other() -> None:
    counts, broken = Counts(), receipt_event(1, "a")
    broken["dynamodb"]["NewImage"]["refs"] = {"S": "[["}
    assert AccessCounter(counts.count).take([broken, receipt_event(2, "b")]).failed == []
    assert counts.counted == [{(SCOPE, "b"): 1}]


def test_what_was_a_receipt_before_is_not_counted_again() -> None:
    counts, old = Counts(), receipt_event(1, "a")
    old["dynamodb"]["OldImage"] = old["dynamodb"]["NewImage"]
    assert AccessCounter(counts.count).take([old, event(2, image("c"))]).failed == []
    assert counts.counted == []
