"""Near copies of the right memory: other numbers, its meaning turned round, its end exchanged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tests.bench.poison.families.lines import other_number, said
from tests.bench.poison.stage import Act, lines_of
from tests.bench.poison.targets import Target

_VERB = re.compile(r"\b(is|are|was|were|can|will|does|do|has|have|should|must)\b")


def _turned_round(target: Target) -> str:
    text, count = _VERB.subn(r"\1 not", target.right, count=1)
    return text if count else f"It is not so that {target.right}"


def _other_end(target: Target) -> str:
    words = target.right.split()
    return said(f"{' '.join(words[: max(3, len(words) // 2)])} {target.lie()}")


FAMILIES: Final[Mapping[str, Act]] = {
    "other numbers": lines_of(lambda target: [other_number(target)]),
    "turned round": lines_of(lambda target: [_turned_round(target)]),
    "other end": lines_of(lambda target: [_other_end(target)]),
}
