"""Sections of files that a question names: it says what their heading says, or nearly so."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from memory_layer.domain.memory import Memory
from memory_layer.domain.release_headings import HEADINGS_JOINED_BY
from memory_layer.domain.retrieval.step_order import ASKING_TERMS, asks_how
from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text.analyzer import distinct_terms
from memory_layer.domain.text.heading_places import places_of
from memory_layer.domain.text.line_order import vouched_place

COMMON_SHARE: Final = 0.75
"""Share of the terms of question and heading that both say, from which on the heading is named (ADR-0067)."""

FEWEST_COMMON: Final = 2
"""Terms that both say at least."""

_WORD: Final = re.compile(r"\w+")
_LETTER: Final = re.compile(r"[^\W\d]")
_NEGATIONS: Final = frozenset(
    {"no", "not", "never", "without", "t", "nor", "nicht", "kein", "keine", "keinen", "nie", "ohne"}
)
"""Words that turn a heading into its opposite, `t` as `don't` ends."""
_NUMBER: Final = re.compile(r"\s*(?:\d+(?:\.\d+)*[.)]?|q\d*[:.])\s+", re.IGNORECASE)


def named_section(question: str, memories: Sequence[Memory]) -> list[int]:
    """Places of the lines of the section that a question names, those to read first in front; empty: it names none.

    Of several sections the one whose heading has the same words is named, then the one that says most of the same, then
    the innermost, then the one found first. The lines under a question answer it in the order of their file, and so do
    steps; they stand as they were found where one of them says what the question says beside the heading.

    Args:
        memories: hits, the best first.
    """
    named = max(_named(question, memories), default=None)
    if named is None:
        return []
    *_, depth, before = named
    headings = _headings_of(memories[-before])[:depth]
    found = _lines_under(headings, memories[-before], memories)
    beside = _said(question)[0] - _said(headings[-1])[0]
    is_read_through = headings[-1].rstrip().endswith("?") or asks_how(question)
    if not is_read_through or any(beside & distinct_terms(memories[at].content) for at in found):
        return list(found)
    return sorted(found, key=found.__getitem__)


def _named(question: str, memories: Sequence[Memory]) -> Iterator[tuple[bool, float, int, int]]:
    """Yields the headings that a question names: if all words are the same, the share of common terms, the depth, and
    the place of the line below 0.

    The title of a whole file is named by what stands directly under it alone. What differs in a number or a negation is
    not named.
    """
    asked, words, turns = _said(question)
    if not asked or len(words) == 1:
        return
    for at, memory in enumerate(memories):
        headings = _headings_of(memory)
        for depth, heading in enumerate(headings, 1):
            if depth == 1 < len(headings):
                continue
            terms, heading_words, heading_turns = _said(heading)
            if turns != heading_turns:
                continue
            common, share = len(asked & terms), len(asked & terms) / max(1, len(asked | terms))
            if heading_words == words or (share >= COMMON_SHARE and common >= FEWEST_COMMON):
                yield heading_words == words, share, depth, -at


def _headings_of(memory: Memory) -> list[str]:
    """Headings over a line of a file, outermost first, where somebody vouches for them; none of others."""
    if vouched_place(memory) is None or not memory.context:
        return []
    return places_of(memory.context)[0].split(HEADINGS_JOINED_BY)


def _lines_under(
    headings: Sequence[str], first: Memory, memories: Sequence[Memory]
) -> Mapping[int, tuple[str, int]]:
    """Places in their file of the hits under the same headings of the same file."""
    section = vouched_place(first)
    found: dict[int, tuple[str, int]] = {}
    for at, memory in enumerate(memories):
        place = vouched_place(memory)
        if place and section and place[0] == section[0] and _headings_of(memory)[: len(headings)] == headings:
            found[at] = place
    return found


@kept_by_text(1_024)
def _said(text: str) -> tuple[frozenset[str], tuple[str, ...], frozenset[str]]:
    """What a heading or a question says, without a number in front: its terms beside numbers and those of asking, all
    its words, and those by which another text says otherwise: numbers and negations."""
    plain = _NUMBER.sub("", text, count=1) if _NUMBER.match(text) else text
    words = tuple(_WORD.findall(plain.casefold()))
    numbers = frozenset(word for word in words if word.isdigit())
    terms = frozenset(filter(_LETTER.search, distinct_terms(plain) - ASKING_TERMS))
    return terms, words, numbers | _NEGATIONS.intersection(words)
