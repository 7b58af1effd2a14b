"""Receipts as the table's stream tells of them: each at a position of its own, later ones later."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import count
from typing import Any, Final

from memory_layer.adapters.aws.store.receipts import receipt_item
from memory_layer.adapters.aws.store.stream_positions import Showing
from memory_layer.domain.memory import Ref, Scope
from memory_layer.ports.receipts import RecallReceipt
from tests.given import START

_positions: Final = count()


def shown(times: int, at: datetime) -> list[Showing]:
    """So many recalls that showed a record, after all that were told before."""
    return [Showing(at, "lane", f"{next(_positions):012}") for _ in range(times)]


def told_receipts(scope: Scope, number: int, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Events of so many receipts, each of which shows all of these records."""
    refs = tuple(Ref(scope.project, id) for id in ids)
    return [_told(RecallReceipt(f"rcl_{one:06}", scope, "ada", refs, START), one) for one in range(number)]


def _told(receipt: RecallReceipt, number: int) -> dict[str, Any]:
    item = receipt_item(receipt)
    event = {
        "Keys": {"pk": item["pk"], "sk": item["sk"]},
        "NewImage": item,
        "SequenceNumber": str(10**21 + number),
        "ApproximateCreationDateTime": START.timestamp(),
    }
    return {"dynamodb": event}
