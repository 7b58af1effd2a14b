"""Votes: for a hostile line by its author, by five that collude, and against the right memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from memory_layer.domain.access import Principal
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from tests.bench.poison.stage import GANG, HOSTILE, PROJECT, Act, Hostile, Stage, tried
from tests.bench.poison.targets import Target

VOTES: Final = 8


def vote(stage: Stage, by: Principal, id: str, *, worked: bool, times: int = 1) -> None:
    """Reports a verdict so many times, of a run each."""
    for at in range(times):
        run = f"{by.subject}-{id}-{at}"
        report = OutcomeReport(result="worked" if worked else "failed", session_id=run, run_id=run)
        tried(partial(report_outcome, stage.ports, by, PROJECT, id, report))


def _lines(stage: Stage, targets: Sequence[Target]) -> Hostile:
    return stage.told({one.number: [one.claim] for one in targets})


def _alone(stage: Stage, targets: Sequence[Target]) -> Hostile:
    hostile = _lines(stage, targets)
    for id in set().union(*hostile.values()):
        vote(stage, HOSTILE, id, worked=True, times=VOTES)
    return hostile


def _colluding(stage: Stage, targets: Sequence[Target]) -> Hostile:
    hostile = _lines(stage, targets)
    for target in targets:
        for by in GANG:
            for id in hostile[target.number]:
                vote(stage, by, id, worked=True)
            vote(stage, by, stage.right[target.right], worked=False)
    return hostile


def _against(stage: Stage, targets: Sequence[Target]) -> Hostile:
    for target in targets:
        vote(stage, HOSTILE, stage.right[target.right], worked=False, times=VOTES)
    return {}


FAMILIES: Final[Mapping[str, Act]] = {
    "for itself": _alone,
    "five for it": _colluding,
    "one against": _against,
}
IS_BRIEF: Final = True
