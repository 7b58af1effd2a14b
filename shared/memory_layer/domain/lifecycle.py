"""Status transitions of a memory, its expiry, and the reasons for which a recall leaves it out."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from memory_layer.domain.access import Principal, Viewer
from memory_layer.domain.memory import (
    ENDED_STATUSES,
    EXPIRED_REASON,
    OUT_OF_RECALL,
    Memory,
    MemoryType,
    Ref,
    Status,
    as_of_now,
    reason_after,
    reason_prefix,
)
from memory_layer.domain.outcome import (
    ARCHIVE_BELOW_SCORE,
    DEACTIVATE_BELOW_CONFIDENCE,
    LOW_CONFIDENCE,
)
from memory_layer.domain.policy import Policy

APPROVED_CONFIDENCE = 1.0

APPROVABLE: frozenset[Status] = frozenset({"active", "inactive", "pending", "quarantined", "stale"})


class StatusChange(NamedTuple):
    """Memory after a change of status; or unchanged, with the problem in words for the person who asked.

    The same object without a problem: the memory had that status already, and there is nothing to write.
    """

    memory: Memory
    problem: str | None = None


class SupersessionChange(NamedTuple):
    """Both memories of a correction after it; or unchanged, with the problem."""

    old: Memory
    new: Memory
    problem: str | None = None


def default_expiry(type_: MemoryType, policy: Policy, now: datetime) -> datetime | None:
    """Expiry of a memory of this type written now; None: never."""
    days = policy.expiry_days(type_)
    return None if days is None else now + timedelta(days=days)


def hidden_because(
    memory: Memory,
    *,
    viewer: Viewer,
    now: datetime,
    policy: Policy,
    include_stale: bool = False,
) -> str | None:
    """Reason for which a recall must not show a record; None: it may.

    Args:
        memory: the current record; or an earlier version, judged by the clock of then: later changes are no reason.
        viewer: the caller of the recall.
        include_stale: stale records may be shown.
    """
    if not viewer.may_see(memory.persona):
        return "it belongs to another persona"
    if memory.tier in OUT_OF_RECALL:
        return f"it is {memory.tier}"
    if memory.source in policy.review_sources and not memory.is_approved:
        return f"source {memory.source} needs approval in this project"
    if memory.outcome_score < ARCHIVE_BELOW_SCORE:
        return f"its outcome_score {memory.outcome_score} is below {ARCHIVE_BELOW_SCORE}"
    if memory.has_expired(now):
        return "it has expired"
    is_shown = memory.is_active or (memory.status == "stale" and include_stale)
    return not_valid_because(memory, now) or (None if is_shown else f"it is {memory.status}")


def not_valid_because(memory: Memory, moment: datetime) -> str | None:
    """Reason for which a record does not hold at a moment (`valid_from`, `valid_to`); None: it holds."""
    if memory.valid_from is not None and memory.valid_from > moment:
        return "it is not valid yet"
    if memory.valid_to is not None and memory.valid_to <= moment:
        return "it is no longer valid"
    return None


_MAY_EXPIRE: tuple[Status, ...] = ("inactive", "pending", "quarantined", "stale")
"""Statuses beside active that have not ended yet."""


def archive_if_expired(memory: Memory, now: datetime) -> Memory:
    """Archives an expired record, one version on; the same object before `expires_at`, or if it has ended already."""
    archived = as_of_now(memory, now)
    return memory if archived is memory else replace(archived, version=memory.version + 1)


def status_before_expiry(memory: Memory, now: datetime) -> tuple[Status, str | None] | None:
    """Status and reason before the sweep archived an expired record; None: it was archived for another reason.

    Any caller may word a reason in this form: code that must not be deceived reads the record's history.
    """
    reason = memory.status_reason or ""
    if memory.status != "archived" or not memory.has_expired(now):
        return None
    if reason == EXPIRED_REASON:
        return "active", None
    for status in _MAY_EXPIRE:
        marker = reason_prefix(EXPIRED_REASON, status)
        if reason == marker or reason.startswith(f"{marker}: "):
            return status, reason.removeprefix(marker).removeprefix(": ") or None
    return None


def approve(memory: Memory, by: str, at: datetime) -> StatusChange:
    """Approves a memory: confidence 1.0, no doubt left; lifts pending, quarantined, stale and inactive."""
    current = as_of_now(memory, at)
    if current.status not in APPROVABLE:
        return StatusChange(memory, f"{_status_text(current)}; {_remedy(current, at)} first, then approve it")
    return StatusChange(
        _with_status(
            memory,
            "active",
            None,
            confidence=APPROVED_CONFIDENCE,
            approved_by=by,
            approved_at=at,
            doubted=None,
        )
    )


def reject(memory: Memory, by: str, at: datetime, reason: str | None = None) -> StatusChange:
    """Rejects a memory: out of use on a person's word; an earlier approval lapses."""
    current = as_of_now(memory, at)
    if current.status == "rejected":
        return StatusChange(memory)
    if current.status not in APPROVABLE:
        return StatusChange(
            memory, f"{_status_text(current)} and out of use already; there is nothing to reject"
        )
    status_reason = reason or f"rejected by {by}"
    return StatusChange(_with_status(memory, "rejected", status_reason, approved_by=None, approved_at=None))


def archive(memory: Memory, reason: str) -> Memory:
    """Archives a memory: out of recall and default lists, kept with its history and its reason of deactivation."""
    if memory.status == "archived":
        return memory
    status_reason = reason_after(reason, "inactive", memory.status_reason) if _is_inactive(memory) else reason
    return _with_status(memory, "archived", status_reason)


