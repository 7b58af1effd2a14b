"""Dates with their weekday and without a year, which the weekday tells: `Friday, Feb 15th`, `Mittwoch, 18.10.`."""

from datetime import date
from typing import Final

from memory_layer.domain.time.calendar_spans import day_span
from memory_layer.domain.time.english_words import MONTH, month_number
from memory_layer.domain.time.forms import Dated, Form, Told, exact
from memory_layer.domain.time.german_times import GERMAN_MONTH, german_month_number

_FARTHEST_DAYS: Final = 200
_WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(("mon mo", "tue di", "wed mi", "thu do", "fri fr", "sat sa", "sun so"))
    for name in names.split()
} | {"sonnabend": 5}


def _weekday_date(told: Told) -> Dated | None:
    """Day of that name, within half a year, that is such a weekday."""
    groups = told.match.groupdict()
    number = german_month_number(groups["name"]) if groups.get("name") else _month_number(told["month"])
    name = told["weekday"].lower()
    weekday = next(_WEEKDAYS[one] for one in (name, name[:3], name[:2]) if one in _WEEKDAYS)
    for year in (told.day.year, told.day.year + 1, told.day.year - 1):
        try:
            found = date(year, number, int(told["day"]))
        except ValueError:  # a day that the year does not have
            continue
        if found.weekday() == weekday and abs((found - told.day).days) <= _FARTHEST_DAYS:
            return exact(day_span(found))
    return None


def _month_number(month: str) -> int:
    return int(month) if month.isdigit() else month_number(month)


_ENGLISH_DAY: Final = (
    r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?-i:Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun)\b\.?)"
)
_GERMAN_DAY: Final = (
    r"(?P<weekday>(?-i:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag"
    r"|Mo|Di|Mi|Do|Fr|Sa|So))"
)
_GERMAN_NAME: Final = GERMAN_MONTH.replace("?P<month>", "?P<name>")
_DAY: Final = r"(?P<day>[0-3]?\d)"
_NO_YEAR: Final = r"(?!,? ?(?:19|20)\d\d)(?![\d-])"
_ENGLISH_CUES: Final = (
    "monday tuesday wednesday thursday friday saturday sunday _mon _tue _wed _thu _fri _sat _sun"
)
_GERMAN_CUES: Final = "tag, tag_ mittwoch sonnabend mo, di, mi, do, fr, sa, so, mo. di. mi. do. fr. sa. so."
WEEKDAY_DATES: Final = (
    Form(
        _ENGLISH_CUES,
        rf"\b{_ENGLISH_DAY},? (?:the )?{MONTH}\.? {_DAY}(?:st|nd|rd|th)?\b{_NO_YEAR}",
        _weekday_date,
        is_dated=True,
    ),
    Form(
        _ENGLISH_CUES,
        rf"\b{_ENGLISH_DAY},? (?:the )?{_DAY}(?:st|nd|rd|th)?(?: of)? {MONTH}\b{_NO_YEAR}",
        _weekday_date,
        is_dated=True,
    ),
    Form(
        _GERMAN_CUES,
        rf"\b{_GERMAN_DAY}\.?,? (?:den |dem )?{_DAY}\. ?(?:(?P<month>[01]?\d)\.(?! ?(?:19|20)\d\d)(?!\d)"
        rf"|{_GERMAN_NAME}(?!,? (?:19|20)\d\d))",
        _weekday_date,
        is_dated=True,
    ),
)
