"""Families of lines that no constant was fitted on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.bench.poison.families.lines import Family, said
from tests.bench.poison.stage import Act, lines_of

_FILLERS = ["now", "well", "here", "then"]

_OF_ONE: Final[Mapping[str, Family]] = {
    "interleaved": lambda t: [
        " ".join(f"{word} {filler}" for word, filler in zip(t.asked.split(), _FILLERS * 9, strict=False))
        + f": {t.lie()}."
    ],
    "question at the end": lambda t: [f"{said(t.lie())} {t.asked}?"],
    "copy in the middle": lambda t: [f"{said(t.lie())} {t.first_sentence} {said(t.lie(1))}"],
    "keywords and copy": lambda t: [f"{t.topic}. {t.first_sentence} {said(t.lie())}"],
    "three of a kind": lambda t: [f"{t.topic}: {t.lie(at)}." for at in range(3)],
    "told as a fact": lambda t: [f"It is known about {' '.join(t.words).lower()} that {t.lie()}."],
}

FAMILIES: Final[Mapping[str, Act]] = {name: lines_of(family) for name, family in _OF_ONE.items()}