def deactivated_by(name: str) -> str:
    """Status reason of a memory that a caller deactivated."""
    return f"deactivated by {name}"


def deactivate(memory: Memory, by: Principal) -> Memory:
    """Takes an active memory out of recall; a reviewer's reason replaces that of an earlier deactivation."""
    reason = deactivated_by(by.name)
    is_last_word = _is_inactive(memory) and by.is_reviewer and memory.status_reason != reason
    return _with_status(memory, "inactive", reason) if memory.is_active or is_last_word else memory


def activate(memory: Memory, by: Principal) -> StatusChange:
    """Reactivates a memory: by the caller who deactivated it, or a reviewer; a refuted one, by a reviewer alone."""
    if memory.is_active:
        return StatusChange(memory)
    if not _is_inactive(memory):
        return StatusChange(
            memory, f"{_status_text(memory)}, not inactive; {_REMEDIES[memory.status]} instead"
        )
    if not by.is_reviewer and memory.status_reason != deactivated_by(by.name):
        return StatusChange(
            memory, f"{_status_text(memory)} ({memory.status_reason}); a reviewer brings it back"
        )
    if memory.confidence < DEACTIVATE_BELOW_CONFIDENCE:
        return StatusChange(
            memory, f"{memory.id} has {LOW_CONFIDENCE}; approve it, or raise its confidence first"
        )
    return StatusChange(_with_status(memory, "active", None))


def _is_inactive(memory: Memory) -> bool:
    return memory.status == "inactive"


_REMEDIES: dict[Status, str] = {
    "inactive": "set active",
    "pending": "approve it",
    "quarantined": "approve it",
    "stale": "confirm or approve it",
    "rejected": "undo that or restore a version",
    "archived": "undo that or restore a version",
    "superseded": "use its successor or undo that",
}


def _remedy(memory: Memory, now: datetime) -> str:
    has_lapsed = memory.status == "archived" and memory.has_expired(now)
    return "set a new expires_at" if has_lapsed else _REMEDIES[memory.status]


def confirm(memory: Memory, at: datetime, *, by_agent: bool = False) -> StatusChange:
    """Confirms that a stale or doubted memory still holds; an agent's confirmation ends no doubt."""
    current = as_of_now(memory, at)
    doubted = memory.doubted if by_agent else None
    if current.is_active and doubted == memory.doubted:
        return StatusChange(memory)
    if not (current.is_active or current.status == "stale"):
        return StatusChange(memory, f"{_status_text(current)}, not stale; {_remedy(current, at)} instead")
    return StatusChange(_with_status(memory, "active", None, doubted=doubted))


def supersede(old: Memory, new: Memory, at: datetime, reason: str | None = None) -> SupersessionChange:
    """Supersedes a memory by its correction and links both.

    No chain of corrections closes into a cycle: the successor must be active and superseded by nothing, and a memory
    that comes back into force is superseded by nothing any more.
    """
    problem = _supersession_problem(as_of_now(old, at), as_of_now(new, at))
    if problem is not None:
        return SupersessionChange(old, new, problem)
    if new.supersedes is not None:
        return SupersessionChange(
            old, new, f"{new.id} supersedes {new.supersedes} already; merge {old.id} into {new.id} instead"
        )
    retired = _retired(old, new, at, reason or f"superseded by {new.id}")
    return SupersessionChange(retired, replace(new, supersedes=old.id, version=new.version + 1))


def retire_merged(old: Memory, new: Memory, at: datetime, reason: str | None = None) -> StatusChange:
    """Retires a memory that was merged into another: superseded by it, as any number may be.

    The other memory lists it in `detail.merged_ids` (domain.duplicates), and no chain closes into a cycle for
    the same reason as with `supersede`.
    """
    problem = _supersession_problem(as_of_now(old, at), as_of_now(new, at))
    if problem is not None:
        return StatusChange(old, problem)
    return StatusChange(_retired(old, new, at, reason or f"merged into {new.id}"))


def _retired(old: Memory, new: Memory, at: datetime, reason: str) -> Memory:
    valid_to = at if old.valid_to is None else min(old.valid_to, at)
    return _with_status(old, "superseded", reason, superseded_by=new.id, valid_to=valid_to)


def _supersession_problem(old: Memory, new: Memory) -> str | None:
    if old.scope != new.scope:
        return f"{new.id} is in another project than {old.id}; write it there first"
    if Ref(old.project, old.id) == Ref(new.project, new.id):
        return f"{old.id} cannot supersede itself; write the correction as a memory of its own"
    ended = supersession_obstacle(old)
    if ended is None and (not new.is_active or new.superseded_by is not None):
        return f"{_status_text(new)}; only an active memory takes another's place"
    return ended


def supersession_obstacle(memory: Memory) -> str | None:
    """Reason for which a memory cannot be superseded, with the remedy; None: it can be.

    Args:
        memory: the current record (`as_of_now`).
    """
    if memory.status not in ENDED_STATUSES:
        return None
    successor = f" by {memory.superseded_by}; supersede that one" if memory.superseded_by else ""
    return f"{_status_text(memory)}{successor or ' and out of use already'}"


def _status_text(memory: Memory) -> str:
    return f"{memory.id} is {memory.status}"


def _with_status(memory: Memory, status: Status, reason: str | None, **changed: Any) -> Memory:
    """Changes the standing of a memory, one version on; its content and `updated_at` stay."""
    return replace(memory, status=status, status_reason=reason, version=memory.version + 1, **changed)
