"""Records as Markdown pages: front matter with every field, then the content as it is, and back without loss.

A text of many pages is their concatenation. A page begins with two lines, `---` and `memory_layer: 1`; a line of a
content that is like the second one gets a backslash in front.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from memory_layer.domain.fields import canonical_json
from memory_layer.domain.memory import Memory
from memory_layer.domain.portability.sparse_record import sparse_record

MARK: Final = "memory_layer: 1"
HEAD: Final = f"---\n{MARK}\n"
_END: Final = "---\n\n"

_BEGIN = re.compile(rf"(?:\A|(?<=\n))---\n{MARK}\n")
_MARKED = re.compile(rf"^(\\*){MARK}$", re.MULTILINE)
_STUFFED = re.compile(rf"^\\(\\*{MARK})$", re.MULTILINE)
_PLAIN = re.compile(r"[A-Za-z_](?:[\w.:@/+-]*\w)?|\d{4}-\d\d-\d\dT[\d:.]+Z", re.ASCII)
_NO_SLUG = re.compile(r"[^a-z0-9]+")

SLUG_MAX_CHARS: Final = 48


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """Page of a text: its front matter, its body, and the line on which it begins, from 1."""

    fields: Mapping[str, Any]
    body: str
    line: int


def page_of(memory: Memory) -> str:
    """Writes the page of a record."""
    fields = sparse_record(memory)
    content = fields.pop("content")
    return f"{front_matter(fields)}{_MARKED.sub(_stuffed, content)}\n"


def front_matter(fields: Mapping[str, Any]) -> str:
    """Writes the head of a page: a name and a value a line, in YAML that is JSON where it has to be."""
    lines = (f"{name}: {_written(value)}\n" for name, value in fields.items())
    return f"{HEAD}{''.join(lines)}{_END}"


def has_pages(text: str) -> bool:
    """Tells whether a text is made of such pages."""
    return _BEGIN.match(_with_plain_ends(text)) is not None


def pages_in(text: str) -> Iterator[MemoryPage]:
    """Reads the pages of a text; one without the end of its front matter has all of it as its body."""
    whole = _with_plain_ends(text)
    begins = [found.span() for found in _BEGIN.finditer(whole)]
    ends = [start for start, _ in begins[1:]] + [len(whole)]
    line, counted = 1, 0
    for (start, head_end), end in zip(begins, ends, strict=True):
        line += whole.count("\n", counted, start)
        counted = start
        yield _page(whole[head_end:end], line)


def record_of_page(page: MemoryPage) -> dict[str, Any]:
    """Builds the record document of a page that `page_of` wrote."""
    return {**page.fields, "content": page.body}


def page_path(memory: Memory) -> str:
    """Path of a record's page in a tree: its category, the beginning of its words, and a digest of its id."""
    words = memory.summary or memory.content
    slug = _NO_SLUG.sub("-", words[: 2 * SLUG_MAX_CHARS].lower()).strip("-")[:SLUG_MAX_CHARS].strip("-")
    digest = sha256(memory.id.encode()).hexdigest()[:12]
    return f"{memory.category}/{f'{slug}-' if slug else ''}{digest}.md"


def _page(text: str, line: int) -> MemoryPage:
    head, found, body = text.partition(_END)
    if not found:
        return MemoryPage({}, text, line)
    return MemoryPage(
        dict(map(_field, head.removesuffix("\n").split("\n"))),
        _STUFFED.sub(r"\1", body.removesuffix("\n")),
        line,
    )


def _field(line: str) -> tuple[str, Any]:
    name, _, written = line.partition(": ")
    try:
        return name, json.loads(written)
    except (ValueError, RecursionError):
        return name, written


def _written(value: Any) -> str:
    is_plain = isinstance(value, str) and _PLAIN.fullmatch(value) and value not in _WORDS
    return value if is_plain else canonical_json(value)


_WORDS: Final = frozenset(
    ("null", "true", "false", "yes", "no", "on", "off", "y", "n", "NaN", "Infinity", "None")
)
"""Words that JSON or YAML reads as something else than text."""


def _stuffed(marked: re.Match[str]) -> str:
    return f"\\{marked[0]}"


def _with_plain_ends(text: str) -> str:
    """Text as it was written, where an editor or a version control has given it line ends of another system."""
    plain = text.removeprefix("\ufeff")
    return plain.replace("\r\n", "\n") if plain.startswith("---\r\n") else plain
