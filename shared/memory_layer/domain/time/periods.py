"""Period that a question names: a date, a part of one, a range, a bound, or what it means on the day of asking."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from memory_layer.domain.time import calendar_spans as spans
from memory_layer.domain.time.calendar_dates import counted_from_dates
from memory_layer.domain.time.calendar_spans import DAY, Span
from memory_layer.domain.time.counted_periods import counted_periods
from memory_layer.domain.time.question_dates import CalendarDate, FoundDate, dates_in
from memory_layer.domain.time.resolve_times import relative_spans
from memory_layer.domain.time.typed_german import with_german_letters

YEARS_BACK: Final = 12
"""Years before the asking in which a date without a year may lie."""


@dataclass(frozen=True, slots=True)
class Period:
    """Days that a question asks for.

    Args:
        spans: one; of a date without a year one for each year about the asking.
        words: that name them.
    """

    spans: tuple[Span, ...]
    words: str = ""

    @property
    def days(self) -> int:
        return (self.spans[0].last - self.spans[0].first).days + 1


@dataclass(frozen=True, slots=True)
class _Part:
    """Words of a period where they stand. Args: spans: one, or one for each year."""

    start: int
    end: int
    spans: tuple[Span, ...]


_PART: Final = re.compile(
    r"\b(?:(?P<third>(?:early|mid|late|anfang|mitte|ende)(?: in| des)?"
    r"|(?:beginning|start|middle|end) of)"
    r"|(?P<half>(?:first|second|latter) half (?:of|in)|(?:erste|zweite)n? h\u00e4lfte (?:des|vom|von))"
    r"|(?P<week>(?:first|second|third|fourth|last) week (?:of|in)"
    r"|(?:erste|zweite|dritte|vierte|letzte)n? woche (?:im|des)))"
    r"[ -](?:the |des )?(?:year |month of )?$",
    re.IGNORECASE,
)
_THIRDS: Final = {"ea": 0, "an": 0, "be": 0, "st": 0, "mi": 1, "la": 2, "en": 2}
_WEEKS: Final = {"fi": 0, "er": 0, "se": 1, "zw": 1, "th": 2, "dr": 2, "fo": 3, "vi": 3, "la": -1, "le": -1}
_ARTICLE: Final = r"(?: the| dem| den| der| des| zum| zur)?"
_BOUND: Final = re.compile(
    r"\b(?:(?P<since>since|seit|starting)|(?P<until>until|till|up to|through|bis)|(?P<before>before|prior to|vor)"
    rf"|(?P<after>after|nach)|(?P<on>ab|from)){_ARTICLE} $",
    re.IGNORECASE,
)
_ONWARDS: Final = re.compile(r"^ (?:on|onwards?|an)\b(?! (?:the|dem))", re.IGNORECASE)
_PREPOSITION: Final = re.compile(
    r"\b(?:in|of|during|from|around|since|until|till|before|after|by|through|between|about|im|seit|bis|vor|nach|ab|von|vom"
    rf"|zwischen|jahr|year){_ARTICLE} $",
    re.IGNORECASE,
)
_OTHER_WORDS: Final = re.compile(r"may|mar(?:ch)?|fall|spring")
_FOR: Final = re.compile(r"\b(?:for|f\u00fcr) $", re.IGNORECASE)
_JOINED: Final = re.compile(
    rf"(?P<word> ?[-\u2013] ?| (?:to|until|till|through|bis|and|und){_ARTICLE} )"
    r"(?:(?:early|mid|late|anfang|mitte|ende|(?:beginning|start|middle|end) of)[ -])?",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(rf"\b(?:between|zwischen){_ARTICLE} (?:[\w\u00e4]+ (?:of )?)?$", re.IGNORECASE)
_FROM: Final = re.compile(rf"\b(?:between|zwischen|from|von|vom){_ARTICLE} $", re.IGNORECASE)


def named_period(query: str, day: date) -> Period | None:
    """Period that a query is about: what all its words about time have in common, else the shortest.

    Args:
        day: of asking, by which `last week` has a meaning.
    """
    query, _ = with_german_letters(query)
    named = _free(counted_from_dates(query), [])
    named += [part for part in _named(query, day) if _is_free(part, named)]
    relative = _free(counted_periods(query, day), named)
    relative += _free(relative_spans(query, day), [*named, *relative])
    return _period(query, [*named, *(_bounded(query, part, day) for part in relative)])


def bare_period(query: str, day: date) -> Period | None:
    """Period of a query without `named_period` where a month or year counts that no preposition marks."""
    query, _ = with_german_letters(query)
    return _period(query, list(_named(query, day, takes_bare=True)))


def _period(query: str, found: list[_Part]) -> Period | None:
    if not found:
        return None
    words = " ".join(query[part.start : part.end] for part in sorted(found, key=lambda part: part.start))
    return Period(_common([part.spans for part in found]), words)


def _free(found: Iterable[tuple[int, int, Span]], taken: Sequence[_Part]) -> list[_Part]:
    parts = (_Part(start, end, (span,)) for start, end, span in found)
    return [one for one in parts if _is_free(one, taken)]


def _is_free(part: _Part, taken: Sequence[_Part]) -> bool:
    return all(part.end <= other.start or other.end <= part.start for other in taken)


def _common(found: Sequence[tuple[Span, ...]]) -> tuple[Span, ...]:
    """Days in all of the periods; where they have none in common, those of the shortest."""
    shared = found[0]
    for others in found[1:]:
        both = (Span(max(a.first, b.first), min(a.last, b.last)) for a in shared for b in others)
        shared = tuple(span for span in both if span.first <= span.last)
    return shared or min(found, key=lambda spans: spans[0].last - spans[0].first)


def _named(query: str, day: date, *, takes_bare: bool = False) -> Iterator[_Part]:
    """Yields the periods that the dates of a query name, ranges as one."""
    dates = dates_in(query)
    place = 0
    while place < len(dates):
        one, other = dates[place], dates[place + 1] if place + 1 < len(dates) else None
        if other is not None and _is_range(query, one, other):
            yield _range(query, one, other, day)
            place += 2
            continue
        lacks_month = one.date.unit == "day" and one.date.month is None
        if not one.is_bare or (
            not lacks_month and ((takes_bare and _is_name(query, one)) or _has_preposition(query, one))
        ):
            yield _bounded(query, _alone(query, one, day), day)
        place += 1


def _is_range(query: str, one: FoundDate, other: FoundDate) -> bool:
    joined = _JOINED.fullmatch(query, one.end, other.start)
    if joined is None or (one.date.month is None and other.date.month is None and one.date.unit == "day"):
        return False
    is_listed = joined["word"].strip().split(" ")[0].lower() in ("and", "und")
    return (
        (_BETWEEN if is_listed else _FROM).search(query, 0, one.start) is not None
        or not (is_listed or one.is_bare)
        or (not is_listed and one.date.unit == "day")
    )


def _range(query: str, one: FoundDate, other: FoundDate, day: date) -> _Part:
    first, last = one.date.with_rest_of(other.date), other.date.with_rest_of(one.date)
    years = [last.year] if last.year else list(_years(day))
    found = tuple(filter(None, (_span_between(query, one, first, other, last, year) for year in years)))
    intro = _FROM.search(query, 0, one.start) or _BETWEEN.search(query, 0, one.start)
    return _Part(intro.start() if intro else one.start, other.end, found or _spans_of(last, day))


def _span_between(
    query: str, one: FoundDate, first: CalendarDate, other: FoundDate, last: CalendarDate, year: int
) -> Span | None:
    end = _narrowed(query, other.start, last.span(year)).last
    begin = _narrowed(query, one.start, first.span(first.year if first.year and last.year else year)).first
    if begin > end:  # from November to January
        begin = _narrowed(query, one.start, first.span(year - 1)).first
    return Span(begin, end) if begin <= end else None


def _is_name(query: str, one: FoundDate) -> bool:
    """Tests if a month, season or year is no verb: `what may come up`."""
    return (
        _OTHER_WORDS.fullmatch(query, one.start, one.end) is None
        or _FOR.search(query, 0, one.start) is not None
    )


def _has_preposition(query: str, one: FoundDate) -> bool:
    part = _PART.search(query, 0, one.start)
    return part is not None or _PREPOSITION.search(query, 0, one.start) is not None


def _alone(query: str, one: FoundDate, day: date) -> _Part:
    part = _PART.search(query, 0, one.start)
    found = tuple(_narrowed(query, one.start, span) for span in _spans_of(one.date, day))
    return _Part(part.start() if part else one.start, one.end, found)


def _spans_of(named: CalendarDate, day: date) -> tuple[Span, ...]:
    return tuple(named.span(year) for year in ([named.year] if named.year else _years(day)))


def _years(day: date) -> range:
    return range(max(1, day.year - YEARS_BACK), min(date.max.year, day.year + 2))


def _narrowed(query: str, start: int, span: Span) -> Span:
    """Part of a span that the words before it name: `early`, `the second half of`, `the first week of`."""
    part = _PART.search(query, 0, start)
    if part is None:
        return span
    first = (part["third"] or part["half"] or part["week"])[:2].lower()
    if part["third"]:
        return _share(span, _THIRDS[first], 3)
    if part["half"]:
        return _share(span, 0 if first in ("fi", "er") else 1, 2)
    week = _WEEKS[first]
    begin = span.last - 6 * DAY if week < 0 else span.first + 7 * week * DAY
    return Span(begin, min(span.last, begin + 6 * DAY))


def _share(span: Span, place: int, shares: int) -> Span:
    """One of two or three equal parts: of whole months, or of days, of which the last has the rest."""
    months = (span.last.year - span.first.year) * 12 + span.last.month - span.first.month + 1
    if months % shares == 0:
        each = months // shares
        return Span(
            spans.month_of(span.first, place * each).first,
            spans.month_of(span.first, (place + 1) * each - 1).last,
        )
    days = ((span.last - span.first).days + 1) // shares
    begin = span.first + place * days * DAY
    return Span(begin, span.last if place == shares - 1 else begin + (days - 1) * DAY)


def _bounded(query: str, part: _Part, day: date) -> _Part:
    """Period from or up to the words, where they stand behind `since`, `until`, `before` or `after`."""
    bound = _BOUND.search(query, 0, part.start)
    if bound is None or (
        bound["on"] and bound["on"].lower() == "from" and not _ONWARDS.search(query[part.end :])
    ):
        return part
    span = next((one for one in reversed(part.spans) if one.first <= day), part.spans[-1])
    found = _side(bound, span, day)
    return _Part(bound.start(), part.end, (found,)) if found.first <= found.last else part


def _side(bound: re.Match[str], span: Span, day: date) -> Span:
    if bound["until"]:
        return Span(date.min, span.last)
    if bound["before"]:
        return Span(date.min, span.first - DAY if span.first > date.min else span.first)
    if bound["after"]:
        return Span(span.last + DAY if span.last < date.max else span.last, date.max)
    return Span(span.first, max(span.last, day) if bound["since"] else date.max)
