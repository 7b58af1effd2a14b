"""Who took a memory out of use, and by what: asked of its history, as anybody may word a reason."""

from __future__ import annotations

from typing import get_args

from memory_layer.domain.lifecycle import deactivated_by
from memory_layer.domain.memory import Memory, OutcomeResult
from memory_layer.ports import Ports, Version

ARCHIVED = "archived"
"""The verb of who archives by hand."""


def is_archived_by_own_hand(ports: Ports, memory: Memory, name: str) -> bool:
    """Whether they archived it themselves, and nobody else had set it inactive before."""
    versions = ports.store.history(memory.scope, memory.id)
    since = _present_status_since(versions)
    if since is None or (versions[since].by, versions[since].verb) != (name, ARCHIVED):
        return False
    before = versions[since - 1].memory if since else None
    return before is None or before.status != "inactive" or before.status_reason == deactivated_by(name)


def is_refuted(ports: Ports, memory: Memory) -> bool:
    """Whether verdicts brought it into the status that it has."""
    versions = ports.store.history(memory.scope, memory.id)
    since = _present_status_since(versions)
    return since is not None and versions[since].verb in get_args(OutcomeResult)


def _present_status_since(versions: list[Version]) -> int | None:
    """Where among the versions the last one's status begins; None where there is no version."""
    earlier = [
        at for at, version in enumerate(versions) if version.memory.status != versions[-1].memory.status
    ]
    return (earlier[-1] + 1 if earlier else 0) if versions else None
