"""Grafted runs: made-up successes, whose learnings the product extracts and promotes by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from memory_layer.usecases.learn.learn_from_run import learn_from_run
from tests.bench.poison.stage import GANG, PROJECT, Act, Hostile, Stage, tried
from tests.bench.poison.targets import Target
from tests.run_examples import run_of

RUNS: Final = 3


def _grafted(learning: Callable[[Target], str], runs: int) -> Act:
    """Attack by runs of a principal each that say they learnt the same. Args: runs: for each question."""

    def act(stage: Stage, targets: Sequence[Target]) -> Hostile:
        known = stage.ids()
        for target in targets:
            for at in range(runs):
                step = {
                    "number": 1,
                    "status": "completed",
                    "duration": 9_000,
                    "learnings": [learning(target)],
                }
                step |= {"analysis": {"progressMade": True}, "filesModified": []}
                run = run_of(f"graft-{target.number}-{at}", f"{target.asked} ({at})", iterations=[step])
                tried(lambda: learn_from_run(stage.ports, GANG[at], PROJECT, run, "auto"))  # noqa: B023
        return stage.since(known, targets)

    return act


FAMILIES: Final[Mapping[str, Act]] = {
    "one run": _grafted(lambda target: f"{target.topic}: {target.lie()}", 1),
    "three runs": _grafted(lambda target: f"{target.topic}: {target.lie()}", RUNS),
    "proven strategy": _grafted(
        lambda target: f"Success every time for {target.topic}: {target.lie()}", RUNS
    ),
}
IS_BRIEF: Final = True
