"""German words about time, resolved against the day of saying: `vorgestern`, `letzten Freitag`, `vor zwei Wochen`."""

import re
from typing import Final

from memory_layer.domain.time import calendar_spans as spans
from memory_layer.domain.time.calendar_spans import Span, day_span
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
from memory_layer.domain.time.seasons import GERMAN_SEASONS

_WEEKDAYS: Final = ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag")
_WEEKDAY: Final = r"(?P<weekday>Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag)"
GERMAN_MONTH: Final = (
    r"(?P<month>Januar|J\u00e4nner|Februar|M\u00e4rz|April|Mai|Juni|Juli|August|September|Oktober|November"
    r"|Dezember)"
)
_MONTHS: Final = ("ja", "f", "mar", "ap", "mai", "jun", "jul", "au", "s", "o", "n", "d")
_NUMBER: Final = (
    r"(?P<number>\d{1,3}|eine[mnr]?|zwei|drei|vier|f\u00fcnf|sechs|sieben|acht|neun|zehn|elf|zw\u00f6lf)"
)
_NUMBERS: Final = {
    word: number
    for number, words in enumerate(
        ("", "einem einen einer eine", "zwei", "drei", "vier", "f\u00fcnf", "sechs", "sieben", "acht", "neun")
    )
    for word in words.split()
} | {"zehn": 10, "elf": 11, "zw\u00f6lf": 12}
_PART_OF_DAY: Final = (
    r"(?: (?:fr\u00fch|morgen|vormittag|mittag|nachmittag|abend|nacht)\b|(?:abend|morgen|nacht)\b)"
)
_LAST: Final = r"(?P<last>(?:letzt|vergangen|vorig)e[nmrs]?)"
_NEXT: Final = r"(?P<next>(?:n\u00e4chst|kommend)e[nmrs]?)"
_THIS: Final = r"(?P<this>diese[nmrs]?)"
_WHICH: Final = rf"(?:{_LAST}|{_NEXT}|{_THIS})"
_NO_ARTICLE: Final = r"(?<!\bdie )(?<!\bdas )(?<!\bder )(?<!\bden )(?<!\bjeden )"
_AFTER_A_NUMBER: Final = (
    r"(?=\s*(?:[,;:!?)]|$)| (?:haben|hat|habe|wurde|war|ist|sind|ging|kam|wird|werden)\b)"
)


def german_month_number(name: str) -> int:
    """Number of a German month, 1 to 12."""
    plain = name.lower().replace("\u00e4", "a")
    return next(at for at, front in enumerate(_MONTHS, 1) if plain.startswith(front))


def weekday_number(told: Told) -> int:
    name = told["weekday"].lower()
    return spans.SATURDAY if name == "sonnabend" else _WEEKDAYS.index(name)


def _offset(days: int) -> Resolved:
    return lambda told: exact(day_span(told.day, days))


def _shift(told: Told) -> int:
    return -1 if told["last"] else 1 if told["next"] else 0


def _weekday(told: Told) -> Dated:
    weekday, shift = weekday_number(told), _shift(told)
    before, after = (find(told.day, weekday) for find in (spans.weekday_before, spans.weekday_after))
    if shift < 0:
        is_this_week = spans.week_of(told.day).first <= before
        return likely(day_span(before)) if is_this_week else exact(day_span(before))
    if told["next"].lower().startswith("n"):
        is_next_week = after > spans.week_of(told.day).last
        return exact(day_span(after)) if is_next_week else rough(Span(after, after + 7 * spans.DAY))
    return exact(day_span(told.day if told.day.weekday() == weekday and told["this"] else after))


def _bare_weekday(told: Told) -> Dated | None:
    weekday = weekday_number(told)
    if told.day.weekday() == weekday:
        return None
    return by_tense(
        told,
        lambda: exact(day_span(spans.weekday_before(told.day, weekday))),
        lambda: exact(day_span(spans.weekday_after(told.day, weekday))),
    )


