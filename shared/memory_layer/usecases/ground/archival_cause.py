"""Who took a memory out of use, and by what: asked of its history, as anybody may word a reason."""

from dataclasses import replace
from datetime import datetime
from typing import get_args

from memory_layer.domain.lifecycle import deactivated_by, status_before_expiry
from memory_layer.domain.memory import Memory, OutcomeResult
from memory_layer.ports.process import Ports
from memory_layer.ports.records import RecordVersion

ARCHIVED = "archived"
"""The verb of who archives by hand."""

EXPIRED = "expired"
"""The verb of the sweep."""


def is_archived_by_own_hand(ports: Ports, memory: Memory, name: str) -> bool:
    """Whether they archived it themselves, and nobody else had set it inactive before."""
    versions = ports.store.history(memory.scope, memory.id)
    since = _present_status_since(versions)
    if since is None or versions[since].verb != ARCHIVED or _hands(versions[since:]) != {name}:
        return False
    before = versions[since - 1].memory if since else None
    return before is None or before.status != "inactive" or before.status_reason == deactivated_by(name)


def is_archived_by_others_alone(ports: Ports, memory: Memory, name: str) -> bool:
    """Whether people archived it by hand, and this one is not among them."""
    versions = ports.store.history(memory.scope, memory.id)
    since = _present_status_since(versions)
    return since is not None and versions[since].verb == ARCHIVED and name not in _hands(versions[since:])


def _hands(versions: list[RecordVersion]) -> set[str]:
    """Who has archived it; a reviewer does so again."""
    return {version.by for version in versions if version.verb == ARCHIVED}


def is_refuted(ports: Ports, memory: Memory) -> bool:
    """Whether verdicts brought it into the status that it has."""
    versions = ports.store.history(memory.scope, memory.id)
    since = _present_status_since(versions)
    return since is not None and versions[since].verb in get_args(OutcomeResult)


def as_before_expiry(ports: Ports, memory: Memory, now: datetime) -> Memory:
    """What the expiry sweep has archived, with the status that it had before: as if no sweep had come by.

    Args:
        memory: as it is stored; what something else took out of use comes back as it is.
    """
    if status_before_expiry(memory, now) is None:
        return memory
    versions = ports.store.history(memory.scope, memory.id)
    since = _present_status_since(versions)
    if not since or versions[since].verb != EXPIRED:
        return memory
    before = versions[since - 1].memory
    return replace(memory, status=before.status, status_reason=before.status_reason)


def _present_status_since(versions: list[RecordVersion]) -> int | None:
    """Where among the versions the last one's status begins; None where there is no version."""
    earlier = [
        at for at, version in enumerate(versions) if version.memory.status != versions[-1].memory.status
    ]
    return (earlier[-1] + 1 if earlier else 0) if versions else None
