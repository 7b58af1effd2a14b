"""README.md and the guides, read as pages of fenced blocks with commands and their output."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tests.given import REPOSITORY

README: Final = REPOSITORY / "README.md"
PAGES: Final = (README, REPOSITORY / "docs" / "figures.md", *sorted(REPOSITORY.glob("docs/guides/*.md")))

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_PROMPTS = {"console": "$ ", "mcp": "> ", "pycon": ">>> "}
_GOES_ON = "... "
"""Before each line but the first of a statement of several lines, in Python."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block. `language` and `name` are the two words behind the fence, `line` is its first line."""

    language: str
    name: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a page, and the output that the page shows for it."""

    language: str
    command: str
    output: str
    line: int


def blocks_of(text: str) -> list[Block]:
    """All fenced blocks of a page, in their order."""
    return [_block(found, text) for found in _FENCE.finditer(text)]


def _block(found: re.Match[str], text: str) -> Block:
    language, _, name = found["info"].strip().partition(" ")
    return Block(language, name, found["text"], text.count("\n", 0, found.start("text")) + 1)


def steps_of(block: Block) -> Iterator[Step]:
    """The commands of a block of console, mcp or pycon; of any other there are none."""
    prompt = _PROMPTS.get(block.language)
    if prompt is None:
        return
    lines = block.text.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith(prompt)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        is_python = block.language == "pycon"
        length = _lines_of_statement(lines[start:end]) if is_python else _lines_of_command(lines[start:end])
        command = "\n".join(lines[start : start + length]).removeprefix(prompt)
        command = command.replace(f"\n{_GOES_ON}", "\n") if is_python else command
        yield Step(block.language, command, "\n".join(lines[start + length : end]), block.line + start)


def _lines_of_statement(lines: list[str]) -> int:
    """Lines of a statement of Python: the first, and those that are marked."""
    marked = (number for number, line in enumerate(lines[1:], 1) if not line.startswith(_GOES_ON))
    return next(marked, len(lines))


def _lines_of_command(lines: list[str]) -> int:
    """A command goes on behind a backslash, and until its quotes are closed."""
    for length in range(1, len(lines) + 1):
        if not lines[length - 1].endswith("\\") and _is_closed("\n".join(lines[:length])):
            return length
    return len(lines)


def _is_closed(command: str) -> bool:
    try:
        return bool(shlex.split(command))
    except ValueError:
        return False
