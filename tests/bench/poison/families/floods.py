"""Floods: sixty lines of one agent on one topic, which crowd out what people said; a store each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.bench.poison.families.lines import said, shuffled
from tests.bench.poison.stage import Act, lines_of
from tests.bench.poison.targets import Target

LINES: Final = 60


def _flood(target: Target) -> list[str]:
    return [said(f"{shuffled(target.words, at)}, case {at}: {target.lie(at)}") for at in range(LINES)]


FAMILIES: Final[Mapping[str, Act]] = {"sixty lines": lines_of(_flood)}
ONE_BY_ONE: Final = True
