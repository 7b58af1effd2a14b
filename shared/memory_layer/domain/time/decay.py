"""What disuse does to what was learned: scores drift back to nothing, what is refuted goes out of use (SPEC 4.30)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from memory_layer.domain.memory import ENDED_STATUSES, Memory
from memory_layer.domain.outcome import DRIFT_AFTER_DAYS, drift, settle_status

DAY = timedelta(days=1)


def decayed(memory: Memory, now: datetime) -> Memory:
    """The memory as disuse leaves it, one version on; the same object if there is nothing to do yet.

    What has expired is the other sweep's. A clock that was set back counts no day twice and takes none back.
    """
    if memory.status in ENDED_STATUSES or memory.has_expired(now):
        return memory
    settled = settle_status(memory)
    after = settled if settled.status in ENDED_STATUSES else _drifted(settled, now)
    return memory if after is memory else replace(after, version=memory.version + 1)


def is_refuted(memory: Memory) -> bool:
    """Whether its confidence or score takes it out of use, and it is not yet."""
    return settle_status(memory) is not memory


def drift_due(memory: Memory) -> datetime | None:
    """When the next day of disuse counts; None: there is nothing left to drift."""
    if memory.outcome_score == 0.0 and memory.unseconded == 0.0:
        return None
    return _last_use(memory) + (max(DRIFT_AFTER_DAYS, _counted_days(memory)) + 1) * DAY


def _drifted(memory: Memory, now: datetime) -> Memory:
    due = drift_due(memory)
    if due is None or due > now:
        return memory
    unused_days, counted_days = (now - _last_use(memory)) // DAY, _counted_days(memory)
    return replace(
        memory,
        outcome_score=drift(memory.outcome_score, unused_days, counted_days),
        unseconded=drift(
            memory.unseconded, unused_days, counted_days
        ),  # a share of the score, and goes with it
        drifted_at=_last_use(memory) + unused_days * DAY,
    )


def _last_use(memory: Memory) -> datetime:
    return memory.last_used_at or memory.created_at


def _counted_days(memory: Memory) -> int:
    """Whole days since its last use that an earlier sweep has counted already."""
    counted_until = memory.drifted_at or _last_use(memory)
    return max(0, (counted_until - _last_use(memory)) // DAY)
