"""Paths of memories in the view of a project as a tree of files, and the rules for those that callers choose.

A file is a memory whose `detail.path` says where it lies; any other memory lies where its page of an export would.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from datetime import datetime
from hashlib import sha256
from typing import Final

from memory_layer.domain.memory import Memory
from memory_layer.domain.portability.file_text import FILE_PATH
from memory_layer.domain.portability.memory_page import page_path

FOLDER: Final = "folder"
"""Member of `detail` of a record that keeps a folder which holds nothing: it is no file."""

STORE_ID: Final = "memory_store"
"""Id of the record that says what a project is called and is for: it is no file, and its own view alone writes it."""

PATH_MAX_BYTES: Final = 1_024
SEGMENTS_MAX: Final = 20
_UNSEEN: Final = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs"})
"""Unicode categories that a path has no character of: controls, formats, separators of lines, half surrogates."""

_MARK_CHARS: Final = 8


def path_problem(path: str) -> str | None:
    """Problem of a path that a caller chose, in words; None: it is fine.

    Source: the published client of Anthropic's Memory Stores, `memories.create`.
    """
    if not path.startswith("/"):
        return "a path begins with /"
    if any(unicodedata.category(one) in _UNSEEN for one in path):
        return "a path has no control or format characters and no line separators"
    if unicodedata.normalize("NFC", path) != path:
        return "a path is in Unicode Normalization Form C"
    if len(path.encode()) > PATH_MAX_BYTES:
        return f"a path has {PATH_MAX_BYTES:,} bytes of UTF-8 at most"
    return _segments_problem(path[1:].split("/"))


def _segments_problem(segments: list[str]) -> str | None:
    if len(segments) > SEGMENTS_MAX:
        return f"a path has {SEGMENTS_MAX} segments at most"
    if any(one in ("", ".", "..") for one in segments):
        return "a segment of a path is neither empty nor . nor .."
    if any(one != one.strip() for one in segments):
        return "a segment of a path begins and ends with no blank: it would look like another's"
    return None


def prefix_problem(prefix: str) -> str | None:
    """Problem of a prefix to list by; None: it is fine."""
    if not prefix.endswith("/"):
        return "a path_prefix ends with /, so that it names whole segments"
    return None if prefix == "/" else path_problem(prefix[:-1])


def folders_above(path: str) -> Iterator[str]:
    """Folders above a path, the nearest first, without the root."""
    while path := path.rpartition("/")[0]:
        yield path


def own_path(memory: Memory) -> str:
    """Path of a memory by itself: its file's, else that of its page."""
    said = memory.detail.get(FILE_PATH)
    if isinstance(said, str):
        path = said if said.startswith("/") else f"/{said}"
        if path_problem(path) is None:
            return path
    return f"/{page_path(memory)}"


def is_file(memory: Memory) -> bool:
    """Tells whether a memory has a place in the tree: turns of conversations and kept folders have none."""
    return memory.position is None and not (FOLDER in memory.detail and FILE_PATH not in memory.detail)


def paths_of(memories: Iterable[Memory]) -> dict[str, str]:
    """Path of each memory by its id: no two are the same, and none is a folder of another.

    The oldest keeps its path, one that people vouch for before all others; another one with the same, or one that lies
    beneath a file, is told apart by a mark.
    """
    taken: dict[str, str] = {}
    folders: set[str] = set()
    for memory in sorted(memories, key=_precedence):
        path = _free_path(own_path(memory), memory.id, taken, folders)
        taken[path] = memory.id
        folders.update(folders_above(path))
    return {id: path for path, id in taken.items()}


def _precedence(memory: Memory) -> tuple[bool, bool, datetime, str]:
    return (FILE_PATH not in memory.detail, not memory.is_trusted, memory.created_at, memory.id)


def _free_path(path: str, id: str, taken: dict[str, str], folders: set[str]) -> str:
    mark = sha256(id.encode()).hexdigest()[:_MARK_CHARS]
    if any(folder in taken for folder in folders_above(path)):
        path = "/" + path[1:].replace("/", "-")
    elif path not in taken and path not in folders:
        return path
    stem, dot, ending = path.rpartition(".")
    return f"{stem}~{mark}.{ending}" if dot and "/" not in ending and stem[-1:] != "/" else f"{path}~{mark}"


def file_id(path: str, generation: int) -> str:
    """Id of a new file at a path: who creates it at the same moment has the same id, and one of the two is refused.

    Args:
        generation: counts the files that were created at this path before.
    """
    return f"mem_{sha256(f'{generation}:{path}'.encode()).hexdigest()[:32]}"