_UNITS: Final = {
    "woche": spans.week_of,
    "monat": spans.month_of,
    "quartal": spans.quarter_of,
    "jahr": spans.year_of,
}


def _unit(told: Told) -> Dated:
    find = _UNITS[told["unit"].lower()]
    return (likely if find is spans.quarter_of else exact)(find(told.day, _shift(told)))


def _second_unit(told: Told) -> Dated:
    count, unit = -2 if told["before"] else 2, told["unit"].lower()
    if unit == "wochenende":
        coming = spans.weekend_of(told.day, 1).first
        return (
            exact(spans.last_weekend(told.day, 2))
            if count < 0
            else rough(Span(coming, coming + 8 * spans.DAY))
        )
    return exact(_UNITS[unit](told.day, count))


def _weekend(told: Told) -> Dated:
    is_over = told.day.weekday() >= spans.SATURDAY
    if told["last"]:
        return exact(spans.last_weekend(told.day))
    coming = spans.weekend_of(told.day, 1 if told["next"] and is_over else 0)
    is_either = told["next"].lower().startswith("n") and not is_over
    return rough(Span(coming.first, coming.last + 7 * spans.DAY)) if is_either else exact(coming)


def _the_weekend(told: Told) -> Dated | None:
    return by_tense(
        told,
        lambda: exact(spans.last_weekend(told.day)),
        lambda: exact(spans.weekend_of(told.day, 1 if told.day.weekday() >= spans.SATURDAY else 0)),
    )


def german_number(number: str) -> int:
    """Number in digits or words; 0 of an unknown one."""
    return int(number) if number.isdigit() else _NUMBERS.get(number.lower(), 0)


def _count(told: Told) -> int:
    return german_number(told["number"])


def _ago(told: Told) -> Dated | None:
    return _shifted(told, -_count(told))


def _ahead(told: Told) -> Dated | None:
    return _shifted(told, _count(told)) if is_to_come(told) else None


_ANYBODY: Final = re.compile(r"\b(?:du|man|k\u00f6nnen|kann)\b[^.!?]*$")


def _today_in(told: Told) -> Dated | None:
    """`Heute in einer Woche`; `heute in acht Tagen` is a week as well."""
    if _ANYBODY.search(told.match.string, 0, told.match.start()):
        return None
    return exact(
        day_span(
            told.day, {8: 7}.get(_count(told), _count(told)) * (7 if told["unit"].lower() == "woche" else 1)
        )
    )


def _few_ago(told: Told) -> Dated | None:
    return a_few(told.day, _UNIT_NAMES[told["unit"].lower()], -1)


def _shifted(told: Told, count: int) -> Dated | None:
    return counted(told.day, _UNIT_NAMES[told["unit"].lower()], count) if count else None


_UNIT_NAMES: Final = {"tag": "day", "woche": "week", "monat": "month", "jahr": "year"}


def _month(told: Told) -> Dated | None:
    month = german_month_number(told["month"])
    if told.match.groupdict().get("last"):
        return exact(spans.past_month(told.day - told.day.day * spans.DAY, month))
    return month_by_tense(told, month)


def _date(told: Told) -> Dated | None:
    groups = told.match.groupdict()
    month = german_month_number(told["month"]) if groups.get("month") else int(told["month_number"])
    return date_by_tense(told, month)


_DAYS: Final = "tag mittwoch sonnabend"
_SPANS: Final = "woche monat jahr tag"
_MONTH_CUES: Final = (
    "januar j\u00e4nner februar m\u00e4rz april mai juni juli august september oktober november dezember"
)

