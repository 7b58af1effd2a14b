"""Versions of files: each is a stretch of a record's versions in which the file is the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

from memory_layer.domain.access import Principal, may_see_memory
from memory_layer.domain.audit import AuditEvent
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory
from memory_layer.domain.portability.file_paths import STORE_ID, is_file, own_path
from memory_layer.domain.portability.file_text import text_of
from memory_layer.domain.portability.redacted_version import Redaction, redacted, redaction_of
from memory_layer.errors import Conflict, Forbidden, NotFound
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.ports.records import RecordVersion
from memory_layer.usecases.files.read_files import (
    FILE_STATUSES,
    FILES_MAX,
    HELD_STATUSES,
    ProjectFile,
    may_read,
)
from memory_layer.usecases.ground.authorship import may_erase_here
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.ground.read_fairly import read_fairly

Operation = Literal["created", "modified", "deleted"]
VERSION_REDACTED: Final = "version redacted"
"""Decision that the audit log has of a redaction."""

_PAGE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class FileVersion:
    """Version of a file.

    Args:
        first, last: versions of the record, from 1, between which nothing changed that a file has.
        is_head: it is what the file is now.
        path: null in a redacted version.
        text: null in a redacted version, and where the file was deleted.
        by: name of who made the change.
        redaction: who redacted it, and when; null: nobody.
    """

    memory_id: str
    first: int
    last: int
    is_head: bool
    operation: Operation
    at: datetime
    by: str
    path: str | None
    text: str | None
    redaction: Redaction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionFilter:
    """Filter of versions; None filters nothing.

    Args:
        by: name of who made the change.
        made_from, made_until: inclusive.
        is_empty: nothing is accepted.
    """

    operation: Operation | None = None
    by: str | None = None
    made_from: datetime | None = None
    made_until: datetime | None = None
    is_empty: bool = False

    def accepts(self, version: FileVersion) -> bool:
        return (
            not self.is_empty
            and self.operation in (None, version.operation)
            and self.by in (None, version.by)
            and (self.made_from is None or version.at >= self.made_from)
            and (self.made_until is None or version.at <= self.made_until)
        )


def versions_of(ports: Ports, principal: Principal, project: str, id: str) -> list[FileVersion]:
    """Versions of one file, the newest first; those of a deleted one stay.

    Raises:
        NotFound: there is no such file, or none that this caller reads.
    """
    memory = get_memory(ports, principal, project, id, with_body=False)
    if not is_file(memory) or memory.id == STORE_ID or _is_held_from(principal, memory):
        raise NotFound(f"no file {id} in project {project}; list to find its id")
    return _versions_seen(principal, ports.store.history.of(memory.scope, id))


def _versions_seen(principal: Principal, kept: Sequence[RecordVersion]) -> list[FileVersion]:
    return file_versions([one for one in kept if may_see_memory(principal, one.memory)])


def _is_held_from(principal: Principal, memory: Memory) -> bool:
    return memory.status in HELD_STATUSES and not may_read(principal, ProjectFile(memory, ""))


def file_versions(versions: Sequence[RecordVersion]) -> list[FileVersion]:
    """Versions of a file, the newest first. Args: versions: of its record, the oldest first."""
    found: list[FileVersion] = []
    before: tuple[object, ...] | None = None
    for version in versions:
        state = _state(version.memory)
        if found and state == before:
            found[-1] = replace(found[-1], last=version.memory.version)
        else:
            found.append(_version(version, _operation(before, state)))
        before = state
    heads = found[-1:] if found and found[-1].operation != "deleted" else []
    return [replace(one, is_head=one in heads) for one in reversed(found)]


def _state(memory: Memory) -> tuple[object, ...]:
    """All that a file has; a redacted version is no other file than itself."""
    is_kept = memory.status in FILE_STATUSES
    redaction = redaction_of(memory)
    return is_kept, redaction, *((own_path(memory), text_of(memory)) if is_kept else ())


def _operation(before: tuple[object, ...] | None, state: tuple[object, ...]) -> Operation:
    was_kept, is_kept = bool(before and before[0]), bool(state[0])
    if not is_kept:
        return "deleted"
    return "modified" if was_kept else "created"


def _version(version: RecordVersion, operation: Operation) -> FileVersion:
    memory, redaction = version.memory, redaction_of(version.memory)
    return FileVersion(
        memory_id=memory.id,
        first=memory.version,
        last=memory.version,
        is_head=False,
        operation=operation,
        at=version.at,
        by=version.by,
        path=None if redaction else own_path(memory),
        text=None if redaction or operation == "deleted" else text_of(memory),
        redaction=redaction,
    )


def version_at(ports: Ports, principal: Principal, project: str, memory_id: str, number: int) -> FileVersion:
    """Version of a file that has a number of its record. Raises: NotFound: as `versions_of`; or it has none such."""
    for one in versions_of(ports, principal, project, memory_id):
        if one.first <= number <= one.last:
            return one
    raise NotFound(f"no version {number} of {memory_id}; list its versions")


@dataclass(frozen=True, slots=True)
class VersionList:
    """Versions of files, the newest first. Args: note: as `FileTree` has it, of all files that ever were."""

    versions: list[FileVersion]
    note: str | None = None


def all_versions(ports: Ports, principal: Principal, project: str) -> VersionList:
    """Versions of every file of a project, deleted ones included; of too many files a fair part."""
    read = read_fairly(ports, principal, project, Filters(status=()), FILES_MAX)
    ids = [memory.id for memory in read.memories if _was_file(principal, memory)]
    kept = ports.store.history.of_each(principal.scope(project), ids)
    found = [version for versions in kept.values() for version in _versions_seen(principal, versions)]
    newest_first = sorted(found, key=lambda one: (one.at, one.memory_id, one.last), reverse=True)
    return VersionList(newest_first, read.note)


def _was_file(principal: Principal, memory: Memory) -> bool:
    return is_file(memory) and memory.id != STORE_ID and not _is_held_from(principal, memory)


def redact_version(
    ports: Ports, principal: Principal, project: str, memory_id: str, number: int
) -> FileVersion:
    """Takes the words out of a version for good; who made the change, and when, stays.

    Raises:
        NotFound: as `version_at`.
        Forbidden: the file is somebody else's, and the caller no admin.
        Conflict: it is what the file says now; or other versions say the same.
    """
    version = version_at(ports, principal, project, memory_id, number)
    memory = get_memory(ports, principal, project, memory_id, with_body=False)
    if not may_erase_here(ports, principal, memory):
        raise Forbidden(f"{memory_id} was created by {memory.created_by}; only they or an admin redact it")
    if version.redaction is not None:
        return version
    if version.is_head:
        raise Conflict(
            f"this is what {memory_id} says now; change or delete the file, then redact the version"
        )
    redaction = Redaction(ports.clock.now(), principal.name)
    ports.store.erasures.redact_versions(
        memory.scope, memory_id, version.first, version.last, lambda said: redacted(said, redaction)
    )
    note = AuditEvent(
        what=VERSION_REDACTED, principal=principal.name, about=memory_id, detail=f"version {version.last}"
    )
    ports.store.writer.commit(Commit(scope=memory.scope, notes=(note,)))
    ports.store.erasures.settle()
    return version_at(ports, principal, project, memory_id, number)
