"""Undo of the last change of a record's standing."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from memory_layer.domain.fields import rfc3339
from memory_layer.domain.lifecycle import StatusChange
from memory_layer.domain.memory import ENDED_STATUSES, Memory, to_thousandths
from memory_layer.domain.outcome import settle_status

WORDS = (
    *("type", "category", "dimension", "task_type", "content", "summary", "detail", "context"),
    *("tags", "entities", "relations"),
)
"""Fields of a memory's content, beside those of its standing."""

_VOUCHED_FOR = (*WORDS, "session_id", "position", "created_by", "persona", "pinned", "said_at", "valid_from")


def last_change_of_standing(versions: Sequence[Memory]) -> int | None:
    """Index, among all versions of a record (oldest first), of its last change of status or approval; None: never."""
    changed = (at for at in range(len(versions) - 1, 0, -1) if _differ(versions[at - 1], versions[at]))
    return next(changed, None)


def _differ(one: Memory, other: Memory) -> bool:
    return _standing(one) != _standing(other)


def _standing(memory: Memory) -> tuple[Any, ...]:
    return memory.status, memory.status_reason, memory.superseded_by, *_approval(memory)


def _approval(memory: Memory) -> tuple[str | None, datetime | None]:
    return memory.approved_by, memory.approved_at


def undone(memory: Memory, before: Memory, after: Memory, now: datetime) -> StatusChange:
    """Restores the standing that a record had before a change; its content and outcomes stay as they are now.

    Args:
        memory: the record as stored now.
        before, after: the versions before and after the change.

    Returns:
        One version on, with links as they were; a successor's own link is the caller's to clear. An approval given by
        this change lapses, with the confidence that it brought; one that this change removed is back only on the very
        content that it was given for. A doubt that the change settled is back.
    """
    if any(getattr(before, name) != getattr(after, name) for name in WORDS):
        advice = f"restore version {before.version} instead"
        return StatusChange(
            memory, f"version {after.version} of {memory.id} changed what it says as well; {advice}"
        )
    valid_to = before.valid_to if memory.valid_to == after.valid_to else memory.valid_to
    restored = replace(
        memory,
        status=before.status,
        status_reason=before.status_reason,
        superseded_by=before.superseded_by,
        valid_to=valid_to,
        version=memory.version + 1,
        doubted=memory.doubted or before.doubted,
        **_approval_undone(memory, before, after),
    )
    problem = restoration_obstacle(restored, now)
    return StatusChange(restored if problem is None else memory, problem)


def _approval_undone(memory: Memory, before: Memory, after: Memory) -> dict[str, Any]:
    if _approval(before) == _approval(after):
        return {}
    gained = after.confidence - before.confidence
    is_same = all(getattr(memory, name) == getattr(before, name) for name in _VOUCHED_FOR)
    return {
        "approved_by": before.approved_by if is_same else None,
        "approved_at": before.approved_at if is_same else None,
        "confidence": to_thousandths(min(1.0, max(0.0, memory.confidence - gained))) + 0.0,
    }


def restoration_obstacle(memory: Memory, now: datetime) -> str | None:
    """Reason for which a restored record would go out of use again at once; None: it would not."""
    if memory.status not in ENDED_STATUSES and memory.expires_at is not None and memory.has_expired(now):
        return f"{memory.id} expired at {rfc3339(memory.expires_at)}; set a new expires_at first"
    settled = settle_status(memory)
    if settled is memory:
        return None
    return f"outcomes have refuted {memory.id} ({settled.status_reason}); once they speak for it, it can come back"
