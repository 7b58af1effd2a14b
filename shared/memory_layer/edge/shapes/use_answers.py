"""Answers about the uses of a memory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_layer.domain.memory import OutcomeResult
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.ports.commit import Verdict
from memory_layer.usecases.learn.read_uses import ShowingRecall


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictAnswer:
    """Verdict on a memory.

    Args:
        result: worked, partial or failed.
        principal: who reported it.
        session_id: the conversation that it was reported in.
        note: what happened, in their words.
        score_moved: how far the outcome score moved by it, after every bound.
        confidence_moved: how far the confidence moved by it.
        is_in_force: no later verdict or rollback has replaced it.
    """

    id: str
    result: OutcomeResult
    principal: str
    at: datetime
    session_id: str | None
    run_id: str | None
    recall_id: str | None
    note: str | None
    score_moved: float
    confidence_moved: float
    is_in_force: bool


@dataclass(frozen=True, slots=True)
class VerdictsAnswer:
    """Verdicts on a memory, at most 200. Args: verdicts: the last first."""

    verdicts: Sequence[VerdictAnswer]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowingRecallAnswer:
    """Recall, prompt or context that showed a memory.

    Args:
        principal: who was shown it.
        place: number of the memory on the page, from 1.
        shown: how many memories the page had.
    """

    recall_id: str
    principal: str
    at: datetime
    place: int
    shown: int


@dataclass(frozen=True, slots=True)
class ShowingRecallsAnswer:
    """Recalls that showed a memory, of the project's last 1,000, at most 200. Args: recalls: the last first."""

    recalls: Sequence[ShowingRecallAnswer]


def verdicts_json(verdicts: Iterable[Verdict]) -> dict[str, Any]:
    said = [answer_from(VerdictAnswer, one, is_in_force=one.replaced_by is None) for one in verdicts]
    return document(VerdictsAnswer(said))


def recalls_json(recalls: Iterable[ShowingRecall]) -> dict[str, Any]:
    found = [
        answer_from(ShowingRecallAnswer, one.receipt, place=one.place, shown=len(one.receipt.refs))
        for one in recalls
    ]
    return document(ShowingRecallsAnswer(found))
