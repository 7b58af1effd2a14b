"""Comparison of the output that a page shows with the output that the product gives.

`…` in a page stands for any text. An id such as `mem_01a1…` stands for one id: the first output that shows it binds
it, later outputs have to show the same, and later commands are given it. White space and the length of a rule are not
compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_SHORT_ID: Final = re.compile(r"\b[a-z]{3}_[0-9a-z]+…")
_PARTS: Final = re.compile(rf"({_SHORT_ID.pattern}|…)")


class UnknownId(AssertionError):
    """A command names an id that no output above it has shown."""


def filled_in(command: str, ids: Mapping[str, str]) -> str:
    """The command with the ids that the product gave.

    Raises:
        UnknownId: an id was not shown before.
    """

    def given(found: re.Match[str]) -> str:
        if found[0] not in ids:
            raise UnknownId(f"{found[0]} stands in a command, and no output before it shows it")
        return ids[found[0]]

    return _SHORT_ID.sub(given, command)


def match(shown: str, actual: str, ids: Mapping[str, str]) -> dict[str, str] | None:
    """The ids that the output binds, or None if the page shows another output than the product gives."""
    groups: dict[str, str] = {}
    parts = [_pattern(part, ids, groups) for part in _PARTS.split(shown)]
    found = re.fullmatch("".join(parts), _compared(actual), re.DOTALL)
    return None if found is None else {short: found[group] for short, group in groups.items()}


def _pattern(part: str, ids: Mapping[str, str], groups: dict[str, str]) -> str:
    if part == "…":
        return ".*?"
    if not _SHORT_ID.fullmatch(part):
        return re.escape(_compared(part))
    if part in ids:
        return re.escape(ids[part])
    if part in groups:
        return f"(?P={groups[part]})"
    groups[part] = f"id{len(groups)}"
    return f"(?P<{groups[part]}>{part[:4]}[0-9a-f]{{32}})"


def _compared(text: str) -> str:
    return re.sub("─+", "─", "".join(text.split()))
