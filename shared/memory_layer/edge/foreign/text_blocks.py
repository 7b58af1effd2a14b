"""Blocks of a text file, each of which becomes one memory under the headings over it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from memory_layer.domain.memory import CONTENT_MAX_BYTES, LABEL_MAX_CHARS
from memory_layer.domain.text.governing_headings import governing
from memory_layer.domain.text.line_category import category_of_line
from memory_layer.domain.text_rules import byte_length_problem, glob_problem
from memory_layer.domain.time.dated_headings import said_under
from memory_layer.usecases.transfer.foreign_file import ForeignFile, ForeignMemory, ForeignRefusal

HEADINGS_MAX = 10
HEADINGS_JOINED_BY = " > "

_LINKS = (
    re.compile(r"!?\[[^\[\]]*\](?:\([^()\s]*(?:\s[^()]*)?\)|\[[^\[\]]*\])"),
    re.compile(r"<?\b(?:https?|ftp|mailto):[^\s<>]+>?"),
    re.compile(r"(?<!\S)@[~\w./-]+"),
)
"""Links and images (badges once more, around what is left of them), bare addresses, @paths of imported files."""

_REFERENCE = re.compile(
    r"\[(?P<name>(?:[\w./-]{0,80}[#!]|GH-)\d{1,9}|`?[0-9a-f]{7,40}`?|@[\w-]{1,60})\]\(https?://[^()\s]*\)"
)
"""Reference to an issue, a commit or a person, whose address says no more than its name."""

_IS_BLOCK = re.compile(r"```|~~~|\|")
_WORD = re.compile(r"\w")
NEW_LINE = "\n"


def _tags(name: str) -> tuple[str, ...]:
    return (name,) if name and len(name) <= LABEL_MAX_CHARS and glob_problem(name) is None else ()


@dataclass
class Block:
    """Block that becomes one memory: its first line, its text, and the headings over it."""

    line: int
    text: str
    above: tuple[str, ...]
    end: int

    @property
    def lines(self) -> range:
        return range(self.line - 1, self.end)

    @property
    def content(self) -> str:
        """Text after the headings without which it would say something else."""
        titles = HEADINGS_JOINED_BY.join(governing(self.above[-HEADINGS_MAX:], self.text))
        if not titles:
            return self.text
        return f"{titles.rstrip('.')}:{NEW_LINE if _IS_BLOCK.match(self.text) else ' '}{self.text}"


def foreign_file(blocks: Sequence[Block], name: str) -> ForeignFile:
    """Memories of blocks; one that is too long for a memory is refused with its line."""
    problems = [byte_length_problem(block.content, CONTENT_MAX_BYTES) for block in blocks]
    return ForeignFile(
        name=name if _tags(name) else None,
        memories=tuple(
            _memory(block, name) for block, problem in zip(blocks, problems, strict=True) if problem is None
        ),
        refused=tuple(
            ForeignRefusal(f"line {block.line}", f"{problem}; make shorter paragraphs of it")
            for block, problem in zip(blocks, problems, strict=True)
            if problem is not None
        ),
    )


def _memory(block: Block, name: str) -> ForeignMemory:
    """Memory of a block. It stands until its file drops it, whatever its type, so it has no expiry."""
    above = block.above[-HEADINGS_MAX:]
    fields = {
        "content": block.content,
        "context": HEADINGS_JOINED_BY.join(above),
        "tags": _tags(name),
        "category": category_of_line(block.content, above, PurePath(name).name),
        "said_at": said_under(above),
    }
    said = {field: value for field, value in fields.items() if value}
    return ForeignMemory(f"line {block.line}", {**said, "expires_at": None})


def without_targets(text: str) -> str:
    """Text whose references to issues, commits and people are their names alone: their addresses outweighed in search
    what a line of a changelog says."""
    return _REFERENCE.sub(r"\g<name>", text) if "](" in text else text


def says_something(text: str) -> bool:
    """Tests if a text holds words besides links and badges."""
    for link in (_LINKS[0], *_LINKS):
        text = link.sub(" ", text)
    return _WORD.search(text) is not None
