"""Files of a project: its memories by their paths, as this caller sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memory_layer.domain.access import Principal, is_author
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Status
from memory_layer.domain.portability.file_paths import STORE_ID, folders_above, is_file, own_path, paths_of
from memory_layer.domain.portability.file_text import text_of, text_sha256
from memory_layer.errors import NotFound, PathTaken
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.ground.read_fairly import read_fairly

FILE_STATUSES: Final[tuple[Status, ...]] = ("active", "inactive", "stale", "pending", "quarantined")
"""Statuses of memories that are files; all others were deleted, refused or replaced."""

HELD_STATUSES: Final[tuple[Status, ...]] = ("pending", "quarantined")
"""Statuses of files that their authors alone see: a reviewer decides on them elsewhere, and no folder has them."""

FILES_MAX: Final = 10_000
"""Memories of a project that a view as files has at most: each list reads all of them."""


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """File of a project: a memory, and its path in the view."""

    memory: Memory
    path: str

    @property
    def id(self) -> str:
        return self.memory.id

    @property
    def text(self) -> str:
        return text_of(self.memory)

    @property
    def sha256(self) -> str:
        return text_sha256(self.text)


@dataclass(frozen=True, slots=True)
class FileTree:
    """Files of a project at one moment, those included that this caller does not see.

    Args:
        files: by path.
        note: tells what is not among them, and of whom, where there are too many; None: all are.
    """

    files: dict[str, ProjectFile]
    principal: Principal
    note: str | None = None

    def shown(self) -> list[ProjectFile]:
        """Files that the caller sees, in the order of their paths."""
        return [self.files[path] for path in sorted(self.files) if may_read(self.principal, self.files[path])]

    def require_free(self, path: str, mover: str | None = None, *, is_vouched: bool = False) -> None:
        """Requires that no other file is at a path, above it or below it.

        Args:
            mover: id of the file that would move there.
            is_vouched: people vouch for that file: those that nobody vouches for make room, told apart by a mark.

        Raises:
            PathTaken
        """
        for holder in self._in_the_way(path):
            if holder.id != mover and not (is_vouched and not holder.memory.is_trusted):
                seen = (holder.id, holder.path) if may_read(self.principal, holder) else None
                raise PathTaken(path, seen)

    def _in_the_way(self, path: str) -> Iterator[ProjectFile]:
        at = (self.files[one] for one in (path, *folders_above(path)) if one in self.files)
        yield from at
        yield from (file for one, file in self.files.items() if one.startswith(f"{path}/"))


def may_read(principal: Principal, file: ProjectFile) -> bool:
    """Tells whether a caller reads a file: one that waits for a reviewer is nobody's but its author's."""
    return file.memory.status not in HELD_STATUSES or is_author(principal, file.memory)


def file_tree(ports: Ports, principal: Principal, project: str) -> FileTree:
    """Reads the files of a project; of more than a tree may have, a fair part."""
    read = read_fairly(ports, principal, project, Filters(status=FILE_STATUSES), FILES_MAX)
    memories = [memory for memory in read.memories if _is_shown(memory)]
    by_id = {memory.id: memory for memory in memories}
    files = {path: ProjectFile(by_id[id], path) for id, path in paths_of(memories).items()}
    return FileTree(files, principal, read.note)


def _is_shown(memory: Memory) -> bool:
    return is_file(memory) and memory.id != STORE_ID


def get_file(ports: Ports, principal: Principal, project: str, id: str) -> ProjectFile:
    """Reads one file, at its own path.

    Raises:
        NotFound: there is none, or none that this caller reads.
    """
    memory = get_memory(ports, principal, project, id)
    file = ProjectFile(memory, own_path(memory))
    if memory.status in FILE_STATUSES and _is_shown(memory) and may_read(principal, file):
        return file
    raise NotFound(f"no file {id} in project {project}; list to find its id")


@dataclass(frozen=True, slots=True)
class Folder:
    """Folder in a list, in the place of all that is below it. Args: path: with a slash at its end."""

    path: str


def listed(files: Sequence[ProjectFile], prefix: str, *, is_deep: bool) -> list[ProjectFile | Folder]:
    """Files below a prefix, in the order of paths.

    Args:
        prefix: ends with a slash.
        is_deep: lists every file; otherwise those in the folder itself, and one folder for all below each other one.
    """
    below = [file for file in files if file.path.startswith(prefix)]
    if is_deep:
        return list(below)
    found: dict[str, ProjectFile | Folder] = {}
    for file in below:
        name, slash, _ = file.path.removeprefix(prefix).partition("/")
        path = f"{prefix}{name}{slash}"
        found[path] = Folder(path) if slash else file
    return [found[path] for path in sorted(found)]
