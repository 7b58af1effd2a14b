"""Relevance that learns from results: verdicts move relevance_score slowly, within bounds, and take it back exactly.

The move is a function of the verdicts in force alone: one that is replaced or rolled back leaves no trace. Constants:
ADR-0043.

Source: Project Memories, phase 2, automatic adjustment of relevance_score.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, Protocol

from memory_layer.domain.access import agent_voice
from memory_layer.domain.memory import Memory, OutcomeResult, to_thousandths
from memory_layer.domain.outcome import is_evidence
from memory_layer.domain.verdict_bounds import Speaker

RELEVANCE_STEPS: Final[Mapping[OutcomeResult, float]] = {"worked": 0.02, "failed": -0.03, "partial": 0.0}
"""Moves of one verdict: a tenth of those of outcome_score."""

VOICE_MAX: Final = 0.06
"""Most that one voice moves relevance_score, up or down, however often it says the same."""

LEARNED_MAX: Final = 0.2
"""Most that all results together move it, up or down."""


class RelevantVerdict(Protocol):
    """Verdict in force, as far as this module reads it."""

    @property
    def result(self) -> OutcomeResult: ...
    @property
    def principal(self) -> str: ...
    @property
    def speaker(self) -> Speaker | None: ...
    @property
    def score_moved(self) -> float: ...
    @property
    def confidence_moved(self) -> float: ...


def with_learned_relevance(memory: Memory, in_force: Iterable[RelevantVerdict]) -> Memory:
    """Memory with the relevance_score that the verdicts in force make of the one that was set.

    Args:
        in_force: on this memory. Of a trusted one those of people alone count, of no memory those of its author if it
            is an agent; what agents say against one counts once two agree.
    """
    base = memory.relevance_score if memory.relevance_set is None else memory.relevance_set
    learned = to_thousandths(min(1.0, max(0.0, base + _learned(memory, in_force))))
    if learned == memory.relevance_score:
        return memory
    return replace(memory, relevance_score=learned, relevance_set=None if learned == base else base)


def _learned(memory: Memory, in_force: Iterable[RelevantVerdict]) -> float:
    """Move of all voices, -LEARNED_MAX..LEARNED_MAX."""
    people: defaultdict[str, float] = defaultdict(float)
    agents: defaultdict[str, float] = defaultdict(float)
    for verdict in in_force:
        if not is_evidence(verdict.result, verdict.score_moved, verdict.confidence_moved):
            continue
        if _is_agents(verdict):
            if not memory.is_trusted and verdict.speaker != "agent author":
                agents[agent_voice(verdict.principal)] += RELEVANCE_STEPS[verdict.result]
        else:
            people[verdict.principal] += RELEVANCE_STEPS[verdict.result]
    moves = [*map(_bounded, people.values()), *_seconded(map(_bounded, agents.values()))]
    return min(LEARNED_MAX, max(-LEARNED_MAX, sum(moves)))


def _is_agents(verdict: RelevantVerdict) -> bool:
    """Tells if an agent said it; of a verdict older than speakers are, the name tells."""
    if verdict.speaker is None:
        return "@" not in verdict.principal
    return verdict.speaker in ("agent", "agent author")


def _bounded(move: float) -> float:
    return min(VOICE_MAX, max(-VOICE_MAX, move))


def _seconded(moves: Iterable[float]) -> list[float]:
    """Moves of agents: those upward, and those downward but the strongest, which nobody seconds."""
    found = sorted(moves)
    downward = [move for move in found if move < 0.0]
    return [*downward[1:], *(move for move in found if move > 0.0)]
