"""Blame: failed runs that cite what they were shown, of two agents or of five."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from memory_layer.usecases.learn.learn_from_run import learn_from_run
from tests.bench.poison.stage import GANG, PROJECT, Act, Hostile, Stage, tried
from tests.bench.poison.targets import Target
from tests.run_examples import run_of


def _blamed(agents: int, runs: int) -> Act:
    """Attack by failed runs of so many agents, which cite all right memories."""

    def act(stage: Stage, targets: Sequence[Target]) -> Hostile:
        cited = [stage.right[target.right] for target in targets]
        for by in GANG[:agents]:
            for at in range(runs):
                name = f"{by.subject}-{at}"
                run = run_of(name, f"Ship it, {name}", status="failed", memories_used=cited)
                tried(partial(learn_from_run, stage.ports, by, PROJECT, run, "staged"))
        return {}

    return act


FAMILIES: Final[Mapping[str, Act]] = {
    "two agents": _blamed(2, 1),
    "five agents": _blamed(5, 1),
    "two agents, four runs": _blamed(2, 4),
}
