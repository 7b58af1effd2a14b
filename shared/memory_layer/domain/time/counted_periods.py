"""Periods that end on the day of asking, and quarters counted from it: `the past two weeks`, `last quarter`."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from memory_layer.domain.time import calendar_spans as spans
from memory_layer.domain.time.calendar_spans import DAY, Span
from memory_layer.domain.time.english_words import NUMBER, number_of, number_word
from memory_layer.domain.time.german_times import german_number

_PAST: Final = re.compile(
    rf"\b(?:the )?(?:past|last|previous) {NUMBER} (?P<unit>day|week|month|year)s\b"
    r"|\b(?:the past|(?:in|during|over|within) the last) (?P<one>day|week|month|year)\b",
    re.IGNORECASE,
)
_PAST_GERMAN: Final = re.compile(
    r"\b(?:den |der |die )?(?:letzten|vergangenen) (?P<number>\d{1,3}|[a-z\u00e4\u00f6\u00fc]+)"
    r" (?P<unit>tage|woche|monate|jahre)n?\b",
    re.IGNORECASE,
)
_QUARTER: Final = re.compile(
    r"\b(?:the )?(?:(?P<last>last|previous|past|letzte[nms]?|vergangene[nms]?|vorige[nms]?)"
    r"|(?P<next>next|n\u00e4chste[nms]?|kommende[nms]?)|this|current|diese[ms]?) (?:quarter|quartal)\b"
    r"|\bthe previous (?P<unit>week|month|year)\b",
    re.IGNORECASE,
)
_MAY_COUNT: Final = re.compile(r"quarter|quartal|past |last |previous|letzten|vergangenen", re.IGNORECASE)
_UNITS: Final = {"ta": "day", "wo": "week", "mo": "month", "ja": "year"}
_FEW: Final = {"few": 3, "several": 6}


def counted_periods(query: str, day: date) -> Iterator[tuple[int, int, Span]]:
    """Yields the periods of a query that are counted from the day of asking, with their places."""
    if not _MAY_COUNT.search(query):
        return
    for match in _PAST.finditer(query):
        number = number_word(match["number"]) if match["number"] else "one"
        count = number_of(number) or _FEW.get(number, 0)
        yield from _until(day, match, (match["unit"] or match["one"]).lower(), count)
    for match in _PAST_GERMAN.finditer(query):
        yield from _until(day, match, _UNITS[match["unit"][:2].lower()], german_number(match["number"]))
    for match in _QUARTER.finditer(query):
        yield *match.span(), _quarter_or_unit(match, day)


def _until(day: date, match: re.Match[str], unit: str, count: int) -> Iterator[tuple[int, int, Span]]:
    if count:
        yield *match.span(), Span(_back(day, unit, count), day)


def _back(day: date, unit: str, count: int) -> date:
    if unit in ("day", "week"):
        return max(date.min + DAY, day - count * (7 if unit == "week" else 1) * DAY)
    months = count * (12 if unit == "year" else 1)
    return spans.same_day_of_month(day, -min(months, 12 * (day.year - 1)))


def _quarter_or_unit(match: re.Match[str], day: date) -> Span:
    if unit := match["unit"]:
        return {"week": spans.week_of, "month": spans.month_of, "year": spans.year_of}[unit.lower()](day, -1)
    first = spans.month_of(
        day, -((day.month - 1) % 3) + 3 * (-1 if match["last"] else 1 if match["next"] else 0)
    )
    return Span(first.first, spans.month_of(first.first, 2).last)
