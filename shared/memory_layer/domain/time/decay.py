"""Decay by disuse: scores drift back to 0, and refuted memories go out of use (SPEC 4.30); due times of sweeps."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from memory_layer.domain.memory import ENDED_STATUSES, Memory
from memory_layer.domain.outcome import DRIFT_AFTER_DAYS, drift, settle_status

SILENT_AFTER = timedelta(days=90)
SILENT_RECENCY_SHARE = 0.5
"""Recency penalty after 90 days without commits (Outcome-Ranked Engine, the stale project memory; SPEC 6.35)."""


def recency_share(last_activity: datetime | None, now: datetime) -> float:
    """Share of their recency that a project's memories keep: all of it, or half once the project is inactive.

    Args:
        last_activity: None: nobody watches the project, so inactivity is unknown.
    """
    is_silent = last_activity is not None and now - last_activity >= SILENT_AFTER
    return SILENT_RECENCY_SHARE if is_silent else 1.0


FREEZE_AFTER_DAYS: Final = 365
"""Days after its last change from which a cold record out of use is kept for audits alone."""


def is_freezing(memory: Memory) -> bool:
    """Tests if only time keeps a record from deep archive, which records in use never reach."""
    return memory.tier == "cold" and memory.status in ENDED_STATUSES and not memory.pinned


def due_at(memory: Memory) -> datetime | None:
    """First moment at which a sweep changes the record as it is; None: never by time alone.

    A record that is due as soon as it is written is due since its creation. For a cold record out of use this is a
    lower bound: the year counts from the change that made it so, which a store knows (`due_from`).
    """
    if memory.status in ENDED_STATUSES:
        return memory.updated_at + timedelta(days=FREEZE_AFTER_DAYS) if is_freezing(memory) else None
    if is_refuted(memory):
        return memory.created_at
    return min((at for at in (memory.expires_at, drift_due(memory)) if at is not None), default=None)


def due_from(memory: Memory, written_at: datetime) -> datetime | None:
    """Due time that a store keeps: `due_at`, but not before the change that made the record's present version.

    A record written now is so listed ahead of a running sweep; after a clock was set back, the sweep is late to it.
    """
    at = due_at(memory)
    if at is None:
        return None
    return max(at, written_at + timedelta(days=FREEZE_AFTER_DAYS) if is_freezing(memory) else written_at)


DAY = timedelta(days=1)


def decayed(memory: Memory, now: datetime) -> Memory:
    """Applies disuse to a memory, at its next version; returns the same object if there is nothing to do yet.

    Expired memories are left to the expiry sweep. A clock that was set back counts no day twice and takes none back.
    """
    if memory.status in ENDED_STATUSES or memory.has_expired(now):
        return memory
    settled = settle_status(memory)
    after = settled if settled.status in ENDED_STATUSES else _drifted(settled, now)
    return memory if after is memory else replace(after, version=memory.version + 1)


def is_refuted(memory: Memory) -> bool:
    """Tests if a memory's confidence or score takes it out of use, and it is still in use."""
    return settle_status(memory) is not memory


def drift_due(memory: Memory) -> datetime | None:
    """Time at which the next day of disuse counts; None: there is no score left to drift."""
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
        ),  # a part of the score, which drifts with it
        drifted_at=_last_use(memory) + unused_days * DAY,
    )


def _last_use(memory: Memory) -> datetime:
    return memory.last_used_at or memory.created_at


def _counted_days(memory: Memory) -> int:
    """Whole days since the last use that an earlier sweep has counted already."""
    counted_until = memory.drifted_at or _last_use(memory)
    return max(0, (counted_until - _last_use(memory)) // DAY)
