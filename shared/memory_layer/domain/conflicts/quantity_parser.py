"""Parser of numbers as people write them: with units, bounds and ranges, as versions, times of the day and dates."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from memory_layer.domain.conflicts.quantities import Bound, Quantity
from memory_layer.domain.conflicts.quantity_words import COUNTS, GLUED_UNITS, SCALES, UNITS
from memory_layer.domain.conflicts.recurring_times import MAY_RECUR, RECURRENCE, recurrence_at
from memory_layer.domain.safety.text_caches import WordTable
from memory_layer.domain.text import opposites

_MONTH_NAMES = """
january jan | february feb | march mar | april apr | may | june jun | july jul | august aug | september sep
| october oct | november nov | december dec
"""
_MONTHS = {
    name: number for number, names in enumerate(_MONTH_NAMES.split("|"), start=1) for name in names.split()
}
_BOUND_WORDINGS: Mapping[Bound, str] = {
    "at least": "at least, no less than, more than, above, minimum, min, over, mindestens, uber",
    "at most": "at most, up to, no more than, not more than, less than, fewer than, below, under, maximum, max, within,"
    " hochstens, maximal, bis zu",
    "about": "about, around, roughly, approximately, almost, circa, nearly, ca, etwa, rund, ungefahr",
}
_BOUNDS: Mapping[tuple[str, ...], Bound] = {
    tuple(wording.split()): bound
    for bound, wordings in _BOUND_WORDINGS.items()
    for wording in wordings.split(",")
}
_BOUND_OPENERS = frozenset(words[0] for words in _BOUNDS)
_TRAILING_BOUNDS: Mapping[str, Bound] = {
    **dict.fromkeys(("newer", "later", "higher", "more", "above", "greater", "up"), "at least"),
    **dict.fromkeys(("less", "fewer", "older", "lower", "below", "earlier"), "at most"),
}

_NUMBER = re.compile(
    r"(~|v|<=|>=|<|>|≤|≥|\$|€)?(\d{1,3}(?:,\d{3})+|\d{1,15})((?:\.\d{1,9}){0,4})-?([a-z%]{0,12})(\+)?"
)
_SPAN = re.compile(r"(\d{1,12})(?:-|\.\.|\u2013)(\d{1,12})")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(am|pm)?")
_DIGIT = re.compile("[0-9]")
_DAY = re.compile(r"(\d{4})[-/](\d\d)[-/](\d\d)")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\Z")
_YEAR = re.compile(r"(?:19|20)\d\d")
_WITHOUT_END = frozenset(("forever", "indefinitely", "unbegrenzt", "dauerhaft"))
_ENDLESS_S = 1e15
_SIGNS: Mapping[str, Bound] = {
    **dict.fromkeys(("<", "<=", "≤"), "at most"),
    **dict.fromkeys((">", ">=", "≥"), "at least"),
    "~": "about",
}
_OPENERS = (
    _BOUND_OPENERS
    | COUNTS.keys()
    | _MONTHS.keys()
    | MAY_RECUR
    | _WITHOUT_END
    | {"between", "from", "half", "one", "a", "an", "per", "pro"}
)


def may_begin_quantity(word: str) -> bool:
    """Tells whether a quantity may begin at a word, in lower case."""
    return len(word) <= 32 and (word in _OPENERS or _DIGIT.search(word) is not None)


_MAY_BEGIN: Final = WordTable(may_begin_quantity, 16_384)


def quantity_at(words: Sequence[str], at: int, *, in_names: bool = False) -> tuple[Quantity, int] | None:
    """Parses the quantity that begins at a word, with the index of the word after it; None where none begins.

    Args:
        words: lower-case words of one sentence, without punctuation at their ends.
        in_names: whether how often something happens is read from names too: `the nightly backup`.
    """
    if not _MAY_BEGIN[words[at]]:
        return None
    found = (
        _recurring(words, at, in_names=in_names)
        or _span(words, at)
        or _bounded(words, at)
        or _dated(words, at)
        or _single(words, at)
    )
    if found is None:
        return None
    quantity, end = found
    return quantity._replace(text=" ".join(words[at:end])), end


def _recurring(words: Sequence[str], at: int, *, in_names: bool) -> tuple[Quantity, int] | None:
    found = recurrence_at(words, at, in_names=in_names)
    return None if found is None else (Quantity(RECURRENCE, (found[0],), (found[0],)), found[1])


_SPANNED_BY = frozenset(("and", "to"))
_SPAN_WORDS = 8
"""Words of a range up to the one that spans it, at most: `between half a business day or more and …`."""


def _span(words: Sequence[str], at: int) -> tuple[Quantity, int] | None:
    """Range: `between 1 and 100`, `from 1 to 100`, `1 to 100`, `1-100`."""
    glued = _SPAN.fullmatch(words[at])
    if glued:
        return Quantity("number", (float(glued[1]),), (float(glued[2]),), "range"), at + 1
    if _SPANNED_BY.isdisjoint(words[at + 1 : at + _SPAN_WORDS]):
        return None
    start = at + 1 if words[at] in ("between", "from") else at
    low = _single(words, start) if start < len(words) else None
    if low is None or low[1] + 1 >= len(words):
        return None
    if words[low[1]] not in (("and", "to") if start > at else ("to",)):
        return None
    high = _single(words, low[1] + 1)
    if high is None:
        return None
    dimension = high[0].dimension
    unit = _unit_factor(words[high[1] - 1]) if low[0].dimension == "number" else 1.0
    return Quantity(dimension, (low[0].low[0] * unit,), high[0].high, "range"), high[1]


def _unit_factor(word: str) -> float:
    return UNITS[word][1] if word in UNITS else 1.0


def _bounded(words: Sequence[str], at: int) -> tuple[Quantity, int] | None:
    if words[at] not in _BOUND_OPENERS:
        return None
    for length in (3, 2, 1):
        bound = _BOUNDS.get(tuple(words[at : at + length]))
        start = at + length + (words[at + length : at + length + 1] == ["of"])
        found = _single(words, start) if bound and start < len(words) else None
        if bound and found:
            return _with_bound(found[0], bound), found[1]
    return None


def _with_bound(quantity: Quantity, bound: Bound) -> Quantity:
    if bound == "at least":
        return quantity._replace(bound=bound, high=(float("inf"),))
    if bound == "at most":
        return quantity._replace(bound=bound, low=(float("-inf"),))
    return quantity if bound == quantity.bound else quantity._replace(bound=bound)


def _dated(words: Sequence[str], at: int) -> tuple[Quantity, int] | None:
    """Date: `12 May`, `May 12`, `March 2024`, `2024-03-01`, `in 2021`."""
    day = _DAY.fullmatch(words[at])
    if day:
        return _date(float(day[1]), float(day[2]), float(day[3])), at + 1
    following = words[at + 1] if at + 1 < len(words) else ""
    month = _MONTHS.get(words[at]) or _MONTHS.get(following)
    number = _ORDINAL.sub("", following if words[at] in _MONTHS else words[at])
    if month and number.isdecimal() and len(number) in (1, 2, 4):
        return _date(*((float(number), month) if len(number) == 4 else (month, float(number)))), at + 2
    if _YEAR.fullmatch(words[at]) and at and words[at - 1] in ("in", "since", "until", "by", "from"):
        return _date(float(words[at])), at + 1
    return None


def _date(*numbers: float) -> Quantity:
    return Quantity(f"date of {len(numbers)}", numbers, numbers)


def _single(words: Sequence[str], at: int) -> tuple[Quantity, int] | None:
    word = words[at]
    if word in ("half", "a", "an", "one"):
        return _of_one(words, at)
    if word in _WITHOUT_END:
        return Quantity("time", (_ENDLESS_S,), (_ENDLESS_S,)), at + 1
    if word in COUNTS:
        return _measured((COUNTS[word],), words, at + 1)
    clock = _CLOCK.fullmatch(word)
    if clock:
        return _time_of_day(clock, words, at + 1)
    match = _NUMBER.fullmatch(word)
    return _numeral(match, words, at) if match else None


def _of_one(words: Sequence[str], at: int) -> tuple[Quantity, int] | None:
    """Quantity of one: `half a second`, `one hour`; a bare `one` is no number, and `a second` may be another one."""
    amount = 0.5 if words[at] == "half" else 1.0
    unit_at = at + 1 + (words[at] == "half" and words[at + 1 : at + 2] in (["a"], ["an"]))
    is_amount = words[at] in ("half", "one") or (at > 0 and words[at - 1] in _BEFORE_AMOUNTS)
    unit_at += words[unit_at : unit_at + 1] in _WORKING and words[unit_at + 1 : unit_at + 2] != []
    has_unit = is_amount and unit_at < len(words) and words[unit_at] in UNITS
    is_alone = words[at + 1 : at + 2] and words[at + 1] not in _BEHIND_ONE_OF_SEVERAL
    is_count = words[at] == "one" and at > 0 and words[at - 1] in _BEFORE_COUNTS and is_alone
    return _measured((amount,), words, unit_at) if has_unit or is_count else None


_WORKING = (["business"], ["working"], ["calendar"])
_BEFORE_AMOUNTS = opposites.word_set(
    "for after in within of is to takes take lasts last least most than about around nearly almost"
)
_BEFORE_COUNTS = opposites.word_set(
    "need needs require requires least most only exactly just have has with contains contain by"
)
_BEHIND_ONE_OF_SEVERAL = frozenset(("of", "or", "and", "another", "to", "that", "which"))


def _numeral(match: re.Match[str], words: Sequence[str], at: int) -> tuple[Quantity, int] | None:
    sign, whole, decimals, glued, plus = match.groups()
    whole = whole.replace(",", "")
    unit = GLUED_UNITS.get(glued, glued)
    if unit and unit not in UNITS and unit not in SCALES:
        return None
    numbers = (float(whole), *map(float, decimals.split(".")[1:]))
    decimal = float(whole + decimals) if decimals.count(".") <= 1 else float(whole)
    rest = [unit, *words[at + 1 : at + 3]] if unit else words[at + 1 : at + 3]
    quantity, used = _with_unit(numbers, decimal, rest)
    end = at + 1 + used - bool(unit)
    bound: Bound = "at least" if plus else _SIGNS.get(sign or "", "is")
    return _bound_after(_with_bound(quantity, bound), words, end)


def _measured(numbers: tuple[float, ...], words: Sequence[str], at: int) -> tuple[Quantity, int]:
    quantity, used = _with_unit(numbers, numbers[0], words[at : at + 2])
    return _bound_after(quantity, words, at + used)


def _with_unit(numbers: tuple[float, ...], decimal: float, following: Sequence[str]) -> tuple[Quantity, int]:
    used = 0
    if following and following[0] in SCALES:
        decimal *= SCALES[following[0]]
        numbers, used = (decimal,), 1
    is_qualified = used < len(following) and following[used] in ("business", "working", "calendar")
    used += is_qualified
    unit = UNITS.get(following[used]) if used < len(following) else None
    if unit is None:
        return Quantity("number", numbers, numbers), used - is_qualified
    afternoon = 720.0 if following[used][0] == "p" and unit[0] == "clock" and decimal < 12 else 0.0
    amount = (decimal * unit[1] + afternoon,)
    return Quantity(unit[0], amount, amount), used + 1


def _time_of_day(clock: re.Match[str], words: Sequence[str], at: int) -> tuple[Quantity, int]:
    """Time of the day, with the half of it that is written behind: `2:30pm`, `2:30 pm`."""
    behind = words[at : at + 1] if clock[3] is None else [clock[3]]
    has_half = behind[:1] in (["am"], ["pm"], ["a.m"], ["p.m"])
    hour = float(clock[1])
    if has_half:  # 12:15 am is a quarter past midnight
        hour = hour % 12 + 12.0 * behind[0].startswith("p")
    minutes = (hour * 60 + float(clock[2]),)
    return Quantity("clock", minutes, minutes), at + (has_half and clock[3] is None)


def _bound_after(quantity: Quantity, words: Sequence[str], at: int) -> tuple[Quantity, int]:
    """Bound after a quantity: `3.9 or newer`, `1.80 (stable) or newer`, `10 or fewer`."""
    if words[at : at + 1] and words[at] in _STAGES and words[at + 1 : at + 2] == ["or"]:
        at += 1
    if at + 1 < len(words) and words[at] in ("or", "and") and words[at + 1] in _TRAILING_BOUNDS:
        return _with_bound(quantity, _TRAILING_BOUNDS[words[at + 1]]), at + 2
    return quantity, at


_STAGES = frozenset(("stable", "lts"))


def is_numeral(word: str) -> bool:
    """Tells whether a word is part of a quantity by itself; without one, only `a` before a unit gives a quantity."""
    return word in _NUMERALS or word in MAY_RECUR or word in _WITHOUT_END or _DIGIT.search(word) is not None


_NUMERALS = frozenset(("half", "one", *COUNTS))


def quantities_in(words: Sequence[str]) -> Iterator[Quantity]:
    """Yields the amounts among the words of a clause."""
    at = 0
    while at < len(words):
        found = quantity_at(words, at, in_names=True)
        if found:
            yield found[0]
        at = found[1] if found else at + 1
