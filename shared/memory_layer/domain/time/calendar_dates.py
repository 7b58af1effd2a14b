"""Dates that a text names with their year, and days counted from them: `7 May 2023`, `the week before 9 June 2023`."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from typing import Final

from memory_layer.domain.time import calendar_spans as spans
from memory_layer.domain.time.calendar_spans import Span, day_span
from memory_layer.domain.time.english_words import month_number, weekday_number
from memory_layer.domain.time.forms import Dated, exact
from memory_layer.domain.time.german_times import german_month_number

_ENGLISH: Final = (
    r"(?P<{0}>(?i:january|february|march|april|june|july|august|september|october|november|december)|[Mm]ay"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?"
)
_GERMAN: Final = (
    r"(?P<{0}>Januar|J\u00e4nner|Februar|M\u00e4rz|Mai|Juni|Juli|Oktober|Dezember"
    r"|April|August|September|November)"
)
_YEAR: Final = r"(?P<{0}>(?:19|20)\d\d)"
_DAY: Final = r"(?P<{0}>[0-3]?\d)"
_UNBROKEN: Final = r"(?<![\w./-])"

_DATES: Final = re.compile(
    "|".join(
        (
            rf"{_UNBROKEN}{_YEAR.format('y1')}-(?P<n1>[01]\d)-(?P<d1>[0-3]\d)(?=$|[^\w/-]|T\d)",
            rf"{_UNBROKEN}(?P<d2>[0-3]?\d)\.(?P<n2>[01]?\d)\.{_YEAR.format('y2')}(?![\w.-])",
            rf"{_UNBROKEN}{_DAY.format('d3')}(?:st|nd|rd|th)?(?: of)? {_ENGLISH.format('e3')},? {_YEAR.format('y3')}\b",
            rf"\b{_ENGLISH.format('e4')} {_DAY.format('d4')}(?:st|nd|rd|th)?,? {_YEAR.format('y4')}\b",
            rf"{_UNBROKEN}{_DAY.format('d5')}\. {_GERMAN.format('g5')} {_YEAR.format('y5')}\b",
            rf"\b{_ENGLISH.format('e6')},? (?:of )?{_YEAR.format('y6')}\b(?!-\d)",
            rf"\b{_GERMAN.format('g7')} {_YEAR.format('y7')}\b(?!-\d)",
            rf"\b(?:in|since|until|during|im Jahr|seit) {_YEAR.format('y8')}\b(?=\s*(?:[.,;:!?)]|$))(?!\.\d)",
        )
    )
)
_YEARS: Final = re.compile(r"[12](?=(?:(?<=1)9|(?<=2)0)\d\d)")
"""Beginnings of years; the search goes by the first digit, which most texts do not have."""
_WORD_BEGINS: Final = re.compile(r"\b\w")
_LETTERS_BEFORE_YEAR: Final = 24
"""At least as many as a date has before its year: `31st of September., 2024`."""

_COUNTED: Final = re.compile(
    r"\b(?:the )?(?:(?P<unit>day|week|month)|(?P<weekend>weekend)"
    r"|(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
    r"|(?P<number>two|three|four|five|\d{1,2}) (?P<units>day|week)s) (?P<side>before|after) (?:the )?$",
    re.IGNORECASE,
)
_COUNTS: Final = re.compile(r" (?:before|after) ", re.IGNORECASE)
_NUMBERS: Final = {"two": 2, "three": 3, "four": 4, "five": 5}
_BEFORE_CHARS: Final = 40


def named_dates(text: str) -> Iterator[tuple[int, int, Dated]]:
    """Yields the dates of a text that name their year, with their places, and what is counted from one."""
    for match in _dates(text):
        span = _span(match)
        if span is None:
            continue
        counted = _COUNTED.search(text, max(0, match.start() - _BEFORE_CHARS), match.start())
        if counted and span.first == span.last:
            yield counted.start(), match.end(), exact(_counted(counted, span.first))
        else:
            yield match.start(), match.end(), exact(span)


def counted_from_dates(text: str) -> Iterator[tuple[int, int, Span]]:
    """Yields what a text counts from a date, with its place: `the week before 9 June 2023`."""
    for start, end, (span, _) in named_dates(text):
        if _COUNTS.search(text, start, end):
            yield start, end, span


def days_named(text: str) -> Iterator[date]:
    """Days that a text names with their year, in any notation, always in the same order."""
    for match in _dates(text):
        span = _span(match)
        if span is not None and span.first == span.last:
            yield span.first


def _dates(text: str) -> Iterator[re.Match[str]]:
    """Finds what `_DATES` finds, which is tried at the words shortly before a year alone: few texts name one."""
    end = 0
    for year in _YEARS.finditer(text):
        first = max(end, year.start() - _LETTERS_BEFORE_YEAR)
        for begin in _WORD_BEGINS.finditer(text, first, year.start() + 1):
            if begin.start() >= end and (match := _DATES.match(text, begin.start())):
                end = match.end()
                yield match


def _span(match: re.Match[str]) -> Span | None:
    found = {name[0]: value for name, value in match.groupdict().items() if value is not None}
    year, month, day = int(found["y"]), _month(found), found.get("d")
    if month is None:
        return spans.year_of(date(year, 1, 1))
    if not 1 <= month <= 12 or (day and not 1 <= int(day) <= monthrange(year, month)[1]):
        return None
    return day_span(date(year, month, int(day))) if day else spans.month_span(year, month)


def _month(found: dict[str, str]) -> int | None:
    if "e" in found:
        return month_number(found["e"])
    if "g" in found:
        return german_month_number(found["g"])
    return int(found["n"]) if "n" in found else None


def _counted(counted: re.Match[str], day: date) -> Span:
    side = -1 if counted["side"].lower() == "before" else 1
    if counted["weekday"]:
        weekday = weekday_number(counted["weekday"])
        return day_span((spans.weekday_before if side < 0 else spans.weekday_after)(day, weekday))
    if counted["weekend"]:
        saturday = (spans.weekday_before if side < 0 else spans.weekday_after)(day, spans.SATURDAY)
        return Span(saturday, saturday + spans.DAY)
    if counted["number"]:
        number = _NUMBERS.get(counted["number"].lower()) or int(counted["number"])
        return day_span(day, side * number * (7 if counted["units"].lower() == "week" else 1))
    length = {"day": 1, "week": 7, "month": 30}[counted["unit"].lower()]
    edges = sorted((day + side * spans.DAY, day + side * length * spans.DAY))
    return Span(edges[0], edges[1])
