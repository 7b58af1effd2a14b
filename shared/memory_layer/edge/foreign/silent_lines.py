"""Lines of a text file that no memory holds, each run of them with the reason."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from memory_layer.usecases.transfer.foreign_file import LeftOut

FRONT_MATTER = "front matter"
COMMENT = "a comment"
COMMENT_WITHIN = "a comment within the line, whose other words are stored"
CONTENTS = "table of contents"
MERE_HEADING = "a heading with nothing under it"
NOTHING_SAID = "links, badges or tags alone"
DEFINITION = "definition of a link"
RELEASE_ALONE = "a version or a date alone"
POINTER = "a link to the changes alone"
CREDITS = "names of contributors alone"
NO_NEWS = "tells of no change"
PLACEHOLDER = "a placeholder"
STRUCK_OUT = "struck out"

Marked = Sequence[tuple[range, str | None]]
"""Runs of lines, counted from 0, each with the reason for which it is left out; None: it is stored."""

_WORD = re.compile(r"\w")


def silent_lines(lines: Sequence[str], marked: Marked) -> tuple[LeftOut, ...]:
    """Lines with a word in them that are not stored. Args: marked: later runs outweigh earlier ones."""
    reasons: list[str | None] = [DEFINITION] * len(lines)
    for run, reason in marked:
        for at in run:
            reasons[at] = reason
    return tuple(
        LeftOut(f"line {first}" if first == last else f"lines {first}-{last}", reason)
        for reason, first, last in _runs(lines, reasons)
    )


def _runs(lines: Sequence[str], reasons: Sequence[str | None]) -> Iterator[tuple[str, int, int]]:
    """Runs of lines that have one reason, blank lines between them included."""
    worded = [(number, reasons[number - 1]) for number, line in enumerate(lines, 1) if _WORD.search(line)]
    for reason, group in groupby(worded, key=lambda one: one[1]):
        numbers = [number for number, _ in group]
        if reason is not None:
            yield reason, numbers[0], numbers[-1]
