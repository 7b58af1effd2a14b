"""Commands of the memory tool, answered in the sentences that models know (`memory_20250818`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from memory_layer.integrations.memory_files import MemoryFiles, Tree, ancestors, text_of

ROOT: Final = "/memories"
DEPTH_MAX: Final = 2
NUMBER_WIDTH: Final = 6
FOLDER_SIZE: Final = "4K"
"""Size that file systems tell of a small folder."""
SNIPPET_LINES: Final = 2
"""Lines of a snippet before and after the one that changed."""
LINES_MAX: Final = 999_999


class RefusedCommand(Exception):
    """A command that cannot be carried out, in a sentence for the model."""


def _absent(path: str) -> RefusedCommand:
    return RefusedCommand(f"The path {path} does not exist. Please provide a valid path.")


def inner_path(path: str) -> str:
    """Path within the root, without dots and doubled slashes; the root is ''.

    Raises:
        RefusedCommand: it lies outside.
    """
    if not path.startswith(ROOT):
        raise RefusedCommand(f"Path must start with {ROOT}, got: {path}")
    parts = [ROOT[1:]]
    for part in path[len(ROOT) :].split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    if parts[:1] != [ROOT[1:]]:
        raise RefusedCommand(f"Path {path} would escape {ROOT} directory")
    return "/".join(parts[1:])


class MemoryCommands:
    """The six commands, over the files of one owner. Each answers a text, or raises RefusedCommand."""

    def __init__(self, files: MemoryFiles) -> None:
        self._files = files

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        at = inner_path(path)
        record = self._files.file(at) if at else None
        if record is not None:
            return f"Here's the content of {path} with line numbers:\n" + _numbered(
                path, text_of(record), view_range
            )
        tree = self._files.tree()
        if at not in tree.folders:
            raise _absent(path)
        listed = "\n".join([f"{FOLDER_SIZE}\t{path}", *_listed(tree, at, path, 1)])
        return f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:\n{listed}"

    def create(self, path: str, file_text: str) -> str:
        at, tree = inner_path(path), self._files.tree()
        if tree.has(at):
            raise RefusedCommand(f"File {path} already exists")
        _require_folders(tree, at, path)
        try:
            notes = self._files.create(at, file_text)
        except FileExistsError as error:
            raise RefusedCommand(f"File {path} already exists") from error
        return _with_notes(f"File created successfully at: {path}", notes)

    def str_replace(self, path: str, old_str: str, new_str: str) -> str:
        at, record = self._existing_file(path)
        text = text_of(record)
        _require_one(path, text, old_str)
        changed = text.replace(old_str, new_str)
        notes = self._files.write(at, changed, record.version)
        first = text[: text.find(old_str)].count("\n")
        answer = (
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        )
        return _with_notes(answer + _snippet(changed.split("\n"), first), notes)

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        at, record = self._existing_file(path)
        lines = text_of(record).split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= insert_line <= len(lines):
            raise RefusedCommand(
                f"Invalid `insert_line` parameter: {insert_line}. It should be within the range [0, {len(lines)}]."
            )
        lines.insert(insert_line, insert_text.rstrip("\n"))
        text = "\n".join(lines)
        notes = self._files.write(at, text if text.endswith("\n") else f"{text}\n", record.version)
        return _with_notes(f"The file {path} has been edited.", notes)

    def delete(self, path: str) -> str:
        at, tree = inner_path(path), self._files.tree()
        if not at:
            raise RefusedCommand(f"Cannot delete the {ROOT} directory itself")
        if not tree.has(at):
            raise RefusedCommand(f"The path {path} does not exist")
        self._files.remove(tree.below(at))
        self._keep_parent(at)
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        old, new, tree = inner_path(old_path), inner_path(new_path), self._files.tree()
        if not old:
            raise RefusedCommand(f"Cannot rename the {ROOT} directory itself")
        if tree.has(new):
            raise RefusedCommand(f"The destination {new_path} already exists")
        _require_folders(tree, new, new_path)
        if not tree.has(old) or new.startswith(f"{old}/"):
            self._keep_parent(new)  # the folders above a destination are made before its source is looked for
            raise RefusedCommand(
                f"The path {old_path} does not exist"
                if not tree.has(old)
                else f"{new_path} lies within {old_path}"
            )
        self._move(tree, old, new)
        return f"Successfully renamed {old_path} to {new_path}"

    def clear(self) -> str:
        """Deletes everything."""
        tree = self._files.tree()
        self._files.remove([*tree.files.values(), *tree.kept_folders.values()])
        return "All memory cleared"

    def _move(self, tree: Tree, old: str, new: str) -> None:
        """Stores each file under its new path before the old one goes."""
        for at, record in tree.files.items():
            if at == old or at.startswith(f"{old}/"):
                self._files.create(new + at[len(old) :], text_of(record))
        for folder in tree.folders:
            if folder == old or folder.startswith(f"{old}/"):
                self._keep_if_empty(tree, folder, new + folder[len(old) :])
        self._files.remove(tree.below(old))
        self._keep_parent(old)

    def _keep_if_empty(self, tree: Tree, folder: str, moved: str) -> None:
        if not tree.under(folder):
            self._files.keep_folder(moved)

    def _keep_parent(self, path: str) -> None:
        """Keeps the folder above a path, though nothing may be in it any more."""
        parent = next(ancestors(path))
        if parent not in self._files.tree().folders:
            self._files.keep_folder(parent)

    def _existing_file(self, path: str) -> tuple[str, Any]:
        at = inner_path(path)
        record = self._files.file(at) if at else None
        if record is not None:
            return at, record
        if at in self._files.tree().folders:
            raise RefusedCommand(f"The path {path} is not a file.")
        raise _absent(path)


def _with_notes(answer: str, notes: Sequence[str]) -> str:
    return "\n".join([answer, *(f"Note: {note}." for note in notes)])


def _require_folders(tree: Tree, at: str, path: str) -> None:
    for folder in ancestors(at):
        if folder in tree.files:
            raise RefusedCommand(f"{path} cannot be made: {ROOT}/{folder} is a file")


def _require_one(path: str, text: str, old_str: str) -> None:
    """Requires a text that occurs once. Raises: RefusedCommand"""
    count = text.count(old_str)
    if count == 0:
        raise RefusedCommand(
            f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}."
        )
    if count > 1:
        lines = ", ".join(str(text[:place].count("\n") + 1) for place in _places(text, old_str))
        raise RefusedCommand(
            f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {lines}. "
            "Please ensure it is unique"
        )


def _places(text: str, wanted: str) -> Iterator[int]:
    """Places of a text in another, those that overlap as well."""
    place = text.find(wanted)
    while place >= 0:
        yield place
        place = text.find(wanted, place + 1)


def _numbered(path: str, text: str, view_range: Sequence[int] | None) -> str:
    lines = text.split("\n")
    if len(lines) > LINES_MAX:
        raise RefusedCommand(f"File {path} exceeds maximum line limit of {LINES_MAX:,} lines.")
    if view_range is None or len(view_range) != 2:
        return _with_numbers(lines, 1)
    first, last = max(1, view_range[0]), len(lines) if view_range[1] == -1 else view_range[1]
    return _with_numbers(lines[first - 1 : last], first)


def _snippet(lines: Sequence[str], changed: int) -> str:
    first = max(0, changed - SNIPPET_LINES)
    return _with_numbers(lines[first : changed + SNIPPET_LINES + 1], first + 1)


def _with_numbers(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first))


def _listed(tree: Tree, folder: str, shown: str, depth: int) -> Iterator[str]:
    for name in tree.under(folder):
        at = f"{folder}/{name}" if folder else name
        if name.startswith("."):
            continue
        if at in tree.files:
            yield f"{file_size(len(text_of(tree.files[at]).encode()))}\t{shown}/{name}"
        else:
            yield f"{FOLDER_SIZE}\t{shown}/{name}/"
            if depth < DEPTH_MAX:
                yield from _listed(tree, at, f"{shown}/{name}", depth + 1)


def file_size(size_bytes: int) -> str:
    """Size for people: 0B, 512B, 1.5K, 2M."""
    power = 0
    while size_bytes >= 1024 ** (power + 1) and power < 3:
        power += 1
    size = size_bytes / 1024**power
    return f"{int(size)}{'BKMG'[power]}" if size.is_integer() else f"{size:.1f}{'BKMG'[power]}"
