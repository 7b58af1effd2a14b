"""Seasons of the northern hemisphere, by the day of saying: `last summer`, `later this fall`, `im Herbst`."""

import re
from typing import Final

from memory_layer.domain.time import calendar_spans as spans
from memory_layer.domain.time.calendar_spans import Span
from memory_layer.domain.time.forms import Dated, Form, Told, by_tense, rough

_FIRST_MONTHS: Final = {
    **{"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12},
    **{"fr\u00fchling": 3, "fr\u00fchjahr": 3, "sommer": 6, "herbst": 9},
}
_WINTER: Final = 12
_LAST: Final = re.compile(r"last|letzt|vergangen|vorig", re.IGNORECASE)
_NEXT: Final = re.compile(r"next|n\u00e4chst|kommend", re.IGNORECASE)


def _season(told: Told) -> Dated | None:
    first, which = _FIRST_MONTHS[told["season"].lower()], told["which"]
    if _LAST.match(which):
        found = spans.last_season(told.day, first)
        return rough(found) if found else None
    is_next = _NEXT.match(which) is not None
    year = told.day.year + (is_next and spans.season_span(told.day.year, first).first <= told.day)
    return rough(spans.season_span(year, first)) if is_next or first != _WINTER else None


def _bare_season(told: Told) -> Dated | None:
    """`in the spring`, by the tense of its clause: the latest that has begun, or the next one that is to come."""
    first = _FIRST_MONTHS[told["season"].lower()]
    return by_tense(told, lambda: rough(_begun(told, first)), lambda: _coming(told, first))


def _begun(told: Told, first: int) -> Span:
    this = spans.season_span(told.day.year, first)
    return this if this.first <= told.day else spans.season_span(told.day.year - 1, first)


def _coming(told: Told, first: int) -> Dated | None:
    """The season to come; None: its last month is running, so that people may mean it or the next one."""
    this = spans.season_span(told.day.year, first)
    if told.day > this.last:
        return rough(spans.season_span(told.day.year + 1, first))
    return rough(this) if told.day < spans.month_of(this.last).first else None


_ENGLISH: Final = r"(?P<season>(?-i:spring|summer|fall|autumn|winter))\b"
_NO_VERB: Final = r"(?! (?:out|back|apart|over|into|through|behind|short|on|down|under|in|to)\b)"
ENGLISH_SEASONS: Final = (
    Form(
        "spring summer fall autumn winter",
        rf"\b(?<!\bthe )(?P<which>last|this|next) {_ENGLISH}{_NO_VERB}",
        _season,
    ),
    Form(
        "the_spring the_summer the_fall the_autumn the_winter",
        rf"\bin the {_ENGLISH}(?! of\b|-|s\b)",
        _bare_season,
        is_yearless=True,
    ),
)

_GERMAN: Final = r"(?P<season>Fr\u00fchling|Fr\u00fchjahr|Sommer|Herbst)s?\b(?!-)"
GERMAN_SEASONS: Final = (
    Form(
        "fr\u00fchling fr\u00fchjahr sommer herbst",
        r"\b(?P<which>(?:letzt|vergangen|vorig|dies|n\u00e4chst|kommend)e[nmrs]?) " + _GERMAN,
        _season,
    ),
    Form(
        "fr\u00fchling fr\u00fchjahr sommer herbst",
        rf"\bim {_GERMAN}(?! (?:19|20)\d\d)",
        _bare_season,
        is_yearless=True,
    ),
)
