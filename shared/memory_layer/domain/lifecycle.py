"""Which status a memory may go to, when it ends by itself, and why a recall must not show it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from memory_layer.domain.access import Principal, Viewer
from memory_layer.domain.memory import (
    ENDED_STATUSES,
    Memory,
    MemoryType,
    Ref,
    Status,
    as_of_now,
)
from memory_layer.domain.outcome import (
    ARCHIVE_BELOW_SCORE,
    DEACTIVATE_BELOW_CONFIDENCE,
    LOW_CONFIDENCE,
)
from memory_layer.domain.policy import Policy

APPROVED_CONFIDENCE = 1.0

APPROVABLE: frozenset[Status] = frozenset({"active", "inactive", "pending", "quarantined", "stale"})


class Transition(NamedTuple):
    """A memory after a change of status; or as it was, with the problem in words for the person who asked.

    Without a problem, and the same object as before: it was so already, and there is nothing to write.
    """

    memory: Memory
    problem: str | None = None


class Supersession(NamedTuple):
    """Both ends of a correction after it; or as they were, with the problem."""

    old: Memory
    new: Memory
    problem: str | None = None


def default_expiry(type_: MemoryType, policy: Policy, now: datetime) -> datetime | None:
    """When a memory of this type written now ends by itself; None: never."""
    days = policy.expiry_days(type_)
    return None if days is None else now + timedelta(days=days)


def hidden_because(
    memory: Memory,
    *,
    viewer: Viewer,
    now: datetime,
    policy: Policy,
    include_stale: bool = False,
    as_of: datetime | None = None,
) -> str | None:
    """Why a recall must not show this record; None: it may.

    Args:
        viewer: whose recall it is.
        include_stale: stale records may be shown.
        as_of: show what held at that time instead: also what was superseded, went stale or expired since.
    """
    moment = as_of or now
    if not viewer.may_see(memory.persona):
        return "it belongs to another persona"
    if memory.source in policy.review_sources and not memory.is_approved:
        return f"source {memory.source} needs approval in this project"
    if memory.outcome_score < ARCHIVE_BELOW_SCORE:
        return f"its outcome_score {memory.outcome_score} is below {ARCHIVE_BELOW_SCORE}"
    if memory.has_expired(moment):
        return "it has expired"
    return _not_in_force(memory, moment) or _wrong_status(memory, include_stale, as_of, now)


def _not_in_force(memory: Memory, moment: datetime) -> str | None:
    if memory.valid_from is not None and memory.valid_from > moment:
        return "it is not valid yet"
    if memory.valid_to is not None and memory.valid_to <= moment:
        return "it is no longer valid"
    return None


def _wrong_status(memory: Memory, include_stale: bool, as_of: datetime | None, now: datetime) -> str | None:
    shown = memory.is_active or (memory.status == "stale" and include_stale)
    if as_of is not None:
        if memory.created_at > as_of:
            return "it was not written yet"
        shown = shown or memory.status in ("stale", "superseded") or _is_swept(memory, now)
    return None if shown else f"it is {memory.status}"


EXPIRED_REASON = "expired"


def _is_swept(memory: Memory, now: datetime) -> bool:
    is_expired = memory.has_expired(now) and memory.status_reason == EXPIRED_REASON
    return memory.status == "archived" and is_expired


def approve(memory: Memory, by: str, at: datetime) -> Transition:
    """A person vouches for it: confidence 1.0; lifts pending, quarantined, stale and inactive."""
    held = as_of_now(memory, at)
    if held.status not in APPROVABLE:
        return Transition(memory, f"{_is(held)}; restore an earlier version first, then approve it")
    return Transition(
        _moved(
            memory,
            "active",
            None,
            confidence=APPROVED_CONFIDENCE,
            approved_by=by,
            approved_at=at,
        )
    )


def reject(memory: Memory, by: str, at: datetime, reason: str | None = None) -> Transition:
    """A person says that it must not be used; an earlier approval lapses."""
    held = as_of_now(memory, at)
    if held.status == "rejected":
        return Transition(memory)
    if held.status not in APPROVABLE:
        return Transition(memory, f"{_is(held)} and out of use already; there is nothing to reject")
    said = reason or f"rejected by {by}"
    return Transition(_moved(memory, "rejected", said, approved_by=None, approved_at=None))


def archive(memory: Memory, reason: str) -> Memory:
    """Out of recall and default lists, kept with its history; why it was inactive before is not forgotten."""
    if memory.status == "archived":
        return memory
    said = was_inactive(reason, memory.status_reason) if _is_inactive(memory) else reason
    return _moved(memory, "archived", said)


def was_inactive(reason: str, before: str | None) -> str:
    """The reason of an archived memory that was inactive before, for the reason `before`."""
    return f"{reason}; it was inactive: {before}"[:1_024]


def deactivated_by(name: str) -> str:
    """The reason of a memory that somebody set inactive."""
    return f"deactivated by {name}"


def deactivate(memory: Memory, by: Principal) -> Memory:
    """Out of recall. What is out already stays as it is, but that a reviewer's word replaces another's."""
    reason = deactivated_by(by.name)
    is_last_word = _is_inactive(memory) and by.is_reviewer and memory.status_reason != reason
    return _moved(memory, "inactive", reason) if memory.is_active or is_last_word else memory


def activate(memory: Memory, by: Principal) -> Transition:
    """Back into recall: by whoever took it out, or a reviewer; what outcomes have refuted, by a reviewer alone."""
    if memory.is_active:
        return Transition(memory)
    if not _is_inactive(memory):
        return Transition(memory, f"{_is(memory)}, not inactive; {_WAY_BACK[memory.status]}")
    if not by.is_reviewer and memory.status_reason != deactivated_by(by.name):
        return Transition(memory, f"{_is(memory)} ({memory.status_reason}); a reviewer brings it back")
    if memory.confidence < DEACTIVATE_BELOW_CONFIDENCE:
        return Transition(
            memory, f"{memory.id} has {LOW_CONFIDENCE}; approve it, or raise its confidence first"
        )
    return Transition(_moved(memory, "active", None))


def _is_inactive(memory: Memory) -> bool:
    return memory.status == "inactive"


_WAY_BACK: dict[Status, str] = {
    "pending": "approve it instead",
    "quarantined": "approve it instead",
    "stale": "confirm or approve it instead",
    "rejected": "restore an earlier version instead",
    "archived": "restore an earlier version instead",
    "superseded": "use its successor, or restore an earlier version",
}


def confirm(memory: Memory, at: datetime) -> Transition:
    """What went stale still holds."""
    held = as_of_now(memory, at)
    if held.is_active:
        return Transition(memory)
    if held.status != "stale":
        return Transition(
            memory, f"{_is(held)}, not stale; {_WAY_BACK.get(held.status, 'set active instead')}"
        )
    return Transition(_moved(memory, "active", None))


def supersede(old: Memory, new: Memory, at: datetime, reason: str | None = None) -> Supersession:
    """One memory takes another's place, and both say so.

    The successor must be active and superseded by nothing: so no chain of corrections closes into a ring.
    """
    problem = _supersession_problem(as_of_now(old, at), as_of_now(new, at))
    if problem is not None:
        return Supersession(old, new, problem)
    return Supersession(
        _moved(
            old,
            "superseded",
            reason or f"superseded by {new.id}",
            superseded_by=new.id,
            valid_to=at if old.valid_to is None else min(old.valid_to, at),
        ),
        replace(new, supersedes=old.id, version=new.version + 1),
    )


def _supersession_problem(old: Memory, new: Memory) -> str | None:
    if old.scope != new.scope:
        return f"{new.id} is in another project than {old.id}; write it there first"
    if Ref(old.project, old.id) == Ref(new.project, new.id):
        return f"{old.id} cannot supersede itself; write the correction as a memory of its own"
    if old.status in ENDED_STATUSES:
        successor = f" by {old.superseded_by}; supersede that one" if old.superseded_by else ""
        return f"{_is(old)}{successor or ' and out of use already'}"
    if not new.is_active or new.superseded_by is not None:
        return f"{_is(new)}; only an active memory takes another's place"
    if new.supersedes is not None:
        return f"{new.id} supersedes {new.supersedes} already; merge {old.id} into {new.id} instead"
    return None


def _is(memory: Memory) -> str:
    return f"{memory.id} is {memory.status}"


def _moved(memory: Memory, status: Status, reason: str | None, **changed: Any) -> Memory:
    """What it says stays as it is, and so does `updated_at`."""
    return replace(memory, status=status, status_reason=reason, version=memory.version + 1, **changed)
