"""When the clock alone changes a record: found through an index, so that no sweep reads all there is."""

from __future__ import annotations

from datetime import datetime

from memory_layer.domain.disuse import drift_due, is_refuted
from memory_layer.domain.memory import ENDED_STATUSES, Memory


def due_at(memory: Memory) -> datetime | None:
    """The first moment at which a sweep changes the record as it is; None: never by itself.

    One that is due as soon as it is written is due since its creation.
    """
    if memory.status in ENDED_STATUSES:
        return None
    if is_refuted(memory):
        return memory.created_at
    return min((at for at in (memory.expires_at, drift_due(memory)) if at is not None), default=None)


def due_from(memory: Memory, written_at: datetime) -> datetime | None:
    """`due_at` as a store keeps it: not before the change that made the record what it is.

    So that what is written now lies where a sweep has not been yet.
    """
    at = due_at(memory)
    return None if at is None else max(at, written_at)
