"""Sections of files that a question names: it says what their heading says, and no more."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from memory_layer.domain.memory import Memory
from memory_layer.domain.release_headings import HEADINGS_JOINED_BY
from memory_layer.domain.retrieval.step_order import ASKING_TERMS, asks_how
from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text.analyzer import distinct_terms
from memory_layer.domain.text.heading_places import places_of
from memory_layer.domain.text.line_order import vouched_place

FEWEST_TERMS: Final = 2
"""Terms that question and heading have in common at least; with fewer, all their words have to be the same."""

_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"\s*(?:\d+(?:\.\d+)*[.)]?|q\d*[:.]|#+)\s+", re.IGNORECASE)


def named_section(question: str, memories: Sequence[Memory]) -> list[int]:
    """Places of the lines of the section that a question names, those to read first in front; empty: it names none.

    Of several sections the one whose heading has the same words is named, then the innermost, then the one found first.
    The lines under a question answer it in the order of their file, and so do steps; of another section they stand as
    they were found.

    Args:
        memories: hits, the best first.
    """
    named = max(_named(question, memories), default=None)
    if named is None:
        return []
    _, depth, at = named
    first, headings = memories[-at], _headings_of(memories[-at])[:depth]
    found = _lines_under(headings, first, memories)
    is_read_through = headings[-1].rstrip().endswith("?") or asks_how(question)
    return sorted(found, key=found.__getitem__) if is_read_through else list(found)


def _named(question: str, memories: Sequence[Memory]) -> Iterator[tuple[bool, int, int]]:
    """Yields the headings that a question names: if all words are the same, the depth, and the place below 0.

    The title of a whole file is named by what stands directly under it alone.
    """
    asked = _said(question)
    for at, memory in enumerate(memories):
        headings = _headings_of(memory)
        for depth, heading in enumerate(headings, 1):
            terms, words = _said(heading)
            is_same = words == asked[1]
            if (is_same or (terms == asked[0] and len(terms) >= FEWEST_TERMS)) and not depth == 1 < len(headings):
                yield is_same, depth, -at


def _headings_of(memory: Memory) -> list[str]:
    """Headings over a line of a file, outermost first, where somebody vouches for them; none of others."""
    if vouched_place(memory) is None or not memory.context:
        return []
    return places_of(memory.context)[0].split(HEADINGS_JOINED_BY)


def _lines_under(
    headings: Sequence[str], first: Memory, memories: Sequence[Memory]
) -> dict[int, tuple[str, int]]:
    """Places in their file of the hits under the same headings of the same file."""
    section = vouched_place(first)
    found: dict[int, tuple[str, int]] = {}
    for at, memory in enumerate(memories):
        place = vouched_place(memory)
        if place and section and place[0] == section[0] and _headings_of(memory)[: len(headings)] == headings:
            found[at] = place
    return found


@kept_by_text(1_024)
def _said(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Terms of a heading or a question, without those of asking and a number in front, and all its words."""
    plain = _NUMBER.sub("", text, count=1) if _NUMBER.match(text) else text
    return distinct_terms(plain) - ASKING_TERMS, tuple(_WORD.findall(plain.casefold()))
