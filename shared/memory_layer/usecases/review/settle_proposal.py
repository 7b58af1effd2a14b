"""Settlement of proposals with a decision: one takes the trusted memory's place, or that one's doubt ends.

The others for that place wait for the place of the memory that took it.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from memory_layer.domain.lifecycle import reject, supersede
from memory_layer.domain.memory import ENDED_STATUSES, Memory
from memory_layer.domain.proposals import OVERRULED, REFUSED, is_open, without_proposal
from memory_layer.errors import Conflict, StaleVersion
from memory_layer.ports.commit import Change
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import check_seen, made_hot
from memory_layer.usecases.ground.open_proposals import open_proposals, places_of, with_open_proposals


def settled_proposal(
    ports: Ports,
    by: str,
    before: Memory,
    after: Memory,
    now: datetime,
    *,
    seen: Mapping[str, int] | None = None,
) -> tuple[Memory, tuple[Change, ...]]:
    """Memory after the decision on it, and the changes of memories that it was proposed for.

    Args:
        before, after: the decision; what was no proposal, or is none any more, changes nothing else.
        seen: versions of memories that it was proposed for, by id, as they were looked at; None: not told.

    Raises:
        StaleVersion: one of those is at another version, out of use, or rid of this doubt; or one whose place it
            would take is not among them.
        Conflict: the proposal takes another memory's place already.
    """
    if after is before:
        return after, ()
    waiting = _waiting(ports, before, seen or {})
    if after.is_active and after.is_approved:
        _refuse_unseen(before, waiting, seen)
        after, changes = _accepted(ports, waiting, after, by, now)
        overruled = overruled_by(ports, by, before, now, f"{by} approved {before.id} instead")
        replaced = {change.memory.id for change in changes}
        return after, (*changes, *(one for one in overruled if one.memory.id not in replaced))
    refused = [without_proposal(old, before.id) for old in waiting]
    return after, tuple(Change(old, old.version - 1, REFUSED, by, now) for old in refused)


def _waiting(ports: Ports, proposal: Memory, seen: Mapping[str, int]) -> list[Memory]:
    """Memories in force for whose place a memory still waits. Raises: StaleVersion"""
    found = places_of(ports, proposal)
    check_seen(found, seen)
    waiting = [old for old in found if is_open(old, proposal.id) and old.status not in ENDED_STATUSES]
    others = seen.keys() - {old.id for old in waiting}
    if others:
        raise StaleVersion(
            f"{proposal.id} does not wait for the place of {min(others)} by now; read both again, then decide"
        )
    return [made_hot(old) for old in waiting]


def _refuse_unseen(proposal: Memory, waiting: list[Memory], seen: Mapping[str, int] | None) -> None:
    """Refuses a place that was not looked at, where the caller tells what was. Raises: StaleVersion"""
    unseen = () if seen is None else {old.id for old in waiting} - seen.keys()
    if unseen:
        raise StaleVersion(
            f"{proposal.id} would take the place of {min(unseen)}, which was not looked at; read it, then name it "
            "with its version in seen"
        )


def overruled_by(ports: Ports, by: str, old: Memory, now: datetime, why: str) -> list[Change]:
    """Rejections of what is proposed for a memory's place: a reviewer has decided that its own words hold.

    Args:
        old: the memory before that decision, with its doubt.
    """
    rejected = (reject(made_hot(one), by, now, why) for one in open_proposals(ports, old).values())
    return [Change(one, one.version - 1, OVERRULED, by, now, why) for one, problem in rejected if not problem]


def _accepted(
    ports: Ports, waiting: list[Memory], after: Memory, by: str, now: datetime
) -> tuple[Memory, tuple[Change, ...]]:
    changes: tuple[Change, ...] = ()
    for old in waiting:
        retired, installed, problem = supersede(old, after, now)
        if problem is not None:
            raise Conflict(problem)
        after = with_open_proposals(ports, old, replace(installed, version=after.version))
        changes = (*changes, Change(retired, old.version, "superseded", by, now, retired.status_reason))
    return after, changes
