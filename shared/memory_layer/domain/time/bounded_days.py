"""Weekdays with a bound, and times that are counted by halves: `by Friday`, `seit Montag`, `vor anderthalb Jahren`."""

from typing import Final

from memory_layer.domain.time import calendar_spans as spans
from memory_layer.domain.time.calendar_spans import DAY, day_span
from memory_layer.domain.time.forms import Dated, Form, Told, exact, rough

_WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        (
            "monday montag",
            "tuesday dienstag",
            "wednesday mittwoch",
            "thursday donnerstag",
            "friday freitag",
            "saturday samstag sonnabend",
            "sunday sonntag",
        )
    )
    for name in names.split()
}
_ENGLISH_DAY: Final = r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_GERMAN_DAY: Final = (
    r"(?P<weekday>(?-i:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag))"
)
_NO_RANGE: Final = r"(?<!day )(?<!days )(?<!tag )(?<!tags )(?<!woch )(?<!abend )(?<!\d )"
_NO_DATE: Final = (
    r"(?!s\b)(?!,? (?:\(|the |den |dem |(?!at|um|by|before|around|ab|gegen)\w+\.? )?\d)"
    r"(?! (?:of|or|and|oder|und|through|to|bis|\w+day)\b)"
)


def _bounded_weekday(told: Told) -> Dated | None:
    """The weekday since when, or until when: that before the day of saying, or that after it."""
    weekday = _WEEKDAYS[told["weekday"].lower()]
    if told["since"]:
        return exact(day_span(spans.weekday_before(told.day, weekday)))
    if told.day.weekday() == weekday or told.is_past:
        return None
    return exact(day_span(spans.weekday_after(told.day, weekday)))


_HALVES: Final = {"half": 1, "eine": 1, "a": 3, "one": 3, "anderthalb": 3, "eineinhalb": 3, "zweieinhalb": 5}
_MONTHS_OF: Final = {"month": 1, "monat": 1, "year": 12, "jahr": 12}
_DAYS_OF: Final = {"day": 1, "tag": 1, "week": 7, "woche": 7}


def _half_ago(told: Told) -> Dated:
    """So many halves of a unit ago, and about then."""
    halves, unit = _HALVES[told["number"].lower().split(" ")[0].rstrip("mr")], told["unit"].lower()
    if unit in _DAYS_OF:
        days = halves * _DAYS_OF[unit] // 2
        return rough(spans.around(told.day - days * DAY, 1 + days // 5))
    months, rest = divmod(halves * _MONTHS_OF[unit], 2)
    day = spans.same_day_of_month(told.day, -months) - 15 * rest * DAY
    return rough(spans.around(day, 5 * _MONTHS_OF[unit]))


_UNIT: Final = r"(?P<unit>day|week|month|year)"

BOUNDED_DAYS: Final = (
    Form(
        "by_ until_ till_ since_",
        rf"\b{_NO_RANGE}(?:by|until|till|(?P<since>since)) {_ENGLISH_DAY}\b{_NO_DATE}",
        _bounded_weekday,
    ),
    Form(
        "ab_ bis_ seit_",
        rf"\b{_NO_RANGE}(?:ab|bis(?: zum)?|(?P<since>seit))(?: dem)? {_GERMAN_DAY}\b{_NO_DATE}",
        _bounded_weekday,
    ),
    Form(
        "half",
        rf"\b(?P<number>a|one) (?P<half>and a half )?{_UNIT}s?(?(half)| and a half) ago\b",
        _half_ago,
    ),
    Form("half_a", rf"\b(?P<number>half) a {_UNIT} ago\b", _half_ago),
    Form(
        "halb",
        r"\bvor (?:etwa |rund |ca\. |gut |knapp )?"
        r"(?P<number>anderthalb|eineinhalb|zweieinhalb|eine[mr] halben) (?P<unit>tag|woche|monat|jahr)e?n?\b",
        _half_ago,
    ),
)
