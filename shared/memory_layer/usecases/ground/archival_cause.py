"""Cause of an archival, and who did it: read from the history, since a reason is free text."""

from dataclasses import replace
from datetime import datetime
from typing import get_args

from memory_layer.domain.lifecycle import deactivated_by, status_before_expiry
from memory_layer.domain.memory import Memory, OutcomeResult
from memory_layer.ports.process import Ports
from memory_layer.ports.records import RecordVersion

ARCHIVED = "archived"
"""Verb of an archival by hand."""

EXPIRED = "expired"
"""Verb of the expiry sweep."""


def is_archived_by_own_hand(ports: Ports, memory: Memory, name: str) -> bool:
    """Tells if this principal alone archived the memory, and nobody else had set it inactive before."""
    versions = ports.store.history.of(memory.scope, memory.id)
    since = _start_of_present_status(versions)
    if since is None or versions[since].verb != ARCHIVED or _archivers(versions[since:]) != {name}:
        return False
    before = versions[since - 1].memory if since else None
    return before is None or before.status != "inactive" or before.status_reason == deactivated_by(name)


def is_archived_by_others_alone(ports: Ports, memory: Memory, name: str) -> bool:
    """Tells if the memory was archived by hand, and this principal is not among those who did."""
    versions = ports.store.history.of(memory.scope, memory.id)
    since = _start_of_present_status(versions)
    return since is not None and versions[since].verb == ARCHIVED and name not in _archivers(versions[since:])


def _archivers(versions: list[RecordVersion]) -> set[str]:
    """Names of those who archived the memory; a reviewer may archive it again."""
    return {version.by for version in versions if version.verb == ARCHIVED}


def was_refuted(ports: Ports, memory: Memory) -> bool:
    """Tells if verdicts brought the memory into its present status."""
    versions = ports.store.history.of(memory.scope, memory.id)
    since = _start_of_present_status(versions)
    return since is not None and versions[since].verb in get_args(OutcomeResult)


def as_before_expiry(ports: Ports, memory: Memory, now: datetime) -> Memory:
    """Memory archived by the expiry sweep with its status of before, as if no sweep had come by.

    Args:
        memory: as it is stored; one that something else took out of use is returned unchanged.
    """
    if status_before_expiry(memory, now) is None:
        return memory
    versions = ports.store.history.of(memory.scope, memory.id)
    since = _start_of_present_status(versions)
    if not since or versions[since].verb != EXPIRED:
        return memory
    before = versions[since - 1].memory
    return replace(memory, status=before.status, status_reason=before.status_reason)


def _start_of_present_status(versions: list[RecordVersion]) -> int | None:
    """Index of the version at which the present status begins; None where there is no version."""
    earlier = [
        at for at, version in enumerate(versions) if version.memory.status != versions[-1].memory.status
    ]
    return (earlier[-1] + 1 if earlier else 0) if versions else None
