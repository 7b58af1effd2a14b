"""Result of a recogniser of secrets: the place and the kind of each secret in a text."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple


class SecretSpan(NamedTuple):
    """Span of a secret in a text: its characters from `start` to `end` (exclusive), and its kind."""

    start: int
    end: int
    kind: str


Recogniser = Callable[[str], Iterator[SecretSpan]]
"""Function that finds secrets, total and linear for any text: every quantifier is bounded or starts at a boundary."""

SECRET = "secret"
"""Name of the group of a pattern that is redacted, where that is not the whole match."""


def matches(pattern: re.Pattern[str], text: str, kind: str) -> Iterator[SecretSpan]:
    """Finds the spans of a pattern: its group `secret` where it has that group, else the whole match."""
    group: str | int = SECRET if SECRET in pattern.groupindex else 0
    for match in pattern.finditer(text):
        yield SecretSpan(match.start(group), match.end(group), kind)
