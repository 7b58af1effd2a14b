"""Answers of recalls, apart from the others: `mem search` loads nothing that writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from memory_layer.domain.memory import Memory
from memory_layer.domain.ranking import Match, PlacedBy, Signals
from memory_layer.edge.shapes.answer_fields import ROUNDED, SPREAD, answer_from, document
from memory_layer.usecases.recall.recall import RecallResult


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A record with the score that orders it and the signals behind it.

    Args:
        score: by which the memories are ordered.
        relevance: chance that it bears on the question, 0 to 1, comparable between questions and projects.
        placed_by: why it stands there; trust: before unreviewed ones; fold: behind one that it is like;
            correction: under the doubted one that it is to replace; record: others found lines of its author wrong;
            file: as a step of what is asked for, in the order of its file; release: the newest news stands first.
        signals: what the score is made of.
        matched: what it says of the question, if asked.
    """

    memory: Annotated[Memory, SPREAD]
    score: Annotated[float, ROUNDED]
    relevance: Annotated[float, ROUNDED]
    placed_by: PlacedBy
    signals: Annotated[Signals, ROUNDED]
    matched: Match | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallAnswer:
    """Memories that bear on the query, best first.

    Args:
        ranking: the way in which they were found and blended.
        degraded: a part was down, as `note` says.
        note: that a part was down, or that the section which is asked for has more lines, and with which limit.
        abstained: nothing relevant is known.
        evidence: chance that an answer is known, 0 to 1; abstention rests on it.
        evidence_gaps: what the question names and no memory found covers.
        strategy: the strategy that was followed.
        memories: the best first.
    """

    recall_id: str
    strategy: str
    ranking: str
    degraded: bool
    note: str | None = None
    abstained: bool
    evidence: Annotated[float, ROUNDED]
    evidence_gaps: Sequence[str]
    memories: Sequence[RecalledMemory]


def recalled_json(recalled: RecallResult) -> dict[str, Any]:
    memories = [answer_from(RecalledMemory, item) for item in recalled.memories]
    return document(answer_from(RecallAnswer, recalled, memories=memories))