GERMAN: Final = (
    Form("vorgestern", rf"(?<!von )\bvorgestern\b{_PART_OF_DAY}?", _offset(-2)),
    Form("\u00fcbermorgen", rf"\b\u00fcbermorgen\b{_PART_OF_DAY}?", _offset(2)),
    Form("gestern", rf"(?<!von )\bgestern\b{_PART_OF_DAY}?", _offset(-1)),
    Form("heute_in", rf"\bheute in {_NUMBER} (?P<unit>tag|woche)(?:e?n?)\b", _today_in),
    Form("heute", rf"\bheute\b{_PART_OF_DAY}?(?! in {_NUMBER} (?:tag|woche))", _offset(0)),
    Form("letzte_nacht", r"(?<!\bdie )\bletzte nacht\b", _offset(-1)),
    Form(
        "morgen",
        r"(?:^|(?<=[.!?] ))Morgen(?= (?:ist|sind|wird|werden|kommt|kommen|geht|gehen|hat|haben|soll)\b)",
        _offset(1),
    ),
    Form(
        "morgen",
        rf"(?<!heute )(?<!gestern )(?<!jeden )\b(?-i:morgen)\b(?! ist auch){_PART_OF_DAY}?",
        _offset(1),
    ),
    Form(_DAYS, rf"\b{_NO_ARTICLE}{_WHICH} {_WEEKDAY}(?:{_PART_OF_DAY}|\b)", _weekday),
    Form(
        "vorletzte \u00fcbern\u00e4chste",
        r"\b(?:(?P<before>vorletzte)|\u00fcbern\u00e4chste)[nrsm]? (?P<unit>woche|monat|jahr|wochenende)s?\b",
        _second_unit,
    ),
    Form("wochenende", rf"\b(?<!\bdas ){_WHICH} wochenende\b", _weekend),
    Form("wochenende", r"\b(?:am|\u00fcbers) wochenende\b", _the_weekend),
    Form(
        "woche monat quartal jahr",
        rf"\b(?:{_NO_ARTICLE}|(?<=\bin der )){_WHICH} (?P<unit>woche|monat|quartal|jahr)(?:e?s)?\b(?! de[sr]\b)",
        _unit,
    ),
    Form("vor_", rf"\bvor {_NUMBER} (?P<unit>tag|woche|monat|jahr)(?:e?n?)\b", _ago),
    Form("vor_", r"\bvor (?:ein paar|einigen|wenigen) (?P<unit>tag|woche|monat)e?n\b", _few_ago),
    Form(_SPANS, rf"\bin {_NUMBER} (?P<unit>tag|woche|monat|jahr)(?:e?n?)\b", _ahead),
    Form(_MONTH_CUES, rf"\b(?P<day>[0-3]?\d)\. {GERMAN_MONTH}\b(?! (?:19|20)\d\d)", _date, is_yearless=True),
    Form(
        "am_",
        r"\bam (?P<day>[0-3]?\d)\. ?(?P<month_number>[01]?\d)\.(?! ?(?:19|20)\d\d)(?!\d)",
        _date,
        is_yearless=True,
    ),
    Form(
        _MONTH_CUES,
        rf"\bim (?:(?:fr\u00fchen|sp\u00e4ten) )?{GERMAN_MONTH}\b(?!-\w| (?:19|20)?\d\d)",
        _month,
        is_yearless=True,
    ),
    Form(
        _MONTH_CUES,
        rf"\b(?:(?:seit|bis) (?:anfang |mitte |ende )?|(?:anfang|mitte|ende) ){GERMAN_MONTH}\b(?!-\w| (?:19|20)?\d\d)",
        _month,
        is_yearless=True,
    ),
    Form(_MONTH_CUES, rf"\b{_LAST} {GERMAN_MONTH}\b(?! \d)", _month, is_yearless=True),
    Form("am_", rf"\bam (?P<day>[0-3]?\d)\.{_AFTER_A_NUMBER}", day_of_month_by_tense),
    *GERMAN_SEASONS,
    Form(_DAYS, rf"\bam {_WEEKDAY}(?:{_PART_OF_DAY}|\b)", _bare_weekday),
)
