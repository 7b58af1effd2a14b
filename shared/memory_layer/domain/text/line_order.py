"""Order of the lines of a file that is followed: each memory has a number, by which steps stand as in their file."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Final

from memory_layer.domain.attribution import has_vouched_labels
from memory_layer.domain.memory import Memory

LINE_ORDER: Final = "line_order"
"""Member of a memory's `detail` with its number: greater than those of the lines before it in its file."""

GAP: Final = 1_000
"""Difference of two numbers at first: a line that an edit inserts finds one between them, and no other changes."""

NUMBER_MAX: Final = 2**53 - 1
"""Greatest number: whoever reads JSON has it exactly. A greater one is nobody's place, whoever wrote it."""

FOLLOWED_SUFFIXES: Final = frozenset({".md", ".markdown", ".mdc", ".mdx", ".txt"})


def is_file(tag: str) -> bool:
    """Tests if a tag is the name of a file that is followed."""
    return PurePath(tag).suffix.lower() in FOLLOWED_SUFFIXES


def ordering_file(memory: Memory) -> str | None:
    """The file among whose lines a memory has its number: the first of those that say it."""
    return next(filter(is_file, memory.tags), None)


def line_order(memory: Memory) -> int | None:
    """Number of a memory among the lines of its file; None: it has none."""
    number = memory.detail.get(LINE_ORDER)
    return number if type(number) is int and 0 < number <= NUMBER_MAX else None


def without_number(detail: Mapping[str, Any]) -> dict[str, Any]:
    """Facts beside the words of a line, which its number is none of."""
    return {name: value for name, value in detail.items() if name != LINE_ORDER}


def unnumbered(memory: Memory) -> Memory:
    """Memory without its number, which is no part of what it says."""
    detail = without_number(memory.detail)
    return memory if len(detail) == len(memory.detail) else replace(memory, detail=detail)


def file_place(memory: Memory) -> tuple[str, int] | None:
    """File and number by which memories of lines are in order; None: the memory is not of a numbered line."""
    number = line_order(memory)
    file = None if number is None else ordering_file(memory)
    return None if file is None or number is None else (file, number)


def vouched_place(memory: Memory) -> tuple[str, int] | None:
    """Place of a line whose labels somebody vouches for."""
    if LINE_ORDER not in memory.detail:  # as of most memories, of which some hundred are looked at for a page
        return None
    return file_place(memory) if has_vouched_labels(memory) else None


def numbered_lines(known: Sequence[int | None]) -> list[int]:
    """Numbers of lines, ascending: as many as can keep the one that they have; all are new where there is no room.

    Args:
        known: number that each line has, in the order of the file; None: none.
    """
    kept = _longest_ascending(known)
    numbers = list[int]()
    for at, upper in [*((at, known[at]) for at in kept), (len(known), None)]:
        lower, missing = numbers[-1] if numbers else 0, at - len(numbers)
        room = (missing + 1) * GAP if upper is None else upper - lower
        if room <= missing:
            return _anew(len(known))
        numbers += [lower + room * place // (missing + 1) for place in range(1, missing + 1)]
        numbers += [] if upper is None else [upper]
    return _anew(len(known)) if numbers and numbers[-1] > NUMBER_MAX else numbers


def _anew(lines: int) -> list[int]:
    return [GAP * place for place in range(1, lines + 1)]


def _longest_ascending(known: Sequence[int | None]) -> list[int]:
    """Places of a longest ascending run of positive numbers, others in between left out."""
    ends, places, before = list[int](), list[int](), dict[int, int | None]()
    for at, number in enumerate(known):
        if number is None or number <= 0:
            continue
        length = bisect_left(ends, number)
        ends[length:] = [number, *ends[length + 1 :]]
        places[length:] = [at, *places[length + 1 :]]
        before[at] = places[length - 1] if length else None
    at_last = places[-1] if places else None
    run = list[int]()
    while at_last is not None:
        run.append(at_last)
        at_last = before[at_last]
    return run[::-1]
