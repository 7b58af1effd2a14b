"""A project as a tree of Markdown pages: a folder a category, a file a memory, and an index that seals them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memory_layer.cli.terminal.files import read_text, write_lines
from memory_layer.domain.portability.memory_page import HEAD, page_of, page_path
from memory_layer.errors import Invalid

if TYPE_CHECKING:
    from memory_layer.domain.memory import Memory

INDEX: Final = "README.md"
"""Page at the root of a tree: its manifest, and a link to every memory."""

_TITLE_MAX_CHARS: Final = 100


def begin_tree(folder: Path, head: str) -> None:
    """Writes an index that seals nothing, so that a tree whose export was interrupted is known, and is not whole.

    Args:
        folder: a new one, an empty one, or a tree of an earlier export, which is brought up to date.

    Raises:
        Invalid: the folder holds something else, or cannot be written.
    """
    _refuse_other(folder)
    _write(folder / INDEX, f"{head}The export of these memories has not ended. Export them again.\n")


def write_pages(folder: Path, memories: Iterable[Memory]) -> dict[str, str]:
    """Writes a page for each record, each whole or not at all; pages of records that are not among them are removed.

    Returns:
        Titles of the pages, by their path in the folder.

    Raises:
        Invalid: the folder cannot be written.
    """
    titles: dict[str, str] = {}
    for memory in memories:
        path = page_path(memory)
        _write(folder / path, page_of(memory))
        titles[path] = " ".join((memory.summary or memory.content).split())[:_TITLE_MAX_CHARS]
    for page in _pages_of(folder):
        if page.relative_to(folder).as_posix() not in titles:
            page.unlink()
    return titles


def read_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Path and text of each page of a tree, in the order of their paths, the index last."""
    paths = [path for path in _pages_of(folder) if path.name != INDEX or path.parent != folder]
    for path in (*paths, folder / INDEX):
        yield path.relative_to(folder).as_posix(), read_text(str(path))


def is_page_tree(folder: Path) -> bool:
    """Tells whether a folder is a tree of an export."""
    return _begins_as_page(folder / INDEX)


def write_index(folder: Path, head: str, project: str, titles: dict[str, str]) -> None:
    """Writes the index, which seals the pages. Args: head: front matter with the manifest."""
    lines = [head, f"# Memories of {project}\n"]
    category = None
    for path in sorted(titles):
        if (found := path.partition("/")[0]) != category:
            category = found
            lines.append(f"\n## {category}\n\n")
        lines.append(f"- [{_as_link_text(titles[path])}]({path})\n")
    _write(folder / INDEX, "".join(lines))


def _as_link_text(title: str) -> str:
    return title.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _refuse_other(folder: Path) -> None:
    if folder.is_dir() and any(folder.iterdir()) and not is_page_tree(folder):
        raise Invalid.at(
            "/to", f"{folder} holds other files; name a new folder, or one that an earlier export has made"
        )


def _pages_of(folder: Path) -> list[Path]:
    """Pages in the folders of categories; whatever else lies there is none of ours."""
    found = [path for path in folder.glob("*/*.md") if not path.is_symlink() and _begins_as_page(path)]
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def _begins_as_page(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(2 * len(HEAD)).replace(b"\r\n", b"\n").startswith(HEAD.encode())
    except OSError:
        return False


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Invalid.at("/to", f"{path.parent} cannot be made: {os.strerror(error.errno or 0)}") from error
    if not _says(path, text):
        write_lines(str(path), [text])


def _says(path: Path, text: str) -> bool:
    """Tells whether a file says this already: a page that stays keeps its time of change."""
    try:
        return path.read_bytes() == text.encode()
    except OSError:
        return False
