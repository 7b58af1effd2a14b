"""News that several releases of one changelog tell in the same words, of which the newest release's is the latest.

`Update dependencies` stands under many releases, `Requires Go 1.22` under one, `Requires Go 1.23` under a later.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from memory_layer.domain.attribution import edition_of, has_vouched_labels
from memory_layer.domain.memory import Memory
from memory_layer.domain.text.analyzer import terms_among, words_in
from memory_layer.domain.text.opposites import word_set

_REFERENCE: Final = re.compile(
    r"\([^()]*(?:[#!@]|GH-)\w[^()]*(?:\([^()]*\)[^()]*)*\)|\(?\bhttps?://[^\s)]+\)?|[#!]\d+|\b(?:GH|PR)-?\d+\b"
    r"|\bby @?\[?[\w-]+\]?$",
    re.IGNORECASE,
)
"""Issues, authors and addresses of a line, which differ from release to release."""

_NUMBERED: Final = re.compile(r"\d\.\d")
_DIGIT: Final = re.compile(r"\d")

FEWEST_TERMS: Final = 2
TERMS_OF_A_SENTENCE: Final = 4
"""Terms from which on equal lines are about the same, and lines whose first sentences are equal."""

NEWS_CHARS: Final = 500
"""Characters of a line that are read: its news stands at its beginning."""

_END_OF_SENTENCE: Final = re.compile(r"(?<=[.!?])\s")
_END_OF_CLAUSE: Final = re.compile(r"[,;.!?]\s")

_ASKS_OF_THE_PAST: Final = word_set(
    "first since when originally initially earliest oldest before previously history used formerly ago"
    " zuerst seit wann ursprünglich früher vorher damals anfangs erstmals"
)
"""Words by which a question may ask of an earlier release."""


@dataclass(frozen=True, slots=True)
class _News:
    """Line of a release. Args: place: among the hits; version: that orders it."""

    place: int
    version: tuple[tuple[int, ...], bool]


def are_of_releases(memories: Collection[Memory]) -> bool:
    """Tells if two of some memories are lines of releases; most contexts have no number of a version."""
    if len(_NUMBERED.findall("\n".join(filter(None, (memory.context for memory in memories))))) < 2:
        return False
    return sum(edition_of(memory) is not None for memory in memories) > 1


def asks_of_the_past(question: str) -> bool:
    """Tests for a question that names a version or another number, or may ask of an earlier release."""
    return bool(_DIGIT.search(question)) or not _ASKS_OF_THE_PAST.isdisjoint(question.casefold().split())


def newest_first(memories: Sequence[Memory]) -> list[int]:
    """Order of memories in which those that tell the same of several releases have changed places, the newest first.

    An agent's line, whose words alone a reviewer approved, keeps its place: its headings could name any release.

    Returns:
        Places, in their new order; all others keep theirs.
    """
    told: dict[tuple[str, frozenset[str]], list[_News]] = defaultdict(list)
    for place, memory in enumerate(memories):
        version = edition_of(memory) if has_vouched_labels(memory) else None
        terms = _terms(memory.content) if version else frozenset()
        if version and len(terms) >= FEWEST_TERMS:
            told[_changelog_of(memory, version), terms].append(_News(place, _order_of(version)))
    order = list(range(len(memories)))
    for same in told.values():
        newest = sorted(same, key=lambda news: news.version, reverse=True)
        for here, news in zip(same, newest, strict=True):
            order[here.place] = news.place
    return order


def _terms(content: str) -> frozenset[str]:
    """Terms that tell what a line is news of, without references and numbers.

    Those of its first clause where that gives a number (`Bump MSRV to 1.88, update …`), else of its first sentence,
    and of all of it where these say little.
    """
    news = _REFERENCE.sub(" ", content[:NEWS_CHARS])
    clause, sentence = (end.split(news, maxsplit=1)[0] for end in (_END_OF_CLAUSE, _END_OF_SENTENCE))
    of_clause = _terms_without_numbers(clause) if _DIGIT.search(clause) else frozenset()
    if len(of_clause) >= FEWEST_TERMS:
        return of_clause
    of_sentence = _terms_without_numbers(sentence)
    return of_sentence if len(of_sentence) >= TERMS_OF_A_SENTENCE else _terms_without_numbers(news)


def _terms_without_numbers(text: str) -> frozenset[str]:
    return terms_among(word for word in words_in(text) if not _DIGIT.search(word))


def _changelog_of(memory: Memory, version: str) -> str:
    """Project, file and headings that a line shares with other releases of its changelog, and with no other one."""
    above = (memory.context or "").partition(version)[0]
    return "\n".join(chain((memory.project, _DIGIT.sub("", above)), sorted(memory.tags)))


def _order_of(version: str) -> tuple[tuple[int, ...], bool]:
    """Version as it is ordered: by its numbers, and before its release by whatever stage behind the others."""
    numbers = re.match(r"[\d.]+", version)
    bare = numbers[0].strip(".") if numbers else ""
    return tuple(map(int, filter(None, bare.split(".")))), len(bare) == len(version)
