"""Forms of words about time: a pattern, and the span that it tells of for one who speaks on a day."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Final

from memory_layer.domain.resolved_time import Certainty
from memory_layer.domain.time.calendar_spans import (
    DAY,
    Span,
    around,
    coming_date,
    coming_day_of_month,
    coming_month,
    day_span,
    past_date,
    past_day_of_month,
    past_month,
    same_day_of_month,
    year_of,
)
from memory_layer.domain.time.tenses import (
    NEAR_CHARS,
    PAST,
    Tense,
    clause_about,
    has_person,
    sentence_about,
    tense_at,
)
from memory_layer.domain.time.told_notes import is_note
from memory_layer.domain.time.told_plans import is_ahead

Dated = tuple[Span, Certainty]


@dataclass(frozen=True)
class Told:
    """Words about time where they stand.

    Args:
        match: of the form's pattern in the text.
        day: of saying.
    """

    match: re.Match[str]
    day: date

    def __getitem__(self, part: str) -> str:
        """Part of the words by the name of its group; empty where there is none."""
        return self.match[part] or ""

    @property
    def tense(self) -> Tense | None:
        return tense_at(self.match.string, *self.match.span())

    @property
    def is_personal(self) -> bool:
        """Tests if the clause tells of people, and not of a rule."""
        return has_person(self.match.string, *self.match.span())

    @property
    def is_past(self) -> bool:
        """Tests if anything in the clause before the words is of the past."""
        first, _ = clause_about(self.match.string, *self.match.span())
        return PAST.search(self.match.string, first, self.match.start()) is not None or self.tense == "past"

    @property
    def is_note(self) -> bool:
        """Tests if the sentence has no conjugated verb."""
        text, (start, end) = self.match.string, self.match.span()
        first, last = sentence_about(text, start, end)
        return is_note(text[first:last], start - first, end - first)

    @property
    def is_open(self) -> bool:
        """Tests if the words end what lasts, or are what is."""
        start, end = self.match.span()
        return _IS_OPEN.search(self.match.string, max(0, start - NEAR_CHARS), end) is not None


Resolved = Callable[[Told], Dated | None]


class Form:
    """Form of words, and what they tell of.

    Args:
        cues: words apart from each other, in lower case, one of which every text with this form has.
        pattern: regular expression, compiled when it is first used.
        is_yearless: names a month without a year, which may well be another year that its text names.
        is_dated: names one day, whatever else its sentence tells; where it has none, no other form gives it one.
    """

    def __init__(
        self,
        cues: str,
        pattern: str,
        resolve: Resolved,
        *,
        is_yearless: bool = False,
        is_dated: bool = False,
    ) -> None:
        self.is_yearless: Final = is_yearless
        self.is_dated: Final = is_dated
        self.cues: Final = frozenset(cue.replace("_", " ") for cue in cues.split())
        self._pattern: Final = pattern
        self.resolve: Final = resolve

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self._pattern, re.IGNORECASE)


def exact(span: Span) -> Dated:
    return span, "exact"


def likely(span: Span) -> Dated:
    return span, "likely"


def rough(span: Span) -> Dated:
    return span, "rough"


_IS_OPEN: Final = re.compile(
    r"\b(?:(?:until|till|bis)(?: (?:the|zum|end of|anfang|mitte|ende))* |(?:is|are|ist|sind) (?:(?:on|the|am|der) )*)"
    r"[\w.]{2,12}(?: (?:of )?[\w.]{2,12})?$",
    re.IGNORECASE,
)


_HALF_YEAR: Final = 182


def _soon(told: Told, dated: Dated | None) -> Dated | None:
    """What a note without a verb announces; None: it lies so far ahead that the one before may be meant as well."""
    if dated is None:
        return None
    (first, last), _ = dated
    return likely(Span(first, last)) if (first - told.day).days <= _HALF_YEAR and last >= told.day else None


def by_tense(told: Told, past: Callable[[], Dated], future: Callable[[], Dated | None]) -> Dated | None:
    """Span of words that look either way, by the tense of their clause; None where it is unknown, or they end what
    lasts (`absent until October`) or are what is (`the last one listed is 19 July`)."""
    tense = told.tense
    if tense is None and not told.match.groupdict().get("weekday") and told.is_note:
        return _soon(told, future())
    if tense is None or (tense == "past" and told.is_open):
        return None
    return past() if tense == "past" else future()


def date_by_tense(told: Told, month: int) -> Dated | None:
    """Day `day` of a month, before or after the day of saying."""
    number = int(told["day"])
    return by_tense(
        told,
        lambda: exact(day_span(past_date(told.day, month, number))),
        lambda: exact(day_span(coming_date(told.day, month, number))),
    )


def day_of_month_by_tense(told: Told) -> Dated | None:
    """Day `day` of some month, the nearest before or after the day of saying."""
    number = int(told["day"])
    return by_tense(
        told,
        lambda: exact(day_span(past_day_of_month(told.day, number))),
        lambda: exact(day_span(coming_day_of_month(told.day, number))),
    )


def month_by_tense(told: Told, month: int) -> Dated | None:
    """Month, the nearest before or after the day of saying."""
    return by_tense(
        told,
        lambda: exact(past_month(told.day, month)),
        lambda: exact(coming_month(told.day, month)),
    )


_EXACT_DAYS: Final = 10
_HALF_WEEK: Final = 3
_HALF_MONTH: Final = 15
_A_YEAR: Final = 12


def counted(day: date, unit: str, count: int) -> Dated:
    """Span so many days, weeks, months or years from a day: the greater the unit, the rougher people count.

    Args:
        count: below 0 for the past, not 0.
    """
    if unit == "day":
        far = day_span(day, count)
        return exact(far) if abs(count) <= _EXACT_DAYS else rough(around(far.first, 1 + abs(count) // 10))
    if unit in ("week", "fortnight"):
        count *= 2 if unit == "fortnight" else 1
        return rough(around(day + 7 * count * DAY, _HALF_WEEK))
    if unit == "month":
        return rough(around(same_day_of_month(day, count), _HALF_MONTH))
    if abs(count) == 1:
        return rough(around(same_day_of_month(day, _A_YEAR * count), 4 * _HALF_MONTH))
    return rough(year_of(day, count))


_FEW_MOST: Final = 6
_DAYS_OF: Final = {"day": 1, "week": 7, "month": 30}


def a_few(day: date, unit: str, sign: int) -> Dated | None:
    """Span of two to six days, weeks or months before or after a day. Args: sign: -1 or 1."""
    days = _DAYS_OF.get(unit)
    if days is None:
        return None
    ends = (day + 2 * sign * days * DAY, day + _FEW_MOST * sign * days * DAY)
    return rough(Span(min(ends), max(ends)))


def is_to_come(told: Told) -> bool:
    """Tests if a length of time, as in `in two weeks`, tells when something will be."""
    return (told.tense == "future" and told.is_personal) or is_ahead(told.match.string, *told.match.span())
