"""Period that a question names: its days, its words, and their weight among the words of the question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from memory_layer.domain.arrays import np
from memory_layer.domain.retrieval.told_days import (
    DaySpans,
    day_number,
    days_from_period,
    own_day,
    tells_days,
    told_days,
    vagueness,
)
from memory_layer.domain.text.analyzer import analyze
from memory_layer.domain.text.german import FUNCTION_WORDS
from memory_layer.domain.time.calendar_spans import Span
from memory_layer.domain.time.periods import Period, named_period, words_of_period
from memory_layer.domain.time.resolve_times import resolve_times

if TYPE_CHECKING:
    from memory_layer.domain.memory import Memory

ANYTHING: Final = frozenset(
    analyze(
        "happen happened occur occurred event events do done did change changed changes going new news"
        " geschah geschehen passiert passierte passierten ereignis ereignisse tat getan gemacht los neu neues"
        " geändert änderte änderten änderung änderungen"
    )
)
"""Terms that ask for whatever was in a period: a record that tells of it need not say them."""

MONTH_DAYS: Final = 30
YEAR_DAYS: Final = 365
TOLD_WITHIN_DAYS: Final = 7
"""Days within which people tell of what was."""

SHARE_EXPONENT: Final = 1.5
_BOUND: Final = r"\b(?:before|after|until|till|prior to|vor|nach|bis)(?: (?:the|dem|den|der|zum))? {}"
"""Words that make a date the bound of a period, and not the period."""

WEIGHT_MAX: Final = 0.75
"""Most that the words for a period weigh: of two records that tell of it, the nearer one comes first."""

YEARS_BACK: Final = 12
"""Years before the asking in which a date without a year may lie."""


def asked_period(query: str, now: datetime) -> Period | Span | None:
    """Period that a question is about: a date in it, or else what `last week` means when it is asked."""
    named = named_period(query)
    if named is not None and named.day is not None:
        return named
    found = sorted(resolve_times(query, now), key=vagueness)
    if named is not None and not (
        found and found[0].is_day
    ):  # `am 22. November 2023` is a day, not its month
        return named
    return Span(found[0].from_, found[0].to) if found else None


@dataclass(frozen=True, slots=True)
class AskedPeriod:
    """Period that a question is about.

    Args:
        terms: analysed words that name it, or whatever may have happened in it.
        weight: their share in the words of the question, 0 to WEIGHT_MAX.
        is_whole: the question is about nothing else.
    """

    period: Period | Span
    terms: frozenset[str]
    weight: float
    is_whole: bool = False

    def is_told(self, memory: Memory) -> bool:
        """Tells if a record tells of days of the period."""
        if not tells_days(memory):
            return False
        told = np.array([told_days(memory.times, own_day(memory))], np.int32)
        return bool(days_from_period(told, self.period)[0] == 0)

    @property
    def own_day_weight(self) -> float:
        """Weight of the own day of a record that tells of no other: the longer the period, the surer it tells of it."""
        if isinstance(self.period, Span):
            days = (self.period.last - self.period.first).days + 1
        else:
            days = 1 if self.period.day else MONTH_DAYS if self.period.month else YEAR_DAYS
        return self.weight * days / (days + TOLD_WITHIN_DAYS)

    def spans(self, now: datetime) -> DaySpans:
        """Days that are asked for; of a period without a year those of each year about the asking."""
        if isinstance(self.period, Span):
            return ((day_number(self.period.first), day_number(self.period.last)),)
        years = [self.period.year] if self.period.year else range(now.year - YEARS_BACK, now.year + 2)
        found = (self.period.span(year) for year in years)
        return tuple((day_number(span.first), day_number(span.last)) for span in found)


@lru_cache(maxsize=16)
def period_in(query: str, now: datetime) -> AskedPeriod | None:
    """Period that a question is about, as `asked_period` finds it, with its words."""
    period = asked_period(query, now)
    if period is None:
        return None
    words = [words_of_period(query), *(time.words for time in resolve_times(query, now))]
    if any(re.search(_BOUND.format(re.escape(one)), query, re.IGNORECASE) for one in words if one):
        return AskedPeriod(period, frozenset(), 0.0)
    terms = frozenset(analyze(" ".join(words))) | ANYTHING
    asked = frozenset(analyze(query)) - FUNCTION_WORDS
    share = len(terms & asked) / max(1, len(asked))
    return AskedPeriod(period, terms, min(WEIGHT_MAX, share**SHARE_EXPONENT), share == 1.0)
