"""References from one instruction file to another: `@path`, as coding agents read them.

Source: Claude Code documentation, memory files, imports.
"""

import re
from typing import Final, NamedTuple

DEPTH_MAX: Final = 5
"""Files that include each other are followed so many steps."""

TEXT_SUFFIXES: Final = frozenset((".md", ".markdown", ".mdc", ".mdx", ".txt"))

_CODE: Final = re.compile(
    r"^(?P<fence>```+|~~~+).*?(?:^(?P=fence)|\Z)|(?P<ticks>`+)(?!`).{1,400}?(?<!`)(?P=ticks)(?!`)",
    re.DOTALL | re.MULTILINE,
)
_REFERENCE: Final = re.compile(r"(?<![\w.@/`])@(?P<path>(?:~/|/|\.{1,2}/)?[\w.-]+(?:/[\w.-]+)*)")


class Include(NamedTuple):
    """Reference to a file: its line, from 1, and the path as it is written."""

    line: int
    path: str


def includes_in(text: str) -> list[Include]:
    """References to text files in a text, outside of its code; names of people and packages are none."""
    plain = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    found = (
        (plain.count("\n", 0, match.start()) + 1, match["path"].rstrip("."))
        for match in _REFERENCE.finditer(plain)
    )
    return [Include(line, path) for line, path in found if _names_text(path)]


def _names_text(path: str) -> bool:
    return any(path.lower().endswith(suffix) for suffix in TEXT_SUFFIXES)
