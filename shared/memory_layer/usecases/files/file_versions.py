"""Versions of files: each is a stretch of a record's versions in which the file is the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory_layer.domain.access import Principal, may_see_memory
from memory_layer.domain.memory import Memory
from memory_layer.domain.portability.file_paths import is_file, own_path
from memory_layer.domain.portability.file_text import text_of
from memory_layer.domain.portability.redacted_version import Redaction, redaction_of
from memory_layer.errors import NotFound
from memory_layer.ports.process import Ports
from memory_layer.ports.records import RecordVersion
from memory_layer.usecases.files.read_files import (
    FILE_STATUSES,
    HELD_STATUSES,
    STORE_ID,
    ProjectFile,
    may_read,
)
from memory_layer.usecases.ground.queries import get_memory

Operation = Literal["created", "modified", "deleted"]
_PAGE = 500


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


def versions_of(ports: Ports, principal: Principal, project: str, id: str) -> list[FileVersion]:
    """Versions of one file, the newest first; those of a deleted one stay.

    Raises:
        NotFound: there is no such file, or none that this caller reads.
    """
    memory = get_memory(ports, principal, project, id, with_body=False)
    if not is_file(memory) or memory.id == STORE_ID or _is_held_from(principal, memory):
        raise NotFound(f"no file {id} in project {project}; list to find its id")
    kept = ports.store.history.of(memory.scope, id)
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
            found[-1] = _reaching(found[-1], version)
        else:
            found.append(_version(version, _operation(before, state)))
        before = state
    heads = found[-1:] if found and found[-1].operation != "deleted" else []
    return [_as_head(one) if one in heads else one for one in reversed(found)]


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


def _reaching(found: FileVersion, version: RecordVersion) -> FileVersion:
    from dataclasses import replace

    return replace(found, last=version.memory.version)


def _as_head(found: FileVersion) -> FileVersion:
    from dataclasses import replace

    return replace(found, is_head=True)
