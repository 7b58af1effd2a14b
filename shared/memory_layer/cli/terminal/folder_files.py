"""Files of a folder that an import reads: instructions for agents with what they include, or an agent's notes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from memory_layer.cli.terminal.files import followed_name, read_text
from memory_layer.edge.foreign.includes import DEPTH_MAX, TEXT_SUFFIXES, includes_in
from memory_layer.errors import Invalid, TooLarge
from memory_layer.usecases.transfer.foreign_file import LeftOut

INSTRUCTIONS: Final = (
    *("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md"),
    *(".cursorrules", ".windsurfrules", ".cursor/rules/*.mdc", ".claude/rules/*.md"),
    *(".github/copilot-instructions.md", ".github/instructions/*.instructions.md"),
)
"""Names, and ends of paths, of files that tell coding agents what to do."""

_NOTES_FOLDERS: Final = ("memory", "memories", "agent-memory")
_NOTES_INDEX: Final = "MEMORY.md"

_NOT_WALKED: Final = frozenset(
    ("node_modules", "venv", "vendor", "dist", "build", "target", "site-packages", "__pycache__")
)
_WALKED: Final = frozenset((".claude", ".github", ".cursor"))
"""Folders with a dot in front that hold instructions."""

FILES_MAX: Final = 2_000
TEXT_MAX_BYTES: Final = 64 * 2**20
"""Most bytes of a foreign file, and of all files of a folder: they are read as a whole."""


@dataclass(frozen=True, slots=True)
class FolderFile:
    """File of a folder: its path in the folder, the name it is followed by, its text, the names beside it."""

    path: str
    name: str
    text: str
    beside: frozenset[str]


@dataclass
class FolderFiles:
    """Files of a folder, in the order of their paths, each followed by what it includes."""

    root: Path
    files: list[FolderFile] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    _seen: set[Path] = field(default_factory=set)
    _bytes: int = 0

    def take(self, path: Path, depth: int = 0) -> None:
        """Reads a file, and what it includes, unless that has been read already."""
        if path in self._seen:
            return
        self._seen.add(path)
        self._bound(path)
        text = read_text(str(path))
        beside = frozenset(other.name for other in path.parent.iterdir() if other != path)
        within = path.relative_to(self.root).as_posix()
        name = followed_name(str(path), given=self.root) or within
        self.files.append(FolderFile(within, name, text, beside))
        for line, wanted in includes_in(text):
            self._include(f"{within}: line {line}", path.parent, wanted, depth)

    def _include(self, where: str, folder: Path, wanted: str, depth: int) -> None:
        """Reads an included file that lies in the folder; of any other, tells why it is not read."""
        target = (folder / Path(wanted).expanduser()).resolve()
        if not target.is_relative_to(self.root):
            self.left_out.append(LeftOut(where, f"@{wanted} lies outside of the folder"))
        elif not target.is_file():
            self.left_out.append(LeftOut(where, f"there is no file @{wanted}"))
        elif depth >= DEPTH_MAX:
            self.left_out.append(LeftOut(where, f"@{wanted} is included more than {DEPTH_MAX} steps deep"))
        else:
            self.take(target, depth + 1)

    def _bound(self, path: Path) -> None:
        self._bytes += path.stat().st_size
        if len(self.files) >= FILES_MAX or self._bytes > TEXT_MAX_BYTES:
            raise TooLarge(
                f"{self.root} has more than {FILES_MAX:,} files or {TEXT_MAX_BYTES // 2**20} MB to import; "
                "import its folders one by one"
            )


def is_notes_folder(folder: Path) -> bool:
    """Tells whether a folder is where an agent keeps its memory, by its name or its index."""
    inside = folder.resolve()
    is_named = inside.name in _NOTES_FOLDERS or inside.parent.name == "agent-memory"
    return is_named or (folder / _NOTES_INDEX).is_file()


def instruction_files(folder: Path) -> FolderFiles:
    """Instructions for agents in a folder. Raises: Invalid, Malformed, TooLarge: there are none, or one is no text."""
    found = _files(folder, _is_instruction)
    if not found.files:
        raise Invalid.at(
            "/file",
            f"{folder} has no {INSTRUCTIONS[0]}, {INSTRUCTIONS[2]} or the like: say --from markdown for every Markdown "
            "file in it, or --from agent-notes for notes of an agent",
        )
    return found


def text_files(folder: Path) -> FolderFiles:
    """All text files of a folder. Raises: Invalid, Malformed, TooLarge: there are none, or one is no text."""
    found = _files(folder, lambda path: Path(path).suffix.lower() in TEXT_SUFFIXES)
    if not found.files:
        raise Invalid.at("/file", f"{folder} has no Markdown or text file")
    return found


def _files(folder: Path, is_wanted: Callable[[str], bool]) -> FolderFiles:
    found = FolderFiles(folder.resolve())
    for path in _walked(found):
        within = path.relative_to(found.root).as_posix()
        if not is_wanted(within):
            continue
        if path.is_symlink():
            found.left_out.append(LeftOut(within, _link_told(path, found.root)))
        elif path.is_file():
            found.take(path)
    return found


def _link_told(path: Path, root: Path) -> str:
    target = path.resolve()
    if not target.is_relative_to(root):
        return "a link out of the folder"
    return f"a link to {target.relative_to(root).as_posix()}"


def _walked(found: FolderFiles) -> Iterator[Path]:
    """Files below the root in the order of their paths; links to folders are told and not followed."""
    for at, folders, names in os.walk(found.root, onerror=_refuse_unread):
        here = Path(at)
        folders.sort()
        for name in [name for name in folders if (here / name).is_symlink()]:
            folders.remove(name)
            within = (here / name).relative_to(found.root).as_posix()
            found.left_out.append(LeftOut(within, _link_told(here / name, found.root)))
        folders[:] = [name for name in folders if _is_walked(name)]
        yield from (here / name for name in sorted(names))


def _refuse_unread(error: OSError) -> None:
    raise Invalid.at("/file", f"{error.filename} cannot be read: {error.strerror}") from error


def _is_walked(name: str) -> bool:
    return name in _WALKED or not (name.startswith(".") or name in _NOT_WALKED)


def _is_instruction(path: str) -> bool:
    return any(fnmatchcase(f"/{path}", f"*/{pattern}") for pattern in INSTRUCTIONS)


def instructs_agents(path: str) -> bool:
    """Tells whether a file would be read by coding agents as a person's word, on whatever file system."""
    name = path.replace("\\", "/").rpartition("/")[2].casefold()
    return name in {pattern.casefold() for pattern in INSTRUCTIONS}
