"""Settlement of a proposal with the decision on it: it takes the trusted memory's place, or that one's doubt ends."""

from dataclasses import replace
from datetime import datetime

from memory_layer.domain.lifecycle import supersede
from memory_layer.domain.memory import ENDED_STATUSES, Memory
from memory_layer.domain.proposals import is_open, targets, without_proposal
from memory_layer.errors import Conflict
from memory_layer.ports.commit import Change
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import made_hot

REFUSED = "proposal refused"


def settled_proposal(
    ports: Ports, by: str, before: Memory, after: Memory, now: datetime
) -> tuple[Memory, tuple[Change, ...]]:
    """Memory after the decision on it, and the changes of memories that it was proposed for.

    Args:
        before, after: the decision; what was no proposal, or is none any more, changes nothing else.

    Raises:
        Conflict: the proposal takes another memory's place already.
    """
    waiting = [] if after is before else [old for id in targets(before) if (old := _open(ports, before, id))]
    if after.is_active and after.is_approved:
        return _accepted(waiting, after, by, now)
    refused = [without_proposal(old, before.id) for old in waiting]
    return after, tuple(Change(old, old.version - 1, REFUSED, by, now) for old in refused)


def _open(ports: Ports, proposal: Memory, id: str) -> Memory | None:
    old = ports.store.memories.get(proposal.scope, id)
    is_waiting = old is not None and is_open(old, proposal.id) and old.status not in ENDED_STATUSES
    return made_hot(old) if old is not None and is_waiting else None


def _accepted(
    waiting: list[Memory], after: Memory, by: str, now: datetime
) -> tuple[Memory, tuple[Change, ...]]:
    changes: tuple[Change, ...] = ()
    for old in waiting:
        retired, installed, problem = supersede(old, after, now)
        if problem is not None:
            raise Conflict(problem)
        after = replace(installed, version=after.version)
        changes = (*changes, Change(retired, old.version, "superseded", by, now, retired.status_reason))
    return after, changes
