"""Findings on lines of agents, kept by author as verdicts and decisions are made, and as they are taken back."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Final

from memory_layer.domain.access import Principal, agent_voice
from memory_layer.domain.conflicts.point_of_difference import point_of_difference
from memory_layer.domain.learning.author_records import AuthorRecords, RecordReset
from memory_layer.domain.learning.line_findings import (
    VOICES_MIN,
    LineFinding,
    author_digest,
    finding_on,
    judged_since,
    line_digest,
)
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.commit import Commit, Verdict
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import retry_on_conflict

_log = logging.getLogger(__name__)

_DECIDED: Final = ("rejected", "superseded")

_WORDING: Final = ("word", "order")
"""Points in which a text may differ from one that says the same."""


def note_findings(ports: Ports, written: Iterable[tuple[Commit, Iterable[Memory]]]) -> None:
    """Notes what commits found of lines. Args: written: each with the records that it changed, as they were."""
    judged: dict[Scope, list[str]] = {}
    for commit, before in written:
        after = {change.memory.id: change.memory for change in commit.changes}
        for old in before:
            if _may_be_found(old, after.get(old.id, old), commit.verdicts):
                judged.setdefault(old.scope, []).append(old.id)
    for scope, ids in judged.items():
        _settle_after(ports, scope, ids)


def _settle_after(ports: Ports, scope: Scope, ids: Sequence[str]) -> None:
    """Settles findings of what is written: an error here must not have the caller do it again."""
    with _beside(scope, ids):
        settle_findings(ports, scope, ids)


@contextmanager
def _beside(scope: Scope, ids: Iterable[str]) -> Iterator[None]:
    try:
        yield
    except MemoryLayerError as error:
        said = "what was found of %s in %s is noted when they are judged again: %s"
        _log.warning(said, ", ".join(ids), scope.project, error.detail)


def settle_findings(
    ports: Ports,
    scope: Scope,
    ids: Sequence[str],
    is_gone: Callable[[Memory], bool] = lambda _: False,
    is_taken_back: Callable[[RecordReset], bool] | None = None,
) -> None:
    """Makes the records of authors say what is found of these memories, as they are now.

    Args:
        is_gone: tells that a memory counts as never written.
        is_taken_back: tells which resets of records are taken back; None: as before.

    Raises:
        VersionConflict: others judge lines all the time.
    """
    now = ports.clock.now()
    refs = [Ref(scope.project, id) for id in dict.fromkeys(ids)]

    def settled(records: AuthorRecords) -> AuthorRecords:
        """Settles after the records were read, so that who judges meanwhile is not overruled."""
        if is_taken_back is not None:
            records = records.with_resets_judged(is_taken_back)
        for memory in ports.store.memories.get_many(scope.tenant, refs, with_bodies=False).values():
            finding = None if is_gone(memory) else _finding(ports, memory, now, records)
            records = records.with_finding(line_digest(memory), finding, agent_voice(memory.created_by))
        return records

    _change_records(ports, scope, settled)


def forget_findings(ports: Ports, principal: Principal, memories: Sequence[Memory]) -> None:
    """Takes what was found of erased memories out of the records; an agent erases no trace of what it did."""
    if principal.is_agent or not memories:
        return

    def forgotten(records: AuthorRecords) -> AuthorRecords:
        for memory in memories:
            records = records.with_finding(line_digest(memory), None)
        return records

    with _beside(memories[0].scope, [memory.id for memory in memories]):
        _change_records(ports, memories[0].scope, forgotten)


def forget_author(ports: Ports, scope: Scope, name: str) -> None:
    """Takes the name of a person out of the records: what is left was found of lines that are gone already."""
    _change_records(ports, scope, lambda records: records.without_name(name))


def _change_records(ports: Ports, scope: Scope, change: Callable[[AuthorRecords], AuthorRecords]) -> None:
    """Changes the records of authors as they are. Args: change: returns the same object where nothing changes."""

    def attempt() -> None:
        before = ports.store.projects.authors(scope)
        after = change(before)
        if after is not before:
            ports.store.writer.commit(Commit(scope=scope, authors=after.as_next_of(before)))

    retry_on_conflict(attempt)


def _may_be_found(before: Memory, after: Memory, verdicts: Iterable[Verdict]) -> bool:
    """Tells if a change may alter what is found of a memory: nothing is read where it may not."""
    if before.source == "human":
        return False
    is_decided = before.status != after.status and bool({before.status, after.status} & {*_DECIDED})
    return (
        is_decided
        or before.is_approved != after.is_approved
        or any(one.memory_id == before.id and _counts(one, before, after) for one in verdicts)
    )


def _counts(verdict: Verdict, before: Memory, after: Memory) -> bool:
    """Tells if a verdict may be a part of what is found, or have been one before it was replaced."""
    if verdict.speaker in ("person", "reviewer"):
        return True
    counts = (one for memory in (before, after) for one in (memory.worked, memory.failed))
    return verdict.speaker == "agent" and max(counts) >= VOICES_MIN


def _finding(ports: Ports, memory: Memory, now: datetime, records: AuthorRecords) -> LineFinding | None:
    """Finding on a memory; one that rests on what was decided before its author's reset is forgiven."""
    if memory.source == "human":
        return None
    verdicts = ports.store.history.verdicts(memory.scope, memory.id)
    finding = _found(ports, memory, verdicts, now)
    reset = records.last_reset(author_digest(memory))
    if finding is None or reset is None:
        return finding
    later = [one for one in verdicts if one.at > reset.at]
    found_anew = _found(ports, judged_since(memory, reset.at, _in_status_since(ports, memory)), later, now)
    return found_anew or replace(finding, is_forgiven=True)


def _found(ports: Ports, memory: Memory, verdicts: Sequence[Verdict], now: datetime) -> LineFinding | None:
    successor = _successor(ports, memory) if memory.status == "superseded" else None
    finding = finding_on(memory, verdicts, now, successor=successor)
    if finding is None or finding.found_by != "agents":
        return finding
    return finding_on(
        memory, verdicts, now, successor=successor, owners=_owners(ports, memory.scope, verdicts)
    )


def _in_status_since(ports: Ports, memory: Memory) -> datetime | None:
    changes = ports.store.history.in_status_since(memory.scope, [memory.id], memory.status)
    return changes[memory.id].at if memory.id in changes else None


def _successor(ports: Ports, memory: Memory) -> Memory | None:
    """The memory in its place, if that says otherwise in a point: who puts a line in better words finds nothing."""
    if memory.superseded_by is None:
        return None
    ref = Ref(memory.project, memory.superseded_by)
    found = ports.store.memories.get_many(memory.tenant, [ref], with_bodies=False).get(ref)
    point = None if found is None else point_of_difference(found.content, memory.content)
    return None if point is None or point.kind in _WORDING else found


def _owners(ports: Ports, scope: Scope, verdicts: Iterable[Verdict]) -> dict[str, str]:
    """Voices that reported the runs of verdicts; one that goes on has no report yet."""
    named = {one.run_id for one in verdicts if one.run_id is not None}
    runs = {run_id: ports.store.learnings.run(scope, run_id) for run_id in named}
    return {run_id: agent_voice(run.created_by) for run_id, run in runs.items() if run is not None}
