"""File to import: its format, by its name or its content, and its lines."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path, PurePath
from typing import Any

from memory_layer.cli.terminal.files import read_lines

SOURCE_BY_SUFFIX = {".csv": "csv", ".tsv": "csv", ".md": "markdown", ".markdown": "markdown"}
"""Source of an import by the file's suffix; of all other files the content tells it."""


def opened_file(file: str, origin: str | None) -> tuple[Any, Iterable[str]]:
    """Format of a file, and its lines; only those of an export of ours are read one by one."""
    from memory_layer.edge.foreign.detected_format import (
        begins_as_export,
        detected_format,
        refuse_other_format,
    )

    lines = read_lines(file)
    first = next(lines, "")
    named = origin or _by_name(file)
    if named in (None, "ndjson") and begins_as_export(first.lstrip()):
        return "ndjson", chain([first], lines)
    text = _bounded(file, chain([first], lines))
    chosen = named or detected_format(text)
    if chosen == "ndjson" and text.lstrip()[:1] in ("{", "["):
        refuse_other_format("ndjson", text)
    return chosen, text.split("\n") if chosen == "ndjson" else [text]


def _by_name(file: str) -> str | None:
    from memory_layer.cli.terminal.folder_files import is_notes_folder

    found = SOURCE_BY_SUFFIX.get(PurePath(file).suffix.lower())
    return "agent-notes" if found == "markdown" and is_notes_folder(Path(file).parent) else found


def _bounded(file: str, lines: Iterable[str]) -> str:
    """Text of lines. Raises: TooLarge: they are more than a file of another tool may have."""
    from memory_layer.cli.terminal.folder_files import TEXT_MAX_BYTES
    from memory_layer.errors import TooLarge

    kept, size = list[str](), 0
    for line in lines:
        kept.append(line)
        size += len(line)
        if size > TEXT_MAX_BYTES:
            raise TooLarge(
                f"{file} has more than {TEXT_MAX_BYTES // 2**20} MB, which no file of another tool may have: split it"
            )
    return "".join(kept)
