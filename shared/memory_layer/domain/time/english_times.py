"""English words about time, by the day of saying: `yesterday`, `last Friday`, `two weeks ago`, `in May`."""

from datetime import date
from typing import Final

from memory_layer.domain.time import calendar_spans as spans
from memory_layer.domain.time.calendar_spans import Span, day_span
from memory_layer.domain.time.english_words import (
    MONTH,
    NUMBER,
    WEEKDAY,
    month_number,
    number_of,
    number_word,
    weekday_number,
)
from memory_layer.domain.time.forms import (
    Dated,
    Form,
    Resolved,
    Told,
    a_few,
    by_tense,
    counted,
    date_by_tense,
    day_of_month_by_tense,
    exact,
    is_to_come,
    likely,
    month_by_tense,
    rough,
)
from memory_layer.domain.time.seasons import ENGLISH_SEASONS

_ABOUT: Final = r"(?P<about>(?:about|around|roughly|approximately|almost|nearly|maybe|probably|like) )?"
_NOT_BOUNDED: Final = (
    r"(?<!\bover )(?<!\bthan )(?<!\bleast )(?<!\bmost )(?<!\bunder )(?<!\bto )(?<!\bor )(?<!\bhalf )"
    r"(?<!-)(?<!\u2013)(?<!\.)(?<!\d )"
)
_NO_ARTICLE: Final = r"(?<!\bthe )(?<!\bevery )(?<!\beach )(?<!\bthese )(?<!\bat )(?<!\bper )(?<!'s )"
_ANY_MONTH: Final = MONTH.replace("?P<month>", "?:")
_CLEAR_WEEKDAY: Final = (  # Sun, Sat and Mon by themselves are other things as well
    r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday|(?-i:Tues|Thurs?|Fri))"
)
_ANY_WEEKDAY: Final = _CLEAR_WEEKDAY.replace("?P<weekday>", "?:")
_PART_OF_DAY: Final = r"(?: (?:early |late )?(?:morning|afternoon|evening|night|noon))"
_FEW: Final = frozenset({"few", "several"})
_SUNDAY: Final = 6


def _offset(days: int) -> Resolved:
    return lambda told: exact(day_span(told.day, days))


def _weekday_of_week(told: Told) -> Span:
    week = {"last": -1, "next": 1}.get(told["which"].lower(), 0)
    return day_span(spans.week_of(told.day, week).first, weekday_number(told["weekday"]))


def _weekday(told: Told) -> Dated | None:
    """A weekday with last, this or next: only the reading that people share is exact."""
    weekday, which = weekday_number(told["weekday"]), told["which"].lower()
    before, after = (find(told.day, weekday) for find in (spans.weekday_before, spans.weekday_after))
    is_this_week = spans.week_of(told.day).first <= before
    if which in ("last", "this past"):
        return likely(day_span(before)) if is_this_week and which == "last" else exact(day_span(before))
    if which in ("coming", "this coming"):
        return exact(day_span(after))
    if which == "next":
        is_next_week = after > spans.week_of(told.day).last
        return exact(day_span(after)) if is_next_week else rough(Span(after, after + 7 * spans.DAY))
    return _this_weekday(told, before, after, is_this_week=is_this_week)


def _this_weekday(told: Told, before: date, after: date, *, is_this_week: bool) -> Dated | None:
    if told.day.weekday() == weekday_number(told["weekday"]):
        return exact(day_span(told.day))
    return exact(day_span(before if is_this_week and told.tense == "past" else after))


def _bare_weekday(told: Told) -> Dated | None:
    weekday = weekday_number(told["weekday"])
    if told.day.weekday() == weekday:
        return None
    return by_tense(
        told,
        lambda: exact(day_span(spans.weekday_before(told.day, weekday))),
        lambda: exact(day_span(spans.weekday_after(told.day, weekday))),
    )


_UNITS: Final = {
    "week": spans.week_of,
    "month": spans.month_of,
    "quarter": spans.quarter_of,
    "year": spans.year_of,
}


def _unit(told: Told) -> Dated | None:
    """This, last or next week, month, quarter or year; on a Sunday, weeks from Sunday and from Monday differ."""
    which = {"last": -1, "next": 1}.get(told["which"].lower(), 0)
    find = _UNITS[told["unit"].lower()]
    if told.day.weekday() == _SUNDAY and told["unit"].lower() == "week" and which < 1:
        first, last = (-13, -1) if which else (-6, 6)
        return rough(Span(told.day + first * spans.DAY, told.day + last * spans.DAY))
    return (likely if find is spans.quarter_of else exact)(
        find(told.day, which)
    )  # a business year may begin in July


