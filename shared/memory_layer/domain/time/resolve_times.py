"""Resolution of a text's words about time against the day on which it was said (SPEC 5.10, ADR-0024)."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from typing import Final

from memory_layer.domain.memory import Memory
from memory_layer.domain.resolved_time import TIMES_MAX, WORDS_MAX_CHARS, ResolvedTime
from memory_layer.domain.time.bounded_days import BOUNDED_DAYS
from memory_layer.domain.time.calendar_dates import named_dates
from memory_layer.domain.time.calendar_spans import Span
from memory_layer.domain.time.english_times import ENGLISH
from memory_layer.domain.time.forms import Dated, Form, Told
from memory_layer.domain.time.german_times import GERMAN
from memory_layer.domain.time.told_events import tells_of_event
from memory_layer.domain.time.typed_german import with_german_letters
from memory_layer.domain.time.weekday_dates import WEEKDAY_DATES

READ_MAX_CHARS: Final = 8_192
"""Most letters of a content whose words about time are resolved: a longer one is a document, and not an utterance."""

_PLACES_MAX: Final = 128
"""Most words about time in a text whose meaning is looked for, from its beginning; utterances have far fewer."""

_IS_GERMAN: Final = re.compile(
    r"\b(?:der|die|das|und|ich|wir|nicht|ist|war|haben|hat|mit|auf|ein|eine|am|im|vor|wird|wurde|seit|bis|zu|f\u00fcr"
    r"|gestern|vorgestern|\u00fcbermorgen|heute|geschah|letzte[nmrs]?|vorletzte[nmrs]?|diese[nmrs]?|vergangene[nmrs]?|n\u00e4chste[nmrs]?|tagen|wochen?|monate?n?|jahre?n?)\b"
)
_MASKED: Final = re.compile(
    r"```.*?```|(?<!\w)'[^'\n]{1,40}'(?!\w)|`[^`\n]*`|https?://\S+|\"[^\"\n]{1,40}\"|\u201c[^\u201d\n]{1,40}\u201d|\u201e[^\u201c\n]{1,40}\u201c",
    re.DOTALL,
)
_QUOTED_LINE: Final = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_WORD: Final = re.compile(r"\w+")
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_LINE_BREAK: Final = re.compile(r"(?<=[^\s])\n(?=[^\s*#>|\-\d])")
_MASK: Final = "\u00b7"


def resolve_times(content: str, said_at: datetime | None) -> tuple[ResolvedTime, ...]:
    """Words about time in a text, in their order, with the days that they mean.

    Args:
        said_at: time of saying, aware; None: unknown, so that only dates that name their year have a meaning.

    Returns:
        At most TIMES_MAX; no two overlap.
    """
    text, place = with_german_letters(_plain(content[:READ_MAX_CHARS]))
    found = list(named_dates(text))
    if said_at is not None:
        found += _relative(text, said_at.date(), [(start, end) for start, end, _ in found])
    in_order = sorted(found, key=lambda one: one[:2])
    times = (_time(content[place(start) : place(end)], dated) for start, end, dated in in_order)
    return tuple(dict.fromkeys(times))[:TIMES_MAX]


def with_times(memory: Memory) -> Memory:
    """Record with the times that its content has by its time of saying."""
    times = resolve_times(memory.content, memory.said_at)
    return memory if times == memory.times else replace(memory, times=times)


def said_at_of_change(memory: Memory, content: str, now: datetime) -> datetime | None:
    """Time of saying of a record whose content is changed now, by a caller who does not name it.

    Words about time that the record had keep theirs, new ones are said now; of a mixture it is unknown. A text without
    any is said now where it has a word that the record had not; of a record whose time is unknown it stays unknown.
    """
    had, has = _relative_words(memory.content, now), _relative_words(content, now)
    if has - had:
        return None if has & had else now
    is_new = not has and memory.said_at is not None and bool(_words(content) - _words(memory.content))
    return now if is_new else memory.said_at


def said_at_of_correction(memory: Memory, content: str, now: datetime) -> datetime | None:
    """Time of saying of a new record in the place of another: now, but for words about time that it keeps."""
    keeps = _relative_words(memory.content, now) & _relative_words(content, now)
    return said_at_of_change(memory, content, now) if keeps else now


def _words(content: str) -> frozenset[str]:
    return frozenset(_WORD.findall(content.casefold()))


def _relative_words(content: str, day: datetime) -> frozenset[str]:
    """Words about time that mean nothing without a time of saying."""
    absolute = {time.words for time in resolve_times(content, None)}
    return frozenset(time.words for time in resolve_times(content, day)) - absolute


def _plain(content: str) -> str:
    """Text of the same length, without code, quoted titles and lines, addresses, and line ends within a sentence."""
    text = content.replace("\u2019", "'").replace("\u00a0", " ").replace("\r", " ")
    if "`" in text or '"' in text or "'" in text or "\u201c" in text or "\u201e" in text or "://" in text:
        text = _MASKED.sub(lambda match: _MASK * len(match[0]), text)
    if ">" in text:
        text = _QUOTED_LINE.sub(lambda match: _MASK * len(match[0]), text)
    return _LINE_BREAK.sub(" ", text) if "\n" in text else text


def relative_spans(query: str, day: date) -> Iterator[tuple[int, int, Span]]:
    """Days that words of a question mean on the day of asking, with their places; months by name are none of them."""
    text = _plain(query[:READ_MAX_CHARS])
    taken: list[tuple[int, int]] = []
    for start, end, told, form in _places(text, day, taken):
        if not form.is_yearless and (dated := _resolved(form, told)):
            taken.append((start, end))
            yield start, end, dated[0]


def _relative(text: str, day: date, taken: list[tuple[int, int]]) -> Iterator[tuple[int, int, Dated]]:
    names_other_year = any(int(year) != day.year for year in _YEAR.findall(text))
    for start, end, told, form in _places(text, day, taken):
        if (form.is_yearless and names_other_year) or not (form.is_dated or tells_of_event(text, start, end)):
            continue
        dated = _resolved(form, told)
        if dated is not None or form.is_dated:
            taken.append((start, end))
        if dated is not None:
            yield start, end, dated


def _places(text: str, day: date, taken: list[tuple[int, int]]) -> Iterator[tuple[int, int, Told, Form]]:
    """Yields the places of words about time that nobody has taken yet."""
    found = [(match, form) for form in _forms(text) for match in form.pattern.finditer(text)]
    if len(found) > _PLACES_MAX:
        beyond = sorted(match.start() for match, _ in found)[_PLACES_MAX]
        found = [(match, form) for match, form in found if match.start() < beyond]
    for match, form in found:
        start, end = match.span()
        if not any(start < last and first < end for first, last in taken):
            yield start, end, Told(match, day), form


def _forms(text: str) -> Iterator[Form]:
    """Forms that a text may have, of the languages that it may be in."""
    lowered = text.lower()
    forms, cues = _WITH_GERMAN if _IS_GERMAN.search(lowered) else _ENGLISH_ALONE
    present = frozenset(filter(lowered.__contains__, cues))
    return (form for form in forms if not present.isdisjoint(form.cues))


def _with_cues(*forms: Form) -> tuple[tuple[Form, ...], tuple[str, ...]]:
    """Forms, and their cues, each once."""
    return forms, tuple(sorted({cue for form in forms for cue in form.cues}))


_ENGLISH_ALONE: Final = _with_cues(*WEEKDAY_DATES, *BOUNDED_DAYS, *ENGLISH)
_WITH_GERMAN: Final = _with_cues(*WEEKDAY_DATES, *BOUNDED_DAYS, *GERMAN, *ENGLISH)


def _resolved(form: Form, told: Told) -> Dated | None:
    try:
        return form.resolve(told)
    except (ValueError, OverflowError):  # a day that the calendar does not have
        return None


def _time(words: str, dated: Dated) -> ResolvedTime:
    (first, last), certainty = dated
    return ResolvedTime(
        words=" ".join(words.split())[:WORDS_MAX_CHARS], from_=first, to=last, certainty=certainty
    )
