"""What a recogniser of secrets says: from where to where in a text, and of which kind."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple


class SecretSpan(NamedTuple):
    """Characters `start` to `end` (exclusive) of a text are of a kind that must not be stored."""

    start: int
    end: int
    kind: str


Recogniser = Callable[[str], Iterator[SecretSpan]]
"""Total and, for texts of any shape, linear: every quantifier is bounded or starts at a boundary only."""

SECRET = "secret"
"""The group of a pattern that is taken out, where that is not the whole match."""


def matches(pattern: re.Pattern[str], text: str, kind: str) -> Iterator[SecretSpan]:
    """The spans of a pattern: its group `secret` where it has one, else the whole match."""
    group: str | int = SECRET if SECRET in pattern.groupindex else 0
    for match in pattern.finditer(text):
        yield SecretSpan(match.start(group), match.end(group), kind)
