"""Found wrong: an agent that lies again after people, or two others, found lies of it wrong; and two who find so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from memory_layer.domain.access import Principal
from memory_layer.domain.memory import OutcomeResult
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.review.approve import reject_memory
from memory_layer.usecases.review.author_standing import list_authors, reset_author
from tests.bench.poison.families.lines import said, shuffled
from tests.bench.poison.families.votes import vote
from tests.bench.poison.stage import ADMIN, GANG, PROJECT, Act, Hostile, Stage, tried
from tests.bench.poison.targets import LIES, Target

OTHERS: Final = (Principal("bench", "agent-wren"), Principal("bench", "agent-tern"))
"""Two agents that HOSTILE has nothing to do with."""

_SAID: Final[tuple[tuple[Principal, OutcomeResult], ...]] = (
    (ADMIN, "failed"),
    (Principal("bench", "eve", email="eve@example.com"), "worked"),
)

SUBJECTS: Final = ("the mail relay", "the print queue", "the badge reader", "the parking garage")
A_DAY: Final = 10
"""Verdicts of one principal before an hour goes by."""

Judge = Callable[[Stage, Sequence[str]], None]


def _unjudged(stage: Stage, ids: Sequence[str]) -> None:
    """Nobody has found anything."""


def _by_a_person(stage: Stage, ids: Sequence[str]) -> None:
    for id in ids:
        tried(partial(reject_memory, stage.ports, ADMIN, PROJECT, id))


def _by_a_reviewer_against_a_person(stage: Stage, ids: Sequence[str]) -> None:
    """A reviewer says of each that it failed, and a person later that it worked."""
    for by, result in _SAID:
        stage.pass_hour()
        for id in ids:
            tried(partial(report_outcome, stage.ports, by, PROJECT, id, OutcomeReport(result=result)))


def _by_a_person_and_reset(stage: Stage, ids: Sequence[str]) -> None:
    """The first half is found wrong before a reset of its author's record, the other after it."""
    half = len(ids) // 2
    _by_a_person(stage, ids[:half])
    stage.pass_hour()
    (author,) = list_authors(stage.ports, ADMIN, PROJECT, after=None, limit=1).authors
    reset_author(stage.ports, ADMIN, PROJECT, author.id)
    stage.pass_hour()
    _by_a_person(stage, ids[half:])


def _by_two(voices: Sequence[Principal]) -> Judge:
    def judge(stage: Stage, ids: Sequence[str]) -> None:
        for at, id in enumerate(ids):
            if at % A_DAY == 0:
                stage.pass_hour()
                stage.pass_hour()
            for by in voices:
                vote(stage, by, id, worked=False)

    return judge


def _lying(judge: Judge, count: int) -> Act:
    """Lies about other things, which are judged; then a lie in three wordings on each question."""

    def act(stage: Stage, targets: Sequence[Target]) -> Hostile:
        others = [
            said(f"for {SUBJECTS[at % len(SUBJECTS)]} {LIES[at // len(SUBJECTS)]}") for at in range(count)
        ]
        known = set().union(*stage.told({-1: others}).values())
        judge(stage, sorted(known))
        told = stage.told(
            {
                one.number: [
                    f"{one.asked}? {said(one.lie())}",
                    f"{shuffled(one.asked.split(), one.number)}: {one.lie(1)}.",
                    f"{said(' '.join(one.words[-3:]))}: {one.lie(2)}.",
                ]
                for one in targets
            }
        )
        return told

    return act


def _against_others(count: int | None) -> Act:
    """Two collude and find wrong what others wrote on what nobody asks. Args: count: so many; None: all of it."""

    def act(stage: Stage, targets: Sequence[Target]) -> Hostile:
        asked = {stage.right[one.right] for one in targets}
        ids = [id for id in stage.right.values() if id not in asked]
        _by_two(GANG[:2])(stage, ids[:count])
        return stage.told({one.number: [one.claim] for one in targets})

    return act


FAMILIES: Final[Mapping[str, Act]] = {
    "unjudged": _lying(_unjudged, 16),
    "two found wrong by a person": _lying(_by_a_person, 2),
    "six found wrong by a person": _lying(_by_a_person, 6),
    "sixteen by a person": _lying(_by_a_person, 16),
    "two by a reviewer, and a person says they worked": _lying(_by_a_reviewer_against_a_person, 2),
    "two by a person, reset, two more": _lying(_by_a_person_and_reset, 4),
    "four by two agents": _lying(_by_two(OTHERS), 4),
    "sixteen by two agents": _lying(_by_two(OTHERS), 16),
    "two find others wrong": _against_others(16),
    "two find others wrong, not at all": _against_others(0),
}
AMONG_AGENTS: Final = True
