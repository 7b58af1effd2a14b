"""When the clock alone changes a record: found through an index, so that no sweep reads all there is."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from memory_layer.domain.memory import ENDED_STATUSES, Memory
from memory_layer.domain.time.decay import drift_due, is_refuted

FREEZE_AFTER_DAYS: Final = 365
"""A cold record out of use, a year after the last change that anything made to it, is kept for audits alone."""


def is_freezing(memory: Memory) -> bool:
    """Whether nothing but time keeps a record from deep archive. What is in use never gets there."""
    return memory.tier == "cold" and memory.status in ENDED_STATUSES and not memory.pinned


def due_at(memory: Memory) -> datetime | None:
    """The first moment at which a sweep changes the record as it is; None: never by itself.

    One that is due as soon as it is written is due since its creation. Of a cold one out of use, not before: a year
    counts from the change that made it so, which a store knows (`due_from`).
    """
    if memory.status in ENDED_STATUSES:
        return memory.updated_at + timedelta(days=FREEZE_AFTER_DAYS) if is_freezing(memory) else None
    if is_refuted(memory):
        return memory.created_at
    return min((at for at in (memory.expires_at, drift_due(memory)) if at is not None), default=None)


def due_from(memory: Memory, written_at: datetime) -> datetime | None:
    """`due_at` as a store keeps it: not before the change that made the record what it is.

    So that what is written now lies where a sweep has not been yet; once the clock is set back, where it comes late.
    """
    at = due_at(memory)
    if at is None:
        return None
    return max(at, written_at + timedelta(days=FREEZE_AFTER_DAYS) if is_freezing(memory) else written_at)
