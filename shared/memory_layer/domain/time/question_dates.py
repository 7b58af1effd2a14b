"""Dates in a question, with or without their year: `3 May`, `Q3 2023`, `im Herbst`, `KW 12`, `2024-02-11`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, Literal

from memory_layer.domain.time import calendar_spans as spans
from memory_layer.domain.time.calendar_spans import Span, day_span

Unit = Literal["day", "week", "month", "quarter", "half", "season", "year"]

_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_DAY: Final = r"(?P<day>[0-3]?\d)"
_MONTH: Final = (
    r"(?P<month>jan(?:uary|uar)?|j\u00e4nner|feb(?:ruary|ruar)?|mar(?:ch)?|m\u00e4rz|apr(?:il)?|ma[yi]|jun[ei]?|jul[yi]?"
    r"|aug(?:ust)?|sep(?:t(?:ember)?)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)\b\.?"
)
_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "",
            "jan j\u00e4n",
            "feb",
            "mar m\u00e4r",
            "apr",
            "may mai",
            "jun",
            "jul",
            "aug",
            "sep",
            "oct okt",
            "nov",
            "dec dez",
        )
    )
    for name in names.split()
}
_SEASON: Final = r"(?P<season>spring|summer|autumn|fall|winter|fr\u00fchjahr|fr\u00fchling|sommer|herbst)s?"
_SEASONS: Final = {"spr": 3, "fr\u00fc": 3, "sum": 6, "som": 6, "aut": 9, "fal": 9, "her": 9, "win": 12}
_ORDINAL: Final = (
    r"(?P<ordinal>first|second|third|fourth|last|[1-4](?:st|nd|rd|th|\.)"
    r"|erste[nsr]?|zweite[nsr]?|dritte[nsr]?|vierte[nsr]?|letzte[nsr]?)"
)
_ORDINALS: Final = {
    "fi": 1,
    "er": 1,
    "se": 2,
    "zw": 2,
    "th": 3,
    "dr": 3,
    "fo": 4,
    "vi": 4,
    "la": -1,
    "le": -1,
}
_HALF: Final = r"(?P<half>half(?: of)?(?: the)?(?: year)?|halbjahrs?|jahresh\u00e4lfte)"
_QUARTER: Final = r"(?P<quarter>quarter(?: of)?(?: the)?(?: year)?|quartals?)"
_OF_YEAR: Final = rf"(?:(?: of|,| in| des Jahres| von)? {_YEAR}\b)"

_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b{_YEAR}-(?P<number>[01]\d)(?:-{_DAY})?\b",
        rf"(?<![\w.]){_DAY}\.(?P<number>[01]?\d)\.(?:{_YEAR}\b|(?!\d))",
        rf"(?<![\w.]){_DAY}(?:st|nd|rd|th|\.)?(?: of)? {_MONTH}(?:,?(?: of)? {_YEAR}\b)?",
        rf"\b{_MONTH} {_DAY}(?:st|nd|rd|th)?\b(?:,? {_YEAR}\b)?",
        rf"\b{_MONTH},?(?: of)? {_YEAR}\b",
        rf"\b{_YEAR}[ /-]?(?P<q>Q[1-4]|H[12])\b",
        rf"\b(?:(?P<q>Q[1-4]|H[12])(?:[ /-]?{_YEAR})?)\b",
        rf"\b{_ORDINAL} (?:{_HALF}|{_QUARTER}){_OF_YEAR}?",
        rf"\b(?:week|KW|Kalenderwoche|calendar week) (?P<week>\d\d?)\b(?:(?:/|,? (?:of |in )?){_YEAR}\b)?",
        rf"\b{_SEASON}{_OF_YEAR}",
        rf"\b{_MONTH}",
        rf"\b{_SEASON}\b(?! [A-Z])(?! (?i:boot|framework))",
        rf"\b{_YEAR}\b(?![.-]\d)",
    )
)
"""Forms of dates, the most exact first."""

_FIRST_BARE: Final = len(_FORMS) - 3
"""Forms from here on need a preposition, or another date beside them: `June`, `SQL Server 2019` are none."""

_VERBS: Final = frozenset({"may", "march", "mar"})
"""Names that are other words in lower case and without a year: `step 3 may fail`."""

_MAY_BE_DATED: Final = re.compile(
    r"\d|jan|feb|mar|m\u00e4r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|j\u00e4n|spring|summer|sommer|autumn|fall|winter"
    r"|fr\u00fch|herbst|quart|half|halbjahr|jahresh",
    re.IGNORECASE,
)
_LEAP_YEAR: Final = 2024


@dataclass(frozen=True, slots=True)
class CalendarDate:
    """Date that may lack its year.

    Args:
        number: of the week, quarter or half; of a season its first month.
    """

    unit: Unit
    year: int | None = None
    month: int | None = None
    day: int | None = None
    number: int = 0

    def span(self, year: int) -> Span:
        """Days of it in a year. Raises: ValueError: the calendar has none."""
        if self.unit == "day":
            return day_span(_day_in(year, self.month or 1, self.day or 1))
        if self.unit == "month":
            return spans.month_span(year, self.month or 1)
        if self.unit == "week":
            return spans.week_of(date.fromisocalendar(year, self.number, 1))
        if self.unit == "year":
            return spans.year_of(date(year, 1, 1))
        if self.unit == "season":
            return spans.season_span(year, self.number)
        months = 3 if self.unit == "quarter" else 6
        first = date(year, (self.number - 1) * months + 1, 1)
        return Span(first, spans.month_of(first, months - 1).last)

    def with_rest_of(self, other: "CalendarDate") -> "CalendarDate":
        """Date whose month and year, where it lacks them, are those of the other end of a range."""
        month = other.month if self.month is None and self.unit == "day" else self.month
        return replace(self, month=month, year=self.year or other.year)


def _day_in(year: int, month: int, day: int) -> date:
    return date(year, month, min(day, spans.month_span(year, month).last.day))


@dataclass(frozen=True, slots=True)
class FoundDate:
    """Date where it stands. Args: is_bare: it is one only beside a preposition or another date."""

    start: int
    end: int
    date: CalendarDate
    is_bare: bool = False


_DAYS_ALONE: Final = re.compile(
    r"(?:\b(?:between|from|zwischen|vom|von|and|und|to|through|until|bis)(?: the| dem| zum)? |(?<=\d)[-\u2013])"
    r"(?P<day>[0-3]?\d)(?:st|nd|rd|th|\.)?(?![\w:.%/])(?:, (?P<year>(?:19|20)\d\d)\b)?"
    r"|(?<![\w.-])(?P<before>[0-3]?\d)\.?(?= ?[-\u2013] ?[0-3]?\d\.? [a-z\u00e4]{3})",
    re.IGNORECASE,
)
"""Numbers that are days where a range has a month at its other end: `3 to 7 May`."""


def dates_in(text: str) -> list[FoundDate]:
    """Dates of a question in their order, none within another."""
    if not _MAY_BE_DATED.search(text):
        return []
    found: list[FoundDate] = []
    for place, form in enumerate(_FORMS):
        for match in form.finditer(text):
            read = _read(match.groupdict())
            if read is not None and _is_free(found, match.span()):
                found.append(FoundDate(*match.span(), read, place >= _FIRST_BARE))
    for one in _days_alone(text) if found else ():
        if _is_free([other for other in found if other.date.unit != "year"], (one.start, one.end)):
            found = [*(other for other in found if _is_free([other], (one.start, one.end))), one]
    return sorted(found, key=lambda one: one.start)


def _is_free(found: list[FoundDate], place: tuple[int, int]) -> bool:
    return all(place[1] <= one.start or one.end <= place[0] for one in found)


def _days_alone(text: str) -> Iterator[FoundDate]:
    for match in _DAYS_ALONE.finditer(text):
        part = "day" if match["day"] else "before"
        if 1 <= int(match[part]) <= 31:
            year = int(match["year"]) if match["year"] else None
            named = CalendarDate("day", year, day=int(match[part]))
            yield FoundDate(match.start(part), match.end(), named, is_bare=True)


def _read(parts: dict[str, str | None]) -> CalendarDate | None:
    year = int(found) if (found := parts.get("year")) else None
    if parts.get("month") in _VERBS and parts.get("day") and year is None:
        return None
    if q := parts.get("q"):
        return CalendarDate("quarter" if q[0] in "Qq" else "half", year, number=int(q[1]))
    if ordinal := parts.get("ordinal"):
        return _part_of_year(ordinal, year, is_half=parts.get("half") is not None)
    if week := parts.get("week"):
        return CalendarDate("week", year, number=int(week)) if 1 <= int(week) <= 53 else None
    if season := parts.get("season"):
        return CalendarDate("season", year, number=_SEASONS[season[:3].lower()])
    return _month_or_day(parts, year)


def _part_of_year(ordinal: str, year: int | None, *, is_half: bool) -> CalendarDate | None:
    most = 2 if is_half else 4
    number = int(ordinal[0]) if ordinal[0].isdigit() else _ORDINALS[ordinal[:2].lower()]
    if number > most or (number < 0 and year is None):
        return None  # `the last quarter` is counted from the day of asking
    return CalendarDate("half" if is_half else "quarter", year, number=number if number > 0 else most)


def _month_or_day(parts: dict[str, str | None], year: int | None) -> CalendarDate | None:
    name, digits, day = parts.get("month"), parts.get("number"), parts.get("day")
    month = _MONTHS[name[:3].lower()] if name else int(digits) if digits else None
    if month is None:
        return CalendarDate("year", year)
    if not 1 <= month <= 12:
        return None
    if day is None:
        return CalendarDate("month", year, month)
    exists = 1 <= int(day) <= spans.month_span(year or _LEAP_YEAR, month).last.day
    return CalendarDate("day", year, month, int(day)) if exists else None