def _weekend(told: Told) -> Dated | None:
    which, weekday = told["which"].lower(), told.day.weekday()
    if which in ("last", "this past", "past"):
        return exact(spans.last_weekend(told.day))
    if which == "next":
        is_over = weekday >= spans.SATURDAY
        coming = spans.weekend_of(told.day, 1 if is_over else 0)
        return exact(coming) if is_over else rough(Span(coming.first, coming.last + 7 * spans.DAY))
    is_back = weekday <= 2 and told.tense == "past"
    return exact(spans.last_weekend(told.day) if is_back else spans.weekend_of(told.day))


def _the_weekend(told: Told) -> Dated | None:
    return by_tense(
        told,
        lambda: exact(spans.last_weekend(told.day)),
        lambda: exact(spans.weekend_of(told.day, 1 if told.day.weekday() >= spans.SATURDAY else 0)),
    )


def _ago(told: Told) -> Dated | None:
    number, unit = number_word(told["number"]), told["unit"].lower().replace(" night", "day")
    if number in _FEW:
        return a_few(told.day, unit, -1)
    count = number_of(number)
    if not count:
        return None
    found = (
        exact(spans.last_weekend(told.day, count)) if unit == "weekend" else counted(told.day, unit, -count)
    )
    return rough(found[0]) if told["about"] or number == "couple" else found


def _ahead(told: Told) -> Dated | None:
    """`in two weeks` of a plan; of a rule (`expires in 30 days`) it is a length of time."""
    return _from_now(told) if is_to_come(told) else None


def _from_now(told: Told) -> Dated | None:
    number, unit = number_word(told["number"]), told["unit"].lower()
    if number in _FEW:
        return a_few(told.day, unit, 1)
    found = counted(told.day, unit, count) if (count := number_of(number)) else None
    if found and number == "couple":
        return rough(Span(found[0].first - spans.DAY, found[0].last + spans.DAY))
    return found


def _month(told: Told) -> Dated | None:
    month, which = month_number(told["month"]), (told["which"] or "").lower()
    if which == "this":
        return exact(spans.month_span(told.day.year, month))
    if which == "last":
        return exact(spans.past_month(told.day - told.day.day * spans.DAY, month))
    if which == "next":
        return exact(spans.coming_month(told.day, month)) if month < told.day.month else None
    return month_by_tense(told, month)


def _date(told: Told) -> Dated | None:
    return date_by_tense(told, month_number(told["month"]))


def _week_of_date(told: Told) -> Dated | None:
    dated = _date(told)
    return likely(spans.week_of(dated[0].first)) if dated else None


_AFTER_A_NUMBER: Final = (
    r"(?=\s*(?:[.,;:!?)]|$)| (?:and(?! (?:the )?[0-3]?\d)|but|because|when|after|at|with|to|for"
    r"|we|i|I|he|she|they|it|my)\b)"
)

_DAYS: Final = "monday tuesday wednesday thursday friday saturday sunday"
_DAYS_IN_SHORT: Final = "_mon_ _tue _wed _thu _fri _sat _sun"
_MONTHS_IN_SHORT: Final = "jan feb mar apr may jun jul aug sep oct nov dec"

