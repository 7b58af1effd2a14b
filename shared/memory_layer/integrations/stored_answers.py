"""Answers of the service to a write, told to whoever runs an adapter: what was redacted, what waits for a person."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from memory_layer.wire.problem import MemoryProblem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_layer.client.models import MemoryStatus, WriteReceipt

log = logging.getLogger("memory_layer.integrations")

ABSENT_STATUSES = frozenset({"archived", "rejected"})
"""Statuses of what was deleted, has expired, or a reviewer turned down: an adapter has no such thing any more."""

KEPT_STATUSES: Sequence[MemoryStatus] = (
    "active",
    "inactive",
    "pending",
    "stale",
    "superseded",
    "quarantined",
)
"""All others: an adapter reads back what it put, though a recall may not show it."""


def is_kept(memory: Any) -> bool:
    """Tells whether a record is still what an adapter keeps."""
    return memory.status not in ABSENT_STATUSES


def notes_of(receipt: WriteReceipt) -> list[str]:
    """Sentences about what did not go as it was sent; none where all did."""
    notes = []
    if receipt.redacted:
        kinds = ", ".join(sorted({found.kind for found in receipt.redacted}))
        notes.append(f"secrets ({kinds}) were removed before it was stored, and read back as [REDACTED:…]")
    if receipt.quarantined:
        notes.append("it reads like an order to a model and is not recalled until a person approves it")
    return notes


def report(receipt: WriteReceipt, named: str) -> None:
    """Logs a warning for each note. Args: named: the item, as the framework calls it."""
    for note in notes_of(receipt):
        log.warning("%s: %s", named, note)


def require_changed(receipt: WriteReceipt, named: str) -> None:
    """Refuses to pass over a change that was only proposed. Raises: MemoryProblem"""
    if receipt.proposed_for is not None:
        raise MemoryProblem(
            "proposed",
            f"{named} is a person's word ({receipt.proposed_for}) and says what it said; the change waits "
            "for a reviewer: write under a key of your own, or have it approved",
        )
