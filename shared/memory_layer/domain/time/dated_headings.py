"""Day that a heading dates what stands under it with: `[1.4.0] - 2026-02-11`, `11. Februar 2026`."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from memory_layer.domain.release_headings import version_in
from memory_layer.domain.time.calendar_dates import named_dates

_VERSION: Final = re.compile(
    r"\[[^\[\]]*\](?:\([^()\s]*\))?|(?:[\w@/.-]+ )?\b[vV]?\d+(?:\.[\w*]+)+(?:[-+][\w.+-]+)?", re.ASCII
)
"""Version, in brackets or bare, with the name of what it is a version of."""

_BESIDE_A_DATE: Final = re.compile(
    r"version|(?:un)?released?|changes|changelog|updated?|log|journal|diary|notes?|minutes|meeting|standup|yanked"
    r"|on|of|as|the|and|stand|vom|von|am|der|die|das|den|\u00e4nderungen|ver\u00f6ffentlicht|freigabe|notizen|protokoll"
    r"|besprechung|sitzung|tagebuch|(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun"
    r"|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend|mo|di|mi|do|fr|sa|so",
    re.IGNORECASE,
)
"""Words that may stand beside the date of a heading; with others it may tell of a plan or of a deadline."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_DIGIT: Final = re.compile(r"\d")


def said_under(headings: Sequence[str]) -> datetime | None:
    """Beginning of the day, in UTC, of the innermost heading that is a date; None: there is none."""
    found = (_day_of(heading) for heading in reversed(headings))
    return next((day for day in found if day is not None), None)


def _day_of(heading: str) -> datetime | None:
    dates = list(named_dates(heading))
    if len(dates) != 1:
        return None
    start, end, (span, _) = dates[0]
    rest = _VERSION.sub(" ", f"{heading[:start]} {heading[end:]}", count=1)
    is_dated = version_in(heading) is not None or (not _DIGIT.search(rest) and _is_beside_a_date(rest))
    if span.first != span.last or not is_dated:
        return None
    return datetime(span.first.year, span.first.month, span.first.day, tzinfo=UTC)


def _is_beside_a_date(rest: str) -> bool:
    return all(_BESIDE_A_DATE.fullmatch(word) for word in _WORD.findall(rest))