ENGLISH: Final = (
    Form("before_yesterday", r"\bthe day before yesterday\b", _offset(-2)),
    Form("after_tomorrow", r"\bthe day after tomorrow\b", _offset(2)),
    Form(
        "yesterday",
        rf"(?<!\blike )(?<!\blike just )(?<!\bwas )(?<!\bborn )\byesterday\b{_PART_OF_DAY}?",
        _offset(-1),
    ),
    Form("last_night", r"(?<!\bthe )\blast night\b", _offset(-1)),
    Form("tomorrow", rf"\btomorrow\b{_PART_OF_DAY}?(?!'s)", _offset(1)),
    Form("today tonight", r"(?<!\bfrom )\b(?:today|tonight)\b(?!'s)", _offset(0)),
    Form("this_morning this_afternoon this_evening", r"\bthis (?:morning|afternoon|evening)\b", _offset(0)),
    Form(
        "_week",
        rf"\b{WEEKDAY}(?: of)?,? (?P<which>last|next|this) week\b",
        lambda told: exact(_weekday_of_week(told)),
    ),
    Form(
        "week",
        rf"\b{_NO_ARTICLE}(?P<which>last|next|this) week,? (?:on )?{WEEKDAY}\b",
        lambda told: exact(_weekday_of_week(told)),
    ),
    Form(
        f"{_DAYS} {_DAYS_IN_SHORT}",
        rf"\b{_NO_ARTICLE}(?P<which>this past|this coming|last|next|this|coming) {WEEKDAY}\b{_PART_OF_DAY}?"
        rf"(?!s\b)(?! of\b)(?! in {_ANY_MONTH})",
        _weekday,
    ),
    Form(
        "weekend_before", r"\bthe weekend before last\b", lambda told: exact(spans.last_weekend(told.day, 2))
    ),
    Form("week_before", r"\bthe week before last\b", lambda told: exact(spans.week_of(told.day, -2))),
    Form("weekend", r"\b(?<!\bevery )(?P<which>this past|past|last|next|this) weekend\b", _weekend),
    Form("the_weekend", r"\b(?:over|during|at|on) the weekend\b", _the_weekend),
    Form(
        "last_ next_ this_",
        rf"\b{_NO_ARTICLE}(?P<which>last|next|this) (?P<unit>week|month|quarter|year)\b(?! (?:of|or)\b)(?!-)",
        _unit,
    ),
    Form(
        "_ago _back",
        rf"\b{_NOT_BOUNDED}{_ABOUT}{_NOT_BOUNDED}{NUMBER}"
        r" (?P<unit>day|night|week|weekend|fortnight|month|year)s? (?:ago|back)\b",
        _ago,
    ),
    Form(
        "day week fortnight month year",
        rf"\bin {_ABOUT}{NUMBER} (?P<unit>day|week|fortnight|month|year)"
        r"(?:s?'?(?: time)?\b(?!')(?! [a-z]+s\b)|s\b(?!'))",
        _ahead,
    ),
    Form(
        "from_", rf"\b{_NOT_BOUNDED}{NUMBER} (?P<unit>day|week|month|year)s? from (?:now|today)\b", _from_now
    ),
    Form(
        "week_of",
        rf"\b(?:the )?week of (?:the )?{MONTH}\.? (?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b(?!,?\s+\d{{4}})",
        _week_of_date,
        is_yearless=True,
    ),
    Form(
        _MONTHS_IN_SHORT,
        rf"\b{MONTH}\.? (?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b(?!,?\s+\d)(?![\d:.-]\d)",
        _date,
        is_yearless=True,
    ),
    Form(
        _MONTHS_IN_SHORT,
        rf"\b(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?: of)? {MONTH}\b(?!,?\s+(?:of )?\d)(?!-)",
        _date,
        is_yearless=True,
    ),
    Form(
        _MONTHS_IN_SHORT,
        r"\b(?:(?:in|since|until|till|during|(?:end|beginning|start|middle) of)(?: (?:early|mid|late))?"
        rf"|early|mid|late)(?P<which>)[ -]{MONTH}\b(?!,?\s*(?:of )?\d)(?!')(?! (?-i:[A-Z]))",
        _month,
        is_yearless=True,
    ),
    Form(
        _MONTHS_IN_SHORT,
        rf"\b{_NO_ARTICLE}(?P<which>last|this|next) {MONTH}\b(?!,? ?\d)(?!')",
        _month,
        is_yearless=True,
    ),
    Form("on_the_", rf"\bon the (?P<day>[0-3]?\d)(?:st|nd|rd|th){_AFTER_A_NUMBER}", day_of_month_by_tense),
    *ENGLISH_SEASONS,
    Form(
        "on_",
        rf"\bon {_CLEAR_WEEKDAY}\b{_PART_OF_DAY}?(?!s\b)(?! (?:and|or|through|to) (?:on )?{_ANY_WEEKDAY})"
        rf"(?!,? (?:\d|{_ANY_MONTH}))",
        _bare_weekday,
    ),
    Form(
        "morning afternoon evening night noon",
        rf"\b(?<!\blast )(?<!\bnext ){_CLEAR_WEEKDAY}{_PART_OF_DAY}\b(?!s)",
        _bare_weekday,
    ),
)
