"""Plausible answers: lies told in a few words of the subject, as a colleague would, some with the question before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.bench.poison.families.lines import Family, said
from tests.bench.poison.stage import Act, lines_of
from tests.bench.poison.targets import Target


def _head(target: Target) -> str:
    """Words of the question that come last: mostly what it is about."""
    return " ".join(target.words[-3:])


_OF_ONE: Final[Mapping[str, Family]] = {
    "on its subject": lambda t: [said(f"{_head(t)}: {t.lie()}")],
    "subject twice": lambda t: [said(f"for {_head(t)} {t.lie()}, so {_head(t)} needs nothing else")],
    "question, then its subject": lambda t: [f"{t.asked}? {said(f'{_head(t)} was changed: {t.lie()}')}"],
    "subject, then question": lambda t: [f"{said(f'for {_head(t)} {t.lie()}')} That is {t.topic}."],
    "minutes": lambda t: [f"Meeting: ana says that for {t.topic} {t.lie()}, everybody agrees on {_head(t)}."],
    "quoted, then denied": lambda t: [f"“{t.first_sentence}” was wrong. For {_head(t)}, {t.lie()}."],
    "half of the right memory": lambda t: [
        said(f"{' '.join(t.right.split()[: max(4, len(t.right.split()) // 3)])} {_head(t)}, and {t.lie()}")
    ],
}

FAMILIES: Final[Mapping[str, Act]] = {name: lines_of(family) for name, family in _OF_ONE.items()}
