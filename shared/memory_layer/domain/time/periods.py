"""Calendar period that a query names."""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from memory_layer.domain.time.calendar_spans import Span

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>[0-3]?\d)"
_WITHIN = r"\b(?:in|of|during|from|around|early|mid|late)[ -]"

_FORMS = tuple(
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        rf"\b{_YEAR}-(?P<month_number>[01]\d)(?:-{_DAY})?\b",
        rf"\b{_DAY}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b(?:,? {_YEAR}\b)?",
        rf"\b{_MONTH} {_DAY}(?:st|nd|rd|th)?\b(?:,? {_YEAR}\b)?",
        rf"\b{_MONTH},? (?:of )?{_YEAR}\b",
        rf"{_WITHIN}{_MONTH}\b",
        rf"{_WITHIN}{_YEAR}\b",
    )
)
"""Forms of dates, most exact first. Bare months and years need a preposition: `June`, `SQL Server 2019` are none."""

_FORMS_OF_DAYS = 3

_HAS_YEAR = re.compile(_YEAR, re.ASCII)

_ALSO_WORDS = frozenset({"may", "march"})
"""Months that are verbs in lower case and without a year: `step 3 may fail`."""

_LEAP_YEAR = 2024


@dataclass(frozen=True, slots=True)
class Period:
    """Period of a day, a month or a year; without a year, the same period of every year."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def span(self, year: int) -> Span:
        """Days of the period in a year, which its own year, if it has one, is to be."""
        first_month, last_month = (self.month, self.month) if self.month else (1, 12)
        days_in_month = monthrange(year, last_month)[1]
        first_day, last_day = (self.day, self.day) if self.day else (1, days_in_month)
        return Span(
            date(year, first_month, min(first_day, days_in_month)),
            date(year, last_month, min(last_day, days_in_month)),
        )


def named_period(query: str) -> Period | None:
    """Finds the most exact date in a query, as in `on 14 August`, `Aug 2023`, `2023-08-14`, `in 2023`.

    `last week` and the like have no meaning here: they need the day of asking (`told_days.asked_period`).
    """
    return next((period for _, period in _named(query)), None)


def words_of_period(query: str) -> str:
    """Words of a query that name its period; empty where none do."""
    return next((words for words, _ in _named(query)), "")


def _named(query: str) -> Iterator[tuple[str, Period]]:
    """Yields the dates in a query, the most exact first, each with its words."""
    for match in (match for form in _FORMS for match in form.finditer(query)):
        period = _period(match)
        if period is not None:
            yield match[0], period


def days_named(text: str) -> Iterator[date]:
    """Days that a text names with their year, in any notation, always in the same order."""
    if not _HAS_YEAR.search(text):
        return
    periods = (_period(match) for form in _FORMS[:_FORMS_OF_DAYS] for match in form.finditer(text))
    for period in periods:
        if period is not None and period.year and period.month and period.day:
            yield date(period.year, period.month, period.day)


def _period(match: re.Match[str]) -> Period | None:
    year, month, day = _number(match, "year"), _month(match), _number(match, "day")
    is_a_word = match.groupdict().get("month") in _ALSO_WORDS and day is not None and year is None
    return None if is_a_word or not _exists(year, month, day) else Period(year, month, day)


def _month(match: re.Match[str]) -> int | None:
    name = match.groupdict().get("month")
    return _MONTHS.index(name[:3].lower()) + 1 if name else _number(match, "month_number")


def _number(match: re.Match[str], part: str) -> int | None:
    digits = match.groupdict().get(part)
    return int(digits) if digits else None


def _exists(year: int | None, month: int | None, day: int | None) -> bool:
    if month is None or day is None:
        return month is None or 1 <= month <= 12
    return 1 <= month <= 12 and 1 <= day <= monthrange(year or _LEAP_YEAR, month)[1]
