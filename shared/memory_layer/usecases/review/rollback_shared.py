"""Shared copies in a rollback: what a reviewer gave the whole tenant goes with the memory that it was made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from memory_layer.domain.access import SHARED_PROJECT, Principal, origin_of
from memory_layer.domain.memory import Memory
from memory_layer.domain.rollback.exclusions import Refusal
from memory_layer.ports.process import Ports
from memory_layer.usecases.review.apply_memory import APPLIED, shared_id
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.undo import undo_last_change

_REASON: Final = "{project} was rolled back: {rollback}"


def take_back_shared(
    ports: Ports,
    principal: Principal,
    project: str,
    refused: Iterable[Refusal],
    rollback: str,
    *,
    is_dry_run: bool,
) -> int:
    """Archives the shared copies of memories that nobody could have shared; returns how many.

    Done again it finds nothing more to do.

    Args:
        refused: operations that would have been refused without what is taken back.
    """
    if project == SHARED_PROJECT:
        return 0
    ids = dict.fromkeys(one.id for one in refused if one.verb == APPLIED)
    taken = [copy for id in ids if (copy := _copy_of(ports, principal, project, id)) and copy.is_active]
    reason = _REASON.format(project=project, rollback=rollback)
    for copy in () if is_dry_run else taken:
        archive_memory(ports, principal, SHARED_PROJECT, copy.id, expected=copy.version, reason=reason)
    return len(taken)


def bring_back_shared(
    ports: Ports, principal: Principal, project: str, ids: Iterable[str], rollback: str
) -> int:
    """Brings back what `take_back_shared` archived, unless somebody has changed it since; returns how many.

    Args:
        ids: memories that the rollback changed.
    """
    reason = _REASON.format(project=project, rollback=rollback)
    brought = 0
    for id in dict.fromkeys(ids):
        copy = _copy_of(ports, principal, project, id)
        if copy is None or copy.is_active:
            continue
        last = max(ports.store.history.of(copy.scope, copy.id), key=lambda version: version.memory.version)
        if last.reason == reason:
            undo_last_change(ports, principal, SHARED_PROJECT, copy.id, expected=copy.version)
            brought += 1
    return brought


def _copy_of(ports: Ports, principal: Principal, project: str, id: str) -> Memory | None:
    scope = principal.scope(SHARED_PROJECT)
    copy = ports.store.memories.get(scope, shared_id(project, id), with_body=False)
    return copy if copy is not None and origin_of(copy) == f"{project}/{id}" else None
