"""Tokens of a question that name one thing exactly: a version, a flag, an identifier or a code.

A text about another version or flag is near to such a question in meaning and words, and answers it no more than a text
on another matter. What else a text may call the same thing is told in `SpecificToken.is_said_in`. Files and paths are
no such tokens: a task names them as the place of its work.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, Literal

from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text.analyzer import STOP_WORDS

Kind = Literal["version", "name"]

_NUMBERS: Final = r"\d{1,5}(?:\.\d{1,5}){1,3}"
_UNIT: Final = (
    r"(?!\s?(?:%|[kmgtp]i?b\b|[nmµ]?s\b|secs?\b|seconds?\b|min\b|minutes?\b|hours?\b|h\b|days?\b|weeks?\b|months?\b"
    r"|years?\b|times?\b|x\b|[mk]?hz\b|percent\b|bytes?\b|million\b|billion\b|euros?\b|dollars?\b|mm\b|cm\b|km\b"
    r"|sekunden?\b|minuten?\b|stunden?\b|tagen?\b|prozent\b|uhr\b|[ap]\.?m\b))"
)
_DATE: Final = r"\d{1,2}\.\d{1,2}\.(?:19|20)\d\d(?!\d)|(?:19|20)\d\d\.\d\d\.\d\d(?!\d)"
_VERSION: Final = re.compile(
    rf"(?<![\w.$€-])(?<!\bam )(?<!\bvom )(?<!\bzum )(?!{_DATE})v?(?P<numbers>{_NUMBERS})"
    r"(?P<pre>[-.]?(?:alpha|beta|rc|a|b|pre|dev|canary|next)[-.]?\d*(?:\.\d+)*)?"
    rf"(?![\w]|[.,]\d){_UNIT}",
    re.IGNORECASE,
)
_FLAG: Final = r"(?<![\w-])--[a-z][\w-]*\w"
_SNAKE: Final = r"(?<![\w./-])[A-Za-z]\w*[a-zA-Z0-9]_[A-Za-z0-9]\w*(?![\w/]|\.\w)"
_CAMEL: Final = r"(?<![\w./-])[a-z]{2,}(?:[A-Z][a-z0-9]+)+(?![\w/]|\.\w)"
_ERROR: Final = r"(?<![\w.-])[A-Z][A-Za-z0-9]+(?:Error|Exception|Warning)(?!\w)"
_CODE: Final = r"(?<![\w.-])[A-Z]{1,6}-?\d{3,6}(?![\w]|[.-]\w)"
_TYPE: Final = r"(?<![\w.-])(?:[A-Z][a-z0-9]+){3,}(?!\w)"
_NAME: Final = re.compile("|".join((_FLAG, _SNAKE, _CAMEL, _ERROR, _TYPE, _CODE)))
_NUMBERED: Final = re.compile(
    r"\b(?:errors?|code|status|exit|http|issue|bug|ticket|pull request|pr|rfc|pep|port|rule|fehler)(?:code)?"
    r"(?: code| number| nr\.?)?\s?[#:]?\s?(?P<number>\d{3,6})(?![\w]|[.,]\d)" + _UNIT,
    re.IGNORECASE,
)
_MAY_BE_SPECIFIC: Final = re.compile(r"\d|_|--|[a-z0-9][A-Z]|\.\w")
"""Sign without which a question has no such token: most have none, and are looked at no further."""

_WORDS: Final = re.compile(r"[^\W_]+")

_RANGE_BEFORE: Final = re.compile(
    r"(?P<least>>=?|≥|\b(?:since|from|after|later than|newer than|at least|minimum|requires?|needs|seit|ab"
    r"|mindestens)\b)|(?P<most><=?|≤|\b(?:before|until|up to|below|older than|prior to|earlier than|bis|vor)\b)",
    re.IGNORECASE,
)
_RANGE_AFTER: Final = re.compile(
    r"\s?(?P<plus>\+)|,? (?:or|and|oder|und) (?P<later>later|newer|above|higher|up|greater|neuer|höher)"
    r"|,? (?:or|and|oder|und) (?P<older>earlier|older|below|lower|älter|früher)",
    re.IGNORECASE,
)
_BEFORE_CHARS, _AFTER_CHARS = 40, 14
_NO_THINGS: Final = STOP_WORDS | frozenset(
    {"since", "version", "release", "v", "via", "im", "mit", "von", "der", "die", "seit", "ab", "bis", "vor"}
)
"""Words before a version that it is no version of."""
_LAST_WORD: Final = re.compile(r"([^\W\d_][\w.]*)[^\w]*$")


@dataclass(frozen=True, slots=True)
class ComparedText:
    """Text with its words in small letters, and with these without anything between them."""

    text: str
    words: tuple[str, ...]
    run: str

    def has_run(self, name: str) -> bool:
        """Tests if some words that follow each other make up a name of small letters and digits."""
        return name in self.run and any(
            _makes_up(name, self.words[place:])
            for place, word in enumerate(self.words)
            if name.startswith(word)
        )


def compared_text(text: str) -> ComparedText:
    """Splits a text for `SpecificToken.is_said_in`."""
    words = tuple(_WORDS.findall(text.casefold()))
    return ComparedText(text, words, "".join(words))


@dataclass(frozen=True, slots=True)
class SpecificToken:
    """Token that names one thing exactly.

    Args:
        text: as it was asked.
        kind: `version`, or `name` for flags, identifiers and codes.
        numbers: of a version, as many as it has.
        stage: of a version before its release (`beta.2`); empty: it is released.
        of: the word before a version, in small letters (`python`); empty: there is none.
    """

    text: str
    kind: Kind
    numbers: tuple[int, ...] = ()
    stage: str = ""
    of: str = ""

    def is_said_in(self, text: ComparedText) -> bool:
        """Tests if a text names the same.

        A version is also named by a longer or a shorter form of it (2.4, 2.4.0), and by a range of the same thing that
        holds it (`Python 3.8 or later`); a name by its words in any case and with any sign between them.
        """
        if self.kind == "version":
            return any(self._is_within(found, text.text) for found in _VERSION.finditer(text.text))
        words = _WORDS.findall(self.text.casefold())
        if len(words) == 1 and self.text.startswith("-"):  # `parallel` is a word, and no flag
            return re.search(rf"[-`]{re.escape(words[0])}(?![\w-])", text.text, re.IGNORECASE) is not None
        return text.has_run("".join(words))

    @property
    def bare(self) -> str:
        """Version without a `v` before it."""
        return self.text.lstrip("vV")

    def _is_within(self, found: re.Match[str], text: str) -> bool:
        other = _numbers(found)
        if _is_part_of(self.numbers, other) and _stage(found).startswith(self.stage):
            return True
        before = text[max(0, found.start() - _BEFORE_CHARS) : found.start()]
        if not self.of or self.of not in before.casefold():
            return False
        mark = next(reversed([*_RANGE_BEFORE.finditer(before)]), None)
        behind = _RANGE_AFTER.match(text, found.end(), found.end() + _AFTER_CHARS)
        is_least = (mark is not None and mark["least"]) or (behind is not None and not behind["older"])
        is_most = (mark is not None and mark["most"]) or (behind is not None and behind["older"])
        return bool((is_least and other <= self.numbers) or (is_most and self.numbers <= other))


def is_version(token: SpecificToken) -> bool:
    """Tests for a version."""
    return token.kind == "version"


@kept_by_text(64)
def specific_tokens(question: str) -> tuple[SpecificToken, ...]:
    """Tokens of a question that name one thing exactly, in its order, each once."""
    if _MAY_BE_SPECIFIC.search(question) is None:
        return ()
    found = [(match.start(), SpecificToken(match[0], "name")) for match in _NAME.finditer(question)]
    found += [
        (match.start("number"), SpecificToken(match["number"], "name"))
        for match in _NUMBERED.finditer(question)
    ]
    taken = [(start, start + len(token.text)) for start, token in found]
    found += [
        (match.start(), _version(match, question))
        for match in _VERSION.finditer(question)
        if not any(start < match.end() and match.start() < end for start, end in taken)
    ]
    return tuple(dict.fromkeys(token for _, token in sorted(found, key=itemgetter(0))))


def _version(found: re.Match[str], question: str) -> SpecificToken:
    before = _LAST_WORD.search(question[max(0, found.start() - _BEFORE_CHARS) : found.start()])
    of = before[1].casefold() if before else ""
    return SpecificToken(found[0], "version", _numbers(found), _stage(found), "" if of in _NO_THINGS else of)


def _stage(found: re.Match[str]) -> str:
    return (found["pre"] or "").lstrip("-.").casefold()


def _numbers(found: re.Match[str]) -> tuple[int, ...]:
    return tuple(map(int, found["numbers"].split(".")))


def _is_part_of(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Tests if one version is the other, or a longer or shorter form of it."""
    return all(a == b for a, b in zip(one, other, strict=False))


def _makes_up(name: str, words: Sequence[str]) -> bool:
    """Tests if the first of some words make up a name."""
    left = name
    for word in words:
        if not left.startswith(word):
            return False
        left = left[len(word) :]
        if not left:
            return True
    return False
