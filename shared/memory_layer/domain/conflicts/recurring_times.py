"""Parser of how often something happens: `every night`, `once a week`, `every two hours`, `monthly`."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from memory_layer.domain.conflicts.quantity_words import GLUED_UNITS, NUMBER_WORDS, UNITS
from memory_layer.domain.text import opposites
from memory_layer.domain.text.opposites import word_set

RECURRENCE: Final = "recurrence"
"""Dimension of how often something happens; its amounts are the seconds from one time to the next."""

_DAY_S: Final = 86_400.0
_PERIODS: Final[Mapping[str, float]] = {
    **{
        unit: seconds for unit, (dimension, seconds) in UNITS.items() if dimension == "time" and len(unit) > 2
    },
    **dict.fromkeys(("night", "nights", "morning", "mornings", "evening", "evenings", "nacht"), _DAY_S),
    **dict.fromkeys(("quarter", "quarters", "quartal"), 91 * _DAY_S),
    **dict.fromkeys(("fortnight", "fortnights"), 14 * _DAY_S),
}
ADVERBS: Final[Mapping[str, float]] = {
    **dict.fromkeys(("hourly", "stundlich"), _DAY_S / 24),
    **dict.fromkeys(("daily", "nightly", "taglich"), _DAY_S),
    **dict.fromkeys(("weekly", "wochentlich"), 7 * _DAY_S),
    **dict.fromkeys(("biweekly", "bi-weekly", "fortnightly"), 14 * _DAY_S),
    **dict.fromkeys(("monthly", "monatlich"), 30 * _DAY_S),
    **dict.fromkeys(("quarterly", "vierteljahrlich"), 91 * _DAY_S),
    **dict.fromkeys(("yearly", "annually", "jahrlich"), 365 * _DAY_S),
}
_WEEKDAYS: Final = word_set(
    "monday tuesday wednesday thursday friday saturday sunday"
    " montag dienstag mittwoch donnerstag freitag samstag sonntag"
)
_EVERY: Final = word_set("every each jede jeden jedes alle")
_PER: Final = word_set("a an per each pro in im")
TIMES: Final = word_set("times mal")
_OFTEN: Final[Mapping[str, float]] = {
    "once": 1.0,
    "einmal": 1.0,
    "twice": 2.0,
    "zweimal": 2.0,
    "dreimal": 3.0,
}
_BEHIND_ADVERBS: Final = opposites.PREPOSITIONS | word_set(
    "and or und oder after before via through nach vor um"
)
"""Words behind an adverb of time; before another word it is an adjective, and part of a name: `the weekly report`."""

MAY_RECUR: Final = frozenset((*ADVERBS, *_EVERY, *_OFTEN))
"""First words of how often something happens, but for numbers: `three times a day`."""


def may_begin_recurrence(word: str) -> bool:
    """Tells whether it may begin at a word, in lower case."""
    return word in MAY_RECUR or word in _PER or _number(word) is not None


def recurrence_at(words: Sequence[str], at: int, *, in_names: bool = False) -> tuple[float, int] | None:
    """Parses how often something happens, from a word on.

    Args:
        in_names: whether adjectives count: `the nightly backup` names a backup, and tells that it runs every night.

    Returns:
        The seconds from one time to the next, and the index of the word after it; None where no such time begins.
    """
    word = words[at]
    if word in ADVERBS:
        return (ADVERBS[word], at + 1) if in_names or _is_adverb(words, at) else None
    if word in _EVERY:
        return _every(words, at + 1)
    return _per(words, at) if word in _PER else _counted(words, at)


def _is_adverb(words: Sequence[str], at: int) -> bool:
    is_last = at + 1 == len(words) or words[at + 1] in _BEHIND_ADVERBS
    return is_last and at > 0 and words[at - 1] not in opposites.DETERMINERS


def _every(words: Sequence[str], at: int) -> tuple[float, int] | None:
    """Period behind `every`: `day`, `other day`, `two weeks`, `30s`, `other Thursday`."""
    step = _number(words[at]) if at < len(words) else None
    if step is None:
        return _glued(words, at) or _period(words, at, 1.0)
    if step == EVERY_OTHER and words[at + 1 : at + 2] and words[at + 1] in _WEEKDAYS:
        return EVERY_OTHER * 7 * _DAY_S, at + 2
    return _period(words, at + 1, step)


def _per(words: Sequence[str], at: int) -> tuple[float, int] | None:
    """Period of a rate, behind what is counted: `100 requests per minute`, `30 messages a minute`, `per 20 seconds`."""
    if not any(_DIGIT.match(word) or word in NUMBER_WORDS for word in words[max(0, at - COUNTED_WORDS) : at]):
        return None
    return _one_period(words, at + 1)


COUNTED_WORDS: Final = 3
"""Words before the period of a rate among which its number stands."""


def _one_period(words: Sequence[str], at: int) -> tuple[float, int] | None:
    """Period behind `per`: `minute`, `20 seconds`, `30s`."""
    step = _number(words[at]) if at + 1 < len(words) and words[at + 1] in _PERIODS else None
    if step is not None:
        return _period(words, at + 1, step)
    return _period(words, at, 1.0) or _glued(words, at)


def _glued(words: Sequence[str], at: int) -> tuple[float, int] | None:
    """Period whose unit stands at its number: `30s`, `5min`."""
    found = _WITH_UNIT.fullmatch(words[at]) if at < len(words) else None
    if found is None:
        return None
    dimension, seconds = UNITS.get(GLUED_UNITS.get(found[2], found[2]), ("", 0.0))
    return (float(found[1]) * seconds, at + 1) if dimension == "time" else None


EVERY_OTHER: Final = 2.0
_DIGIT: Final = re.compile(r"\d")
_WITH_UNIT: Final = re.compile(r"(\d{1,6})([a-z]{1,7})")


def _number(word: str) -> float | None:
    if word in ("other", "second", "zweite", "zweiten"):
        return EVERY_OTHER
    return float(word) if word.isdecimal() and len(word) <= DIGITS_MAX else NUMBER_WORDS.get(word)


DIGITS_MAX: Final = 6


def _period(words: Sequence[str], at: int, times: float) -> tuple[float, int] | None:
    period = _PERIODS.get(words[at]) if at < len(words) else None
    return None if period is None else (times * period, at + 1)


def _counted(words: Sequence[str], at: int) -> tuple[float, int] | None:
    """Count of times in a period: `once a week`, `three times per day`, `once every two weeks`."""
    often, end = _OFTEN.get(words[at]), at + 1
    if often is None and words[end : end + 1] and words[end] in TIMES:
        often, end = _number(words[at]), end + 1
    if not often or end + 1 >= len(words) or words[end] not in _PER | _EVERY:
        return None
    found = _every(words, end + 1) if words[end] in _EVERY else _one_period(words, end + 1)
    return None if found is None else (found[0] / often, found[1])
