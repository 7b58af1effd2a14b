"""Reader of members of a JSON document that collects all problems in them, each with its pointer."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from memory_layer.errors import Invalid, Violation

PROBLEMS_MAX = 20
"""Most problems that are listed at once."""

_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)
COUNT_MAX = 2**31 - 1
"""Largest count: every store and index takes it."""


@dataclass(frozen=True, slots=True)
class DocumentReader:
    """Object of a document, as `javascript_json.parse` gives it, with its place.

    A missing or wrong member is noted, and read as something harmless: nothing of it is used once `refuse`
    has raised.
    """

    members: Mapping[str, Any]
    pointer: str = ""
    problems: list[Violation] = field(default_factory=list)

    def refuse(self) -> None:
        """Refuses a document with problems: nothing of it is used. Raises: Invalid."""
        if self.problems:
            raise Invalid.each(self.problems[:PROBLEMS_MAX], len(self.problems))

    def note(self, name: str, detail: str) -> None:
        self.problems.append(Violation(f"{self.pointer}/{_escaped(name)}", detail))

    def has(self, name: str) -> bool:
        """Tells if a member is given; null gives nothing."""
        return self.members.get(name) is not None

    def object(self, name: str) -> DocumentReader:
        value = self.members.get(name)
        if not isinstance(value, Mapping):
            self.note(name, f"an object is expected, not {_kind(value)}")
        members = value if isinstance(value, Mapping) else {}
        return DocumentReader(members, f"{self.pointer}/{_escaped(name)}", self.problems)

    def objects(self, name: str) -> list[DocumentReader]:
        value = self.members.get(name)
        if not isinstance(value, list):
            self.note(name, f"an array is expected, not {_kind(value)}")
            return []
        return [
            DocumentReader({str(at): item}, f"{self.pointer}/{name}", self.problems).object(str(at))
            for at, item in enumerate(value)
        ]

    def text(self, name: str, *, max_chars: int | None = None) -> str:
        value = self.members.get(name)
        if not isinstance(value, str) or not value.strip():
            self.note(name, f"text is expected, not {_kind(value)}")
            return "?"
        if max_chars is not None and len(value) > max_chars:
            self.note(name, f"{len(value):,} characters; the limit is {max_chars}")
        return value

    def texts(self, name: str, *, max_chars: int) -> list[str]:
        """Array of texts; empty where the member is absent."""
        value = self.members.get(name, [])
        if not isinstance(value, list):
            self.note(name, f"an array of texts is expected, not {_kind(value)}")
            return []
        items = DocumentReader(
            {str(at): item for at, item in enumerate(value)}, f"{self.pointer}/{name}", self.problems
        )
        return [items.text(at, max_chars=max_chars) for at in items.members]

    def one_of(self, name: str, choices: Collection[str]) -> Any:
        value = self.members.get(name)
        if value in choices:
            return value
        self.note(name, f"{_excerpt(value)} is none of: {', '.join(choices)}")
        return next(iter(choices))

    def number(self, name: str, *, high: float | None = None) -> float:
        """Finite number from 0 to `high`."""
        value = self.members.get(name)
        if not isinstance(value, float):
            self.note(name, f"a number is expected, not {_kind(value)}")
        elif not isfinite(value) or value < 0 or (high is not None and value > high):
            self.note(
                name,
                f"{_excerpt(value)} is out of range; 0 to {high:g} is"
                if high is not None
                else f"{_excerpt(value)} is out of range; 0 or more is expected",
            )
        else:
            return value
        return 0.0

    def count(self, name: str) -> int:
        """Whole number from 0; 0 where the member is absent."""
        if not self.has(name):
            return 0
        value = self.number(name, high=COUNT_MAX)
        if not value.is_integer():
            self.note(name, f"{_excerpt(value)} is no whole number")
        return int(value)

    def instant(self, name: str) -> datetime:
        value = self.members.get(name)
        found = _moment(value)
        if found is None:
            self.note(name, f"{_excerpt(value)} is no time with its zone, such as 2026-03-01T12:00:00Z")
        return found or datetime.min.replace(tzinfo=UTC)


def _moment(value: Any) -> datetime | None:
    if not isinstance(value, str) or not _RFC_3339.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _kind(value: Any) -> str:
    if value == "":
        return "an empty one"
    kinds = {dict: "an object", list: "an array", str: "text", float: "a number", bool: "true or false"}
    return kinds.get(type(value), "nothing")


def _excerpt(value: Any) -> str:
    return (
        f"{value[:80]!r}"
        if isinstance(value, str)
        else f"{value:g}"
        if isinstance(value, float)
        else _kind(value)
    )


def _escaped(name: str) -> str:
    """Name as a part of a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")
