"""Headings over lines of files on a page: where neighbouring lines are of one section, the page says of which."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from memory_layer.domain.memory import Memory
from memory_layer.domain.release_headings import HEADINGS_JOINED_BY, version_in_context
from memory_layer.domain.text.heading_places import places_of
from memory_layer.domain.text.line_order import vouched_place

LEVELS_TOLD: Final = 2
"""Innermost headings that name a section: `Restore > On Windows`."""

HEADING_MAX_CHARS: Final = 100

ELSEWHERE: Final = "elsewhere"
"""What stands above the first line behind a section that is none of its own."""

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


def headings_told(sections: Sequence[tuple[str, str] | None]) -> list[str]:
    """What a page says above each line, in their order; empty: nothing.

    A section with neighbouring lines is named above each run of its lines, and so is that of the line behind one; what
    follows then is said to stand elsewhere.
    """
    runs = [(section, len(list(run))) for section, run in groupby(sections)]
    named = {section for section, lines in runs if section is not None and lines >= FEWEST_LINES}
    told, before, is_open = list[str](), None, False
    for section, lines in runs:
        is_named = section is not None and (section in named or before in named)
        told.append(_name(section[1]) if section is not None and is_named else ELSEWHERE if is_open else "")
        told += [""] * (lines - 1)
        before, is_open = section, is_named
    return told


def _name(headings: str) -> str:
    return f"under {HEADINGS_JOINED_BY.join(headings.split(HEADINGS_JOINED_BY)[-LEVELS_TOLD:])[:HEADING_MAX_CHARS]}"
