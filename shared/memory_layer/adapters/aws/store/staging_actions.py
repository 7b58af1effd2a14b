"""Actions of a commit on runs and staged learnings, each an item and its entry (see `staging_items`)."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from memory_layer.adapters.aws.store.commit_actions import Action
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.audit_items import note_item
from memory_layer.adapters.aws.table.collection_items import put_condition, version_condition
from memory_layer.adapters.aws.table.record_items import Item, Value
from memory_layer.adapters.aws.table.staging_items import (
    feedback_item,
    run_entry,
    run_item,
    staged_entry,
    staged_item,
)
from memory_layer.adapters.stored_form.learning_fields import removal_conflict, write_conflict
from memory_layer.domain.learning.implicit_feedback import ImplicitFeedback
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import StagedLearning
from memory_layer.domain.memory import Scope
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.audit import other_events
from memory_layer.ports.commit import Commit


def staging_actions(commit: Commit, now: datetime) -> Iterator[Action]:
    """Actions that write runs and learnings. Args: now: what has expired by then counts as gone."""
    for record in commit.runs:
        yield from _run(commit.scope, record, now)
    for staged in commit.staged:
        yield _put(staged_item(commit.scope, staged), staged, now)
        yield _entry("Put", {"Item": staged_entry(commit.scope, staged)})
    for staged in commit.unstaged:
        yield from _removal(commit.scope, staged, now)
    for record in commit.unrun:
        yield from _run_removal(commit.scope, record, now)
    for feedback in commit.feedback:
        yield _feedback(commit.scope, feedback, now)


def note_actions(commit: Commit, now: datetime, new_token: Callable[[], str]) -> Iterator[Action]:
    """Action that tells the audit log what is no change of a record and no erasure, if there is anything."""
    if events := other_events(commit):
        yield _entry("Put", {"Item": note_item(commit.scope, now, new_token(), events, commit.forgets)})


def _run(scope: Scope, record: RunRecord, now: datetime) -> Iterator[Action]:
    yield _put(run_item(scope, record), record, now)
    if record.version == 1:
        yield _entry("Put", {"Item": run_entry(scope, record)})


def _feedback(scope: Scope, feedback: ImplicitFeedback, now: datetime) -> Action:
    """Writes feedback over the version before; deletes it if no entry is left."""
    if feedback.entries:
        return _put(feedback_item(scope, feedback), feedback, now)
    error = write_conflict(feedback)
    body = {
        "Key": keys.feedback_key(scope, feedback.memory),
        **version_condition(feedback.version - 1, now),
    }
    return Action("Delete", body, lambda _met: error)


def _put(
    item: dict[str, Value], record: RunRecord | StagedLearning | ImplicitFeedback, now: datetime
) -> Action:
    """Puts an item over nothing, or over the version before."""
    error = write_conflict(record)
    return Action("Put", {"Item": item, **put_condition(record.version, now)}, lambda _met: error)


def _removal(scope: Scope, staged: StagedLearning, now: datetime) -> Iterator[Action]:
    error = removal_conflict(staged)
    body = {"Key": keys.staged_key(scope, staged.id), **version_condition(staged.version, now)}
    yield Action("Delete", body, lambda _met: error)
    yield _entry("Delete", {"Key": keys.staged_entry_key(scope, staged.staged_at, staged.id)})


def _run_removal(scope: Scope, record: RunRecord, now: datetime) -> Iterator[Action]:
    error = removal_conflict(record)
    body = {"Key": keys.run_key(scope, record.run_id), **version_condition(record.version, now)}
    yield Action("Delete", body, lambda _met: error)
    yield _entry("Delete", {"Key": keys.run_entry_key(scope, record.received_at, record.run_id)})


def _entry(kind: str, body: Mapping[str, Any]) -> Action:
    return Action(kind, body, _unconditional)


def _unconditional(_met: Item | None) -> MemoryLayerError:
    raise AssertionError("an entry is written under no condition but its item's")
