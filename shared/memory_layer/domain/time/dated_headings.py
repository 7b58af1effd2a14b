"""Day that a heading, or the name of a file, dates what stands under it with: `[1.4.0] - 2026-02-11`, `Sitzung vom 11.
Februar 2026`, `2026-02-11-retro.md`."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Final

from memory_layer.domain.release_headings import version_in
from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.time.calendar_dates import named_dates

_VERSION: Final = re.compile(
    r"\[[^\[\]]*\](?:\([^()\s]*\))?|(?:[\w@/.-]+ )?\b[vV]?\d+(?:\.[\w*]+)+(?:[-+][\w.+-]+)?", re.ASCII
)
"""Version, in brackets or bare, with the name of what it is a version of."""

_BESIDE_A_DATE: Final = re.compile(
    r"version|(?:un)?released?|changes|changelog|updated?|log|journal|diary|notes?|minutes|meeting|standup|yanked"
    r"|dated?|datum|tag"
    r"|on|of|as|the|and|stand|vom|von|am|der|die|das|den|\u00e4nderungen|ver\u00f6ffentlicht|freigabe|notizen|protokoll"
    r"|besprechung|sitzung|tagebuch|(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun"
    r"|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend|mo|di|mi|do|fr|sa|so",
    re.IGNORECASE,
)
"""Words that may stand beside the date of a heading; with others it may tell of a plan or of a deadline."""

_RECORD: Final = (
    r"(?:meetings?|minutes|stand-?ups?|daily|weekly|retro(?:spective)?s?|sync|call|session|log|journal|notes?"
    r"|\w*(?:protokoll|sitzung|besprechung|versammlung|treffen|notizen|mitschrift|tagebuch)e?n?s?|jour fixe|plenum)"
)
_LINKS: Final = (
    r"(?:[\s,.:|/(\[_\u2013\u2014-]|\b(?:on|of|from|vom|von|am|den|dem|der|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend)\b)*"
)
_RECORDS: Final = re.compile(rf"\b{_RECORD}\b", re.IGNORECASE)
_RECORD_BEFORE: Final = re.compile(rf"\b{_RECORD}{_LINKS}$", re.IGNORECASE)
_RECORD_BEHIND: Final = re.compile(rf"{_LINKS}(?:[\w.]+[\s_-]+){{0,3}}?[\w-]*?\b{_RECORD}\b", re.IGNORECASE)
"""Record of what was said, directly before its date, or a few words behind a date that opens the title: the launch in
`Meeting about the launch on 1 May 2026` is no record."""

_TIMES: Final = re.compile(
    r"\W*(?:\(?(?:at|ab|um|from)?\W*\d?\d[:.]\d\d\b[^a-z]{0,24}(?:uhr|h|am|pm|utc|ce?s?t|gmt)?\W*)?",
    re.IGNORECASE,
)
"""What may stand behind a date at the end: the time of the day."""

_PLANNED: Final = re.compile(
    r"\b(?:next|upcoming|planned|plans?|planning|proposed|agenda|until|due|deadline|before|after|since|postponed"
    r"|cancell?ed|prepar\w+|for (?:the|our)|n\u00e4chste\w*|geplant\w*|einladung|vorbereitung|tagesordnung"
    r"|bis|frist|abgesagt|verschoben)\b",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"(?:(?P<first>\d{4}-\d\d-\d\d)(?P<rest>.*)|(?P<before>.*?)(?P<last>\d{4}-\d\d-\d\d))", re.DOTALL
)
_LABELLED: Final = re.compile(
    r"^\W{0,6}(?:date|datum|tag|held on|when|wann)\b\W{0,8}(?P<date>[^\n]{6,40})", re.IGNORECASE
)

_SEPARATORS: Final = re.compile(r"[_-]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_DIGIT: Final = re.compile(r"\d")


def said_under(headings: Sequence[str]) -> datetime | None:
    """Beginning of the day, in UTC, of the innermost heading that is a date; None: there is none."""
    found = (_day_of(heading) for heading in reversed(headings))
    return next((day for day in found if day is not None), None)


def said_in_name(stem: str) -> datetime | None:
    """Beginning of the day, in UTC, that a file's name opens with, or ends with as the day of a record; None: neither.

    Args:
        stem: of the name, without its folder and its suffix.
    """
    named = None if _PLANNED.search(_spaced(stem)) else _NAMED.fullmatch(stem)
    if named is None or not (named["first"] or not named["before"] or _RECORD_BEFORE.search(named["before"])):
        return None
    return _day_of(named["first"] or named["last"])


def is_record(headings: Sequence[str], file_name: str) -> bool:
    """Tells whether what stands under these headings is the record of one day: minutes, a journal.

    Args:
        file_name: whose stem is a day, or names a record and its day.
    """
    stem = PurePath(file_name).stem
    is_named = said_in_name(stem) is not None and (_ALONE.fullmatch(stem) or _RECORDS.search(_spaced(stem)))
    return bool(is_named) or any(_is_dated_record(heading) for heading in headings)


@kept_by_text(512)
def _is_dated_record(heading: str) -> bool:
    return (
        _RECORDS.search(heading) is not None and version_in(heading) is None and _day_of(heading) is not None
    )


def _spaced(stem: str) -> str:
    return _SEPARATORS.sub(" ", stem)


_ALONE: Final = re.compile(r"\d{4}-\d\d-\d\d")


def labelled_day(title: str, text: str) -> str | None:
    """Date that opens the text under the title of a record without one (`**Date:** 2026-02-11`); None: no such."""
    label = _LABELLED.match(text)
    if label is None or _PLANNED.search(title) or _RECORDS.search(title) is None:
        return None
    dates = [span for _, _, (span, _) in named_dates(label["date"]) if span.first == span.last]
    return dates[0].first.isoformat() if dates and said_under([title]) is None else None


def _day_of(heading: str) -> datetime | None:
    dates = list(named_dates(heading))
    if len(dates) != 1:
        return None
    start, end, (span, _) = dates[0]
    rest = _VERSION.sub(" ", f"{heading[:start]} {heading[end:]}", count=1)
    is_dated = version_in(heading) is not None or (not _DIGIT.search(rest) and _is_beside_a_date(rest))
    if span.first != span.last or not (is_dated or _is_of_record(heading[:start], heading[end:])):
        return None
    return datetime(span.first.year, span.first.month, span.first.day, tzinfo=UTC)


def _is_of_record(before: str, behind: str) -> bool:
    """Tests if a date is the day of a record. Args: before, behind: what the title says before and behind the date."""
    if _PLANNED.search(f"{before} {behind}"):
        return False
    if before.endswith("(") and behind.strip() == ")":
        return _RECORDS.search(before) is not None
    if _TIMES.fullmatch(behind):
        return _RECORD_BEFORE.search(before) is not None
    return not before.strip(" #*[(") and _RECORD_BEHIND.match(behind) is not None


def _is_beside_a_date(rest: str) -> bool:
    return all(_BESIDE_A_DATE.fullmatch(word) for word in _WORD.findall(rest))
