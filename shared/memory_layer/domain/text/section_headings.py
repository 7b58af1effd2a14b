"""Headings over lines of files on a page: where neighbouring lines are of one section, the page says of which."""

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Final

from memory_layer.domain.memory import Memory
from memory_layer.domain.release_headings import HEADINGS_JOINED_BY, version_in_context
from memory_layer.domain.text.heading_places import places_of
from memory_layer.domain.text.line_order import GAP, line_order, vouched_place

LEVELS_TOLD: Final = 2
"""Innermost headings that name a section: `Restore > On Windows`."""

HEADING_MAX_CHARS: Final = 100

ELSEWHERE: Final = "elsewhere"
"""What stands above the first line behind a section that is none of its own."""

LEFT_OUT: Final = "\u2026"
"""What stands between two neighbouring lines of a section between which its file has others."""

FEWEST_LINES: Final = 2
"""Neighbouring lines of one section from which on it is named: one line alone is no procedure."""


def section_of(memory: Memory) -> tuple[str, str] | None:
    """File and headings of a line of a file, where somebody vouches for these: others could name any.

    Returns:
        None where it has none, and for news of a release, of which pages tell the version.
    """
    place = vouched_place(memory)
    if place is None:
        return None
    headings = places_of(memory.context)[0]
    return (place[0], headings) if headings and version_in_context(headings) is None else None


def has_lines_between(before: int | None, number: int | None) -> bool:
    """Tests if a file has lines between two of these numbers: an import numbers neighbours `GAP` apart at most."""
    return before is not None and number is not None and number - before > GAP


def headings_told(
    sections: Sequence[tuple[str, str] | None], numbers: Sequence[int | None] = ()
) -> list[str]:
    """What a page says above each line, in their order; empty: nothing.

    A section with neighbouring lines is named above each run of its lines, and so is that of the line behind one; what
    follows then is said to stand elsewhere. Within a run it says where lines of the file are left out.

    Args:
        numbers: of the lines in their files; none: what is left out is not told.
    """
    runs = [(section, len(list(run))) for section, run in groupby(sections)]
    named = {section for section, lines in runs if section is not None and lines >= FEWEST_LINES}
    told, before, is_open = list[str](), None, False
    for section, lines in runs:
        is_named = section is not None and (section in named or before in named)
        told.append(_name(section[1]) if section is not None and is_named else ELSEWHERE if is_open else "")
        run = numbers[len(told) - 1 :][:lines] if section is not None else ()
        told += [LEFT_OUT if has_lines_between(*pair) else "" for pair in pairwise(run)] or [""] * (lines - 1)
        before, is_open = section, is_named
    return told


def _name(headings: str) -> str:
    return f"under {HEADINGS_JOINED_BY.join(headings.split(HEADINGS_JOINED_BY)[-LEVELS_TOLD:])[:HEADING_MAX_CHARS]}"


def lines_left_out(memories: Sequence[Memory]) -> frozenset[int]:
    """Places of memories before which their file has lines of the section that the list leaves out."""
    sections = [section_of(memory) for memory in memories]
    return frozenset(
        at
        for at, (one, other) in enumerate(pairwise(memories), 1)
        if sections[at] is not None and sections[at - 1] == sections[at]
        if has_lines_between(line_order(one), line_order(other))
    )
