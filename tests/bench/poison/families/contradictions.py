"""Contradictions: lines that say otherwise, and then the sweeps that judge and unite what is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tests.bench.poison.families.lines import other_number
from tests.bench.poison.stage import HOSTILE, Act, Hostile, Stage
from tests.bench.poison.targets import Target


def _swept(line: Callable[[Target], str]) -> Act:
    """Attack by lines that go through the gates of writing, and by the sweeps after them."""

    def act(stage: Stage, targets: Sequence[Target]) -> Hostile:
        hostile = {one.number: stage.written(HOSTILE, {"content": line(one)}) for one in targets}
        stage.swept("reconcile", "consolidate", "decay")
        return hostile

    return act


FAMILIES: Final[Mapping[str, Act]] = {
    "other numbers": _swept(other_number),
    "corrected": _swept(lambda target: f"Correction of {target.first_sentence} In truth {target.lie()}."),
    "no longer": _swept(
        lambda target: f"It is no longer true that {target.first_sentence} Now {target.lie()}."
    ),
}
