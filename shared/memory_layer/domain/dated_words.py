"""Words about time with the days that they mean, as people and models read them: `yesterday (7 May 2023)`."""

import re
from collections.abc import Collection, Iterable, Iterator
from datetime import date, timedelta
from typing import Final

from memory_layer.domain.resolved_time import ResolvedTime

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_HAS_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_YEAR_DAYS: Final = 364
_OPENINGS: Final = {"exact": "", "likely": "probably ", "rough": "about "}


def with_dates(text: str, times: Collection[ResolvedTime]) -> str:
    """Text with the days beside its words about time: the same for ever, whenever it is read.

    Args:
        text: a content, or a part of it, whose words may be gone.
        times: of the record; words that name their year stay alone.
    """
    if not times:
        return text
    found: dict[int, str] = {}
    for time in sorted(_undated(times), key=lambda time: -len(time.words)):
        for end in _ends(text, time.words):
            found.setdefault(end, f" ({days_text(time)})")
    parts, last = [], 0
    for end in sorted(found):
        parts += [text[last:end], found[end]]
        last = end
    return "".join((*parts, text[last:]))


def dates_note(times: Iterable[ResolvedTime]) -> str | None:
    """Words about time and their days in one line: `yesterday: 7 May 2023`; None where no words need it."""
    return "; ".join(f"{time.words}: {days_text(time)}" for time in _undated(times)) or None


def days_text(time: ResolvedTime) -> str:
    """Days that words mean: `7 May 2023`, `Jun 2023`, `about 2021`, `29 May to 4 Jun 2023`."""
    return _OPENINGS[time.certainty] + _span_text(time.from_, time.to)


def _span_text(first: date, last: date) -> str:
    if first == last:
        return _day_text(first)
    if first.day == 1 and (last + timedelta(1)).day == 1:
        if (last - first).days >= _YEAR_DAYS and first.month == 1 and first.year == last.year:
            return str(first.year)
        if first.month == last.month and first.year == last.year:
            return f"{_MONTHS[first.month - 1]} {first.year}"
        return f"{_MONTHS[first.month - 1]} {first.year} to {_MONTHS[last.month - 1]} {last.year}"
    month, year = f" {_MONTHS[first.month - 1]}", f" {first.year}"
    if first.year == last.year:
        month, year = ("" if first.month == last.month else month), ""
    return f"{first.day}{month}{year} to {_day_text(last)}"


def _day_text(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _undated(times: Iterable[ResolvedTime]) -> Iterator[ResolvedTime]:
    return (time for time in times if _is_counted(time) or not _HAS_YEAR.search(time.words))


_COUNTED: Final = re.compile(r"\b(?:before|after)\b", re.IGNORECASE)


def _is_counted(time: ResolvedTime) -> bool:
    """Tests for `the week before 9 June 2023`: it names a year, and other days than it means."""
    return _COUNTED.search(time.words) is not None


def _ends(text: str, words: str) -> Iterator[int]:
    """Places behind the words in a text, line ends and blanks in them aside."""
    words_apart = r"\s+".join(map(re.escape, words.split()))
    pattern = rf"(?<![\w`]){words_apart}(?:['\u2019]s)?(?![\w`])"
    return (match.end() for match in re.finditer(pattern, text))
