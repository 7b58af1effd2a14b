"""Period that a question names: its days, its words, and their weight among the words of the question."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.retrieval.told_days import (
    DaySpans,
    day_number,
    days_from_period,
    own_day,
    tells_days,
    told_days,
)
from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text.analyzer import analyze
from memory_layer.domain.text.german import FUNCTION_WORDS
from memory_layer.domain.time.periods import Period, bare_period, named_period

if TYPE_CHECKING:
    from memory_layer.domain.memory import Memory

    Bools = NDArray[np.bool_]

ANYTHING: Final = frozenset(
    analyze(
        "happen happened occur occurred event events do done did change changed changes going new news"
        " geschah geschehen passiert passierte passierten ereignis ereignisse tat getan gemacht los neu neues"
        " geändert änderte änderten änderung änderungen"
    )
)
"""Terms that ask for whatever was in a period: a record that tells of it need not say them."""

_PLANNED: Final = frozenset(
    analyze(
        "plan plans planned planning schedule scheduled agenda coming come upcoming up due anything year month like"
        " geplant geplante geplantes plane pläne plan planung ansteht steht anstehen stehen"
        " anstehend jahr monat gibt liegt welche welches"
    )
)
"""Terms that ask for whatever is to come in a period, where the question has no other subject."""

TOLD_WITHIN_DAYS: Final = 7
"""Days within which people tell of what was."""

SOURCE_DAY_SHARE: Final = 0.8
"""Share of a day that the source of a record gives, where one that its words tell counts 1."""

SHARE_EXPONENT: Final = 1.5

WEIGHT_MAX: Final = 0.75
"""Most that the words for a period weigh: of two records that tell of it, the nearer one comes first."""


@dataclass(frozen=True, slots=True)
class AskedPeriod:
    """Period that a question is about.

    Args:
        days: first and last, since 1970; of a date without a year those of each year about the asking.
        terms: analysed words that name it, or whatever may have happened in it.
        weight: their share in the words of the question, 0 to WEIGHT_MAX.
        is_whole: the question is about nothing else.
    """

    days: DaySpans
    terms: frozenset[str]
    weight: float
    is_whole: bool = False

    def is_told(self, memory: Memory) -> bool:
        """Tells if a record tells of days of the period."""
        if not tells_days(memory):
            return False
        told = np.array([told_days(memory.times, own_day(memory))], np.int32)
        return bool(days_from_period(told, self.days)[0] == 0)

    @property
    def own_day_weight(self) -> float:
        """Weight of the own day of a record that tells of no other: the longer the period, the surer it tells of it."""
        first, last = self.days[0]
        days = last - first + 1
        return self.weight * days / (days + TOLD_WITHIN_DAYS)

    def credits(self, is_own: Bools, is_source: Bools) -> NDArray[np.float64]:
        """Credits of days in the period that no words tell: a record's own, and, below 0, those of its source."""
        return self.own_day_weight * is_own - (1.0 - SOURCE_DAY_SHARE) * self.weight * is_source


@kept_by_text(16)
def period_in(query: str, now: datetime) -> AskedPeriod | None:
    """Period that a question is about, with its words: one by its dates, or what they mean when it is asked."""
    words = frozenset(analyze(query))
    asked = words - FUNCTION_WORDS
    period = named_period(query, now.date())
    if period is None:
        period = bare_period(query, now.date())
        if period is None or not _is_only(period, words, asked):
            return None
    days = tuple((day_number(span.first), day_number(span.last)) for span in period.spans)
    terms = frozenset(analyze(period.words)) | ANYTHING
    if asked <= terms | _PLANNED:
        terms |= _PLANNED
    share = len(terms & asked) / max(1, len(asked))
    return AskedPeriod(days, terms, min(WEIGHT_MAX, share**SHARE_EXPONENT), share == 1.0)


def _is_only(period: Period, words: frozenset[str], asked: frozenset[str]) -> bool:
    """Tests if a question with a date that no preposition marks is about that date, and about nothing else."""
    named = frozenset(analyze(period.words))
    return asked <= named | ANYTHING | _PLANNED and not words <= named
