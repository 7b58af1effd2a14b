"""Blocks of a text file, each of which becomes one memory under the headings over it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from memory_layer.domain.memory import CONTENT_MAX_BYTES, LABEL_MAX_CHARS
from memory_layer.domain.release_headings import HEADINGS_JOINED_BY, version_in
from memory_layer.domain.text.governing_headings import governing
from memory_layer.domain.text.line_category import category_of_line
from memory_layer.domain.text_rules import byte_length_problem, glob_problem
from memory_layer.domain.time.dated_headings import said_in_name, said_under
from memory_layer.edge.foreign.plain_marks import without_marks
from memory_layer.usecases.transfer.foreign_file import ForeignFile, ForeignMemory, ForeignRefusal

HEADINGS_MAX = 10

_REFERENCE = re.compile(
    r"\[(?:(?P<name>(?:[\w./-]{0,80}[#!]|GH-)\d{1,9}|`?[0-9a-f]{7,40}`?|@[\w-]{1,60})\]\(https?://[^()\s]*"
    r"|(?P<account>[\w-]{1,60})\]\(https?://(?:github|gitlab|codeberg|bitbucket)\.\w+/(?P=account)/?)\)",
    re.IGNORECASE,
)
"""Reference to an issue, a commit, a person or an account, whose address says no more than its name."""

_LINE_END = re.compile(
    r"(?:(?P<break>(?: {2,}|\\)\n)|[ \t]*\n)[ \t]*"
    r"(?P<bullet>(?=[\u2022\u2023\u25e6\u25aa\u25b8\u2610\u2611\u2705\u2713-\u2718\u274c]))?"
)
_IS_BLOCK = re.compile(r"```|~~~|\|")
NEW_LINE = "\n"


def _tags(name: str) -> tuple[str, ...]:
    return (name,) if name and len(name) <= LABEL_MAX_CHARS and glob_problem(name) is None else ()


@dataclass
class Block:
    """Block that becomes one memory: its first line, its text, and the headings over it.

    Args:
        is_step: an item of a numbered list.
        is_item: an item of any list.
        notes: names of the footnotes that its file defines.
    """

    line: int
    text: str
    above: tuple[str, ...]
    end: int
    is_step: bool = False
    is_item: bool = False
    notes: frozenset[str] = frozenset()

    @property
    def lines(self) -> range:
        return range(self.line - 1, self.end)

    @property
    def content(self) -> str:
        """Text after the headings without which it would say something else."""
        text = without_marks(self.text, self.above, is_item=self.is_item, notes=self.notes)
        titles = HEADINGS_JOINED_BY.join(governing(self.above[-HEADINGS_MAX:], text))
        if not titles:
            return text
        return f"{titles.rstrip('.')}:{NEW_LINE if _IS_BLOCK.match(text) else ' '}{text}"


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
        "category": category_of_line(block.content, above, PurePath(name).name, is_step=block.is_step),
        "said_at": said_under(above) or said_in_name(PurePath(name).stem),
    }
    said = {field: value for field, value in fields.items() if value}
    return ForeignMemory(f"line {block.line}", {**said, "expires_at": None}, block.is_step)


def without_targets(text: str) -> str:
    """Text whose references to issues, commits and people are their names alone: their addresses outweighed in search
    what a line of a changelog says."""
    return _REFERENCE.sub(r"\g<name>\g<account>", text) if "](" in text else text


def unwrapped(text: str) -> str:
    """Paragraph without the line ends of its margin; breaks that Markdown shows, and bullets of its own, stay."""
    return _LINE_END.sub(_line_end, text) if "\n" in text else text


def _line_end(found: re.Match[str]) -> str:
    return " " if found["break"] is None and found["bullet"] is None else "\n"


_LINKED = re.compile(r"\[([^\[\]]+)\]\((?:[^()\s]|\([^()\s]*\))*\)")


def of_release(heading: str) -> str:
    """Heading of a release without the addresses of its links, which name the releases that it is compared with."""
    unlinked = _LINKED.sub(r"\1", heading)
    return heading if version_in(unlinked) is None else unlinked
