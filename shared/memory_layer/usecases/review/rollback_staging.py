"""Staged learnings and entity events of a principal that is taken back: they wait for nobody any more."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final

from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import StagedLearning, reject_learning
from memory_layer.domain.memory import Scope
from memory_layer.domain.rollback.exclusions import Exclusion
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports

PAGE_EVENTS: Final = 200


def settle_staged(
    ports: Ports, scope: Scope, runs: Iterable[RunRecord], by: str, rollback: str, *, is_undo: bool
) -> bool:
    """Rejects what runs taught and nobody has decided on, or lets it wait again; tells if nobody else was faster."""
    now = ports.clock.now()
    moved = [
        after
        for run in runs
        for staged in ports.store.learnings.staged(scope, run.staged_ids).values()
        for after in (_returned(staged, rollback) if is_undo else _rejected(staged, rollback, by, now))
    ]
    commits = [Commit(scope=scope, staged=(after,)) for after in moved]
    return not commits or not any(ports.store.writer.commit_each(commits))


def _reason(rollback: str) -> str:
    return f"taken back by {rollback}"


def _rejected(staged: StagedLearning, rollback: str, by: str, now: datetime) -> Iterator[StagedLearning]:
    if staged.status in ("pending", "validated"):
        yield reject_learning(staged, _reason(rollback), by, now).staged


def _returned(staged: StagedLearning, rollback: str) -> Iterator[StagedLearning]:
    if staged.status == "rejected" and staged.rejection_reason == _reason(rollback):
        open_ = {"rejection_reason": None, "decided_by": None, "decided_at": None}
        status = "pending" if staged.validated_at is None else "validated"
        yield replace(staged, status=status, version=staged.version + 1, **open_)  # type: ignore[arg-type]


def close_open_events(ports: Ports, scope: Scope, exclusion: Exclusion) -> None:
    """Closes the events that still have memories to mark, so that no sweep marks them."""
    now, after = ports.clock.now(), None
    while True:
        page = ports.store.events.open(scope, after=after, limit=PAGE_EVENTS)
        told = [event for event in page.events if exclusion.covers(event.created_by, event.received_at)]
        if told:
            ports.store.events.mark_applied(
                [replace(event, applied_at=now, version=event.version + 1) for event in told]
            )
        if page.next_key is None:
            return
        after = page.next_key
