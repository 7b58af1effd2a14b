"""Erasure of one record: its commit, the facts for the erasure ledger, and its staged learnings."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from memory_layer.domain.access import Viewer
from memory_layer.domain.integrity.verification import UNREADABLE
from memory_layer.domain.learning.staging import StagedLearning, StagedStatus, learning_id, staged_id
from memory_layer.domain.memory import LABELS_MAX, LEARNING_ID_PREFIX, Memory
from memory_layer.errors import BodyFrozen, StoreUnavailable, VersionConflict
from memory_layer.ports.commit import Commit, Erasure
from memory_layer.ports.process import Ports
from memory_layer.usecases.write.commit_change import neighbour_turns, retract_quotes

NOT_PROMOTED: tuple[StagedStatus, ...] = ("pending", "validated", "rejected")
PAGE = 200


def erase_staged(ports: Ports, memory: Memory) -> None:
    """Deletes the learnings of a memory from the staging area, also those that were not promoted yet.

    Raises:
        VersionConflict: somebody decides on a learning at this moment; read again.
    """
    if not memory.id.startswith(LEARNING_ID_PREFIX):
        return
    promoted = [staged_id(run_id, memory.id) for run_id in memory.source_runs]
    rows = {**ports.store.learnings.staged(memory.scope, promoted), **dict(_of_unnamed_runs(ports, memory))}
    errors = ports.store.writer.commit_each(
        [Commit(scope=memory.scope, unstaged=(row,)) for row in rows.values()]
    )
    for error in errors:
        if isinstance(error, VersionConflict):
            raise error


def _of_unnamed_runs(ports: Ports, memory: Memory) -> Iterator[tuple[str, StagedLearning]]:
    """Staged learnings that no run of the memory names: not promoted, beyond the LABELS_MAX runs, in other words."""
    is_all_named = memory.type != "learning" and len(memory.source_runs) < LABELS_MAX
    statuses = NOT_PROMOTED if is_all_named else (*NOT_PROMOTED, "promoted")
    after: tuple[str, str] | None = None
    while True:
        page = ports.store.learnings.staged_page(
            memory.scope, statuses, Viewer(sees_all_personas=True), after=after, limit=PAGE
        )
        for staged in page.staged:
            if memory.id in (staged.memory_id, learning_id(staged.learning, staged.persona)):
                yield staged.id, staged
        after = page.next_key
        if after is None:
            return


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RecordErasure:
    """The commit that erases a record.

    Args:
        echoes: by id, the version up to which a neighbour may quote the record.
        newest: time at which the last of all these was stored, by a clock that may have been set back since.
        contents: words of all its versions.
    """

    commit: Commit
    echoes: Mapping[str, int]
    newest: datetime
    contents: frozenset[str]


def plan_erasure(ports: Ports, memory: Memory, by: str) -> RecordErasure:
    """Plans the erasure of a record and of every quote of its versions. Args: memory: as stored; a stub will do."""
    versions = [memory, *_earlier(ports, memory)]
    turns = neighbour_turns(ports, versions)
    contents = frozenset(version.content for version in versions)
    erasure = Erasure(memory.id, memory.version, tuple(turn.id for turn in turns), memory.persona)
    retractions = retract_quotes(ports, turns, contents, by, "neighbour erased")
    return RecordErasure(
        Commit(scope=memory.scope, erasures=(erasure,), changes=retractions),
        {turn.id: turn.version for turn in turns},
        max(each.created_at for each in (memory, *turns)),
        contents,
    )


def _earlier(ports: Ports, memory: Memory) -> list[Memory]:
    """Earlier versions of a memory; none if the history cannot be read any more: it is erased all the same."""
    try:
        return [version.memory for version in ports.store.history.of(memory.scope, memory.id)]
    except (*UNREADABLE, BodyFrozen, StoreUnavailable):
        _log.exception("the history of %s cannot be read; it is erased as it is", memory.id)
        return []
