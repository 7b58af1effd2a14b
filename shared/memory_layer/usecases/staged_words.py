"""What the staging area still says of a memory that learnings became."""

from __future__ import annotations

from collections.abc import Iterator

from memory_layer.domain.access import Viewer
from memory_layer.domain.learning.staging import (
    LEARNING_ID_PREFIX,
    Staged,
    StagedStatus,
    learning_id,
    staged_id,
)
from memory_layer.domain.memory import LABELS_MAX, Memory
from memory_layer.errors import VersionConflict
from memory_layer.ports.commit import Commit
from memory_layer.ports.records import Ports

NOT_PROMOTED: tuple[StagedStatus, ...] = ("pending", "validated", "rejected")
PAGE = 200


def erase_staged(ports: Ports, memory: Memory) -> None:
    """Take the learnings of a memory out of the staging area, those that wait to be taken in as well.

    Raises:
        VersionConflict: somebody decides on one at this moment; read again.
    """
    if not memory.id.startswith(LEARNING_ID_PREFIX):
        return
    promoted = [staged_id(run_id, memory.id) for run_id in memory.source_runs]
    rows = {**ports.store.staged(memory.scope, promoted), **dict(_others(ports, memory))}
    errors = ports.store.commit_each([Commit(scope=memory.scope, unstaged=(row,)) for row in rows.values()])
    for error in errors:
        if isinstance(error, VersionConflict):
            raise error


def _others(ports: Ports, memory: Memory) -> Iterator[tuple[str, Staged]]:
    """Of runs that the memory does not name: it knows them not yet, refused them, or knows too many."""
    statuses = NOT_PROMOTED if len(memory.source_runs) < LABELS_MAX else (*NOT_PROMOTED, "promoted")
    after: tuple[str, str] | None = None
    while True:
        page = ports.store.staged_page(
            memory.scope, statuses, Viewer(sees_all_personas=True), after=after, limit=PAGE
        )
        for staged in page.staged:
            if learning_id(staged.learning, staged.persona) == memory.id:
                yield staged.id, staged
        after = page.next_key
        if after is None:
            return
