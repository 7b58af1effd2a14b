"""Repetition of a question in a text: verbatim, or most of its terms in one span, which can be cut out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Final, TypeGuard

from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text.analyzer import (
    analyze,
    distinct_terms,
    folded,
    is_run_of_characters,
    terms_of,
    words_in,
)

FEWEST_WORDS: Final = 4
"""Words, or terms, from which on a question can be repeated in part: fewer stand in any text on the subject."""

FEWEST_TERMS: Final = 3
"""Terms from which on a span of a text may hold the question, though it says little else (ADR-0028)."""

REPEATED_SHARE: Final = 0.9
"""Share of the question's words, in their order, that is a repetition (ADR-0028)."""

SPAN_SHARE: Final = 0.8
"""Share of the question's terms, in any order, that makes a span of a text a question (ADR-0028)."""

QUOTED_SHARE: Final = 0.4
FEWEST_QUOTED: Final = 3
"""Share of the question's words that are a quotation where they stand side by side, and the fewest (ADR-0028)."""

FEWEST_OF_REST: Final = 4
"""Words from which on the rest of a line says something by itself; a brief answer lies between the question's terms."""

_ROOM: Final = 1.5
_SPARE_WORDS: Final = 2
"""Room in which they stand, as a multiple of the question's length, and words more: far apart they are no question."""

_SPARE_SPAN_WORDS: Final = 8
"""Words more that a span has room for: terms leave out the small words between them."""

_WORD = re.compile(r"\w+")
_ASCII_WORDS: Final = bytes(
    ord(chr(at).lower()) if _WORD.fullmatch(chr(at)) else 32 for at in range(128)
).ljust(256)
"""Each byte of a text in ASCII as its words have it, or a blank."""

_TOKEN = re.compile(r"\S+")


TEXTS_KEPT: Final = 1_024
"""Texts whose words are kept: what is shown once is shown again."""


@kept_by_text(TEXTS_KEPT)
def words_of(text: str) -> tuple[str, ...]:
    """Words of a text as they are compared: folded, without punctuation."""
    if text.isascii():  # in a third of the time
        return tuple(text.encode().translate(_ASCII_WORDS).decode().split())
    return tuple(_WORD.findall(folded(text).casefold()))


@dataclass(frozen=True)
class AskedQuestion:
    """Question that texts may repeat. Args: text: as it was asked."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        return words_of(self.text)

    @cached_property
    def _distinct(self) -> frozenset[str]:
        return frozenset(self.words)

    @cached_property
    def _quotations(self) -> frozenset[tuple[str, ...]]:
        """Runs of words of which one is a quotation."""
        if len(self.words) < FEWEST_WORDS:
            return frozenset()
        return frozenset(_runs(self.words, max(FEWEST_QUOTED, ceil(QUOTED_SHARE * len(self.words)))))

    @cached_property
    def _fewest_quoted(self) -> frozenset[str]:
        """Words of the quotation that repeats itself most: a text with fewer of the question's holds none."""
        return min((frozenset(words) for words in self._quotations), key=len, default=frozenset())

    @cached_property
    def terms(self) -> frozenset[str]:
        return distinct_terms(self.text)

    @cached_property
    def named(self) -> frozenset[tuple[str, ...]]:
        """Words that have terms, each by these: a compound counts once, as it is one name."""
        return frozenset(filter(None, map(terms_of, words_in(self.text))))

    @property
    def has_parts(self) -> bool:
        """True: it is long enough for a text that holds its terms to be a part of it; of a brief one all texts do."""
        return len(self.terms) >= FEWEST_WORDS

    def is_repeated_in(self, text: str) -> bool:
        """Tests if a text holds nearly all words of the question, in their order and close together."""
        asked, needed = self.words, ceil(REPEATED_SHARE * len(self.words))
        if len(asked) < FEWEST_WORDS:
            return False
        said = words_of(text)
        if len(self._distinct.intersection(said)) < len(self._distinct) - (len(asked) - needed):
            return False
        room = int(_ROOM * len(asked)) + _SPARE_WORDS
        firsts = set(asked[: len(asked) - needed + 1])
        starts = (at for at, word in enumerate(said) if word in firsts)
        return any(longest_common(asked, said[at : at + room]) >= needed for at in starts)

    def is_quoted_in(self, text: str) -> bool:
        """Tests if a text holds a good part of the question word for word."""
        length = max(map(len, self._quotations), default=0)
        if not length or len(self._distinct.intersection(words_of(text))) < len(self._fewest_quoted):
            return False
        return not self._quotations.isdisjoint(_runs(words_of(text), length))

    def rest_of(self, text: str) -> str | None:
        """What a text says beside the span that holds most terms of the question; None: there is no such span."""
        needed = ceil(SPAN_SHARE * len(self.terms))
        if len(self.terms) < FEWEST_TERMS or len(self.terms & terms_in(text)) < needed:
            return None
        tokens = [
            (found.span(), self.terms.intersection(analyze(found[0]))) for found in _TOKEN.finditer(text)
        ]
        room = int(_ROOM * len(self.terms)) + _SPARE_SPAN_WORDS
        spans = (_span(tokens[at : at + room]) for at, (_, terms) in enumerate(tokens) if terms)
        count, start, end = max(spans, key=lambda span: (span[0], span[1] - span[2]), default=(0, 0, 0))
        return f"{text[:start].strip()} {text[end:].strip()}".strip() if count >= needed else None


@kept_by_text(TEXTS_KEPT)
def terms_in(text: str) -> frozenset[str]:
    """Terms of a text, each once; kept."""
    return distinct_terms(text)


def says_more(rest: str | None) -> TypeGuard[str]:
    """Tells if there is a rest, and it is more than a word or two."""
    return rest is not None and sum(map(_words_in, words_of(rest))) >= FEWEST_OF_REST


def _words_in(word: str) -> int:
    """Number of words in a run without blanks: of Chinese, Japanese and Korean, one for each pair of characters."""
    return len(terms_of(word)) if is_run_of_characters(word) else 1


def _span(tokens: Sequence[tuple[tuple[int, int], frozenset[str]]]) -> tuple[int, int, int]:
    """Number of different terms in a run of tokens, and where the text from the first to the last new one lies."""
    (start, end), met = tokens[0][0], tokens[0][1]
    for (_, stop), terms in tokens:
        if not terms <= met:
            met, end = met | terms, stop
    return len(met), start, end


def _runs(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return zip(*(words[at:] for at in range(length)), strict=False)


def longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest run of words that two texts have in one order, others between them or not."""
    row = [0] * (len(other) + 1)
    for word in one:
        before = 0
        for at, said in enumerate(other, start=1):
            above = row[at]
            row[at] = before + 1 if word == said else max(above, row[at - 1])
            before = above
    return row[-1]
