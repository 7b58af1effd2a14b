"""Steps of a procedure that a question asks for: among the hits they stand in the order of their file."""

import re
from collections.abc import Sequence
from typing import Final

from memory_layer.domain.memory import Memory
from memory_layer.domain.text.analyzer import analyze
from memory_layer.domain.text.heading_places import places_of
from memory_layer.domain.text.line_order import vouched_place

_ASKS_HOW: Final = re.compile(
    r"\bhow (?:do|does|can|could|should|would|to|is|are)\b|\bwhat (?:do|should) (?:i|we) do\b"
    r"|\b(?:steps|procedure|process|instructions) (?:are|is|to|for|of|in)\b"
    r"|\b(?:what|which) (?:are|is) the (?:steps|procedure|process|instructions)\b"
    r"|\bwhere (?:do|should) (?:i|we) (?:start|begin)\b|\bwie (?!viel|lang|oft|hoch|gro(?:ß|ss)|hei(?:ß|ss)t)\w"
    r"|\b(?:schritte|ablauf|anleitung)\b",
    re.IGNORECASE,
)
ASKING_TERMS: Final = frozenset(
    analyze("how do does can could should would I we what which are the steps step process start")
)
"""Terms by which a question asks for a procedure, and not of what."""

FEWEST_TERMS: Final = 2
"""Terms of the question that the headings of a section say at least where it is asked for."""


def asks_how(question: str) -> bool:
    """Tests for a question that asks how something is done."""
    return _ASKS_HOW.search(question) is not None


def in_step_order(question: str, memories: Sequence[Memory]) -> list[int]:
    """Order of memories in which the lines of the section that is asked for have changed places.

    It is asked for where the first memory says nothing of the question that the headings over it do not say: a step
    that is asked for by its own words stays first.

    Args:
        question: that asks how something is done.
        memories: hits, the best first.

    Returns:
        Places, in their new order; all others keep theirs.
    """
    order = list(range(len(memories)))
    places = asked_section(question, memories)
    for here, step in zip(places, sorted(places, key=places.__getitem__), strict=True):
        order[here] = step
    return order


def asked_section(question: str, memories: Sequence[Memory]) -> dict[int, tuple[str, int]]:
    """Places in their file of the hits of the section that is asked for as a whole, the first one's; empty: none is."""
    first = memories[0] if memories else None
    if first is None or vouched_place(first) is None or not _is_asked_for_as_a_whole(question, first):
        return {}
    return {at: place for at, memory in enumerate(memories) if (place := _place_beside(first, memory))}


def _place_beside(first: Memory, memory: Memory) -> tuple[str, int] | None:
    """Place of a memory in the section of the first one; None: it stands elsewhere."""
    place, section = vouched_place(memory), vouched_place(first)
    is_beside = place is not None and section is not None and place[0] == section[0]
    return place if is_beside and _section_of(memory) == _section_of(first) else None


def _section_of(memory: Memory) -> str:
    return places_of(memory.context)[0]


def _is_asked_for_as_a_whole(question: str, first: Memory) -> bool:
    asked, headings = frozenset(analyze(question)) - ASKING_TERMS, frozenset(analyze(_section_of(first)))
    own = asked.intersection(analyze(first.content))
    return own <= headings and len(asked & headings) >= FEWEST_TERMS
