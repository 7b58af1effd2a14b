"""Precedence between two contradicting memories, and the cases that only a person can decide."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory_layer.domain.conflicts.contradiction import Contradiction
from memory_layer.domain.memory import Memory

Strategy = Literal["precedence", "flag"]

FLAG_SEVERITY = 0.3
"""Severity from which on a person decides (SPEC 6.36)."""

AUTO_SUPERSEDE_SHARED = 0.999
"""Shared content from which on one supersedes the other by itself: they differ in nothing but the contradiction;
whatever else the loser says would be retired with it, and may be true."""


@dataclass(frozen=True, slots=True)
class PrecedenceDecision:
    """Decision on a contradiction.

    Args:
        winner: id of the memory that is believed; None: a person decides.
        is_automatic: whether the winner may supersede the other without a person; it can be undone.
    """

    strategy: Strategy
    winner: str | None
    reasoning: str
    is_automatic: bool = False


def decide_precedence(one: Memory, other: Memory, found: Contradiction) -> PrecedenceDecision:
    """Resolves a contradiction: below severity .3 by precedence, else by a person.

    Precedence is that of SPEC 6.36: approved before not approved, then the higher confidence, then the later
    `updated_at`. Memories equal in all three are flagged: nothing true is retired on a guess.

    Args:
        one, other: the two, in any order.
        found: their contradiction.
    """
    if found.severity >= FLAG_SEVERITY:
        return PrecedenceDecision(
            "flag", None, f"{found.reason}; severity {found.severity:.2f}: a person decides"
        )
    mine, theirs = _standing(one), _standing(other)
    if mine == theirs:
        return PrecedenceDecision(
            "flag", None, f"{found.reason}; neither is approved, surer or newer than the other"
        )
    winner, loser = (one, other) if mine > theirs else (other, one)
    return PrecedenceDecision(
        "precedence",
        winner.id,
        f"{found.reason}; {winner.id} goes before {loser.id}: {_precedence_reason(winner, loser)}",
        is_automatic=found.shared >= AUTO_SUPERSEDE_SHARED and _may_retire(winner, loser),
    )


def _standing(memory: Memory) -> tuple[bool, float, datetime]:
    return (memory.is_approved, memory.confidence, memory.updated_at)


def _may_retire(winner: Memory, loser: Memory) -> bool:
    """Tells whether the winner may retire the loser: by author or approval; confidence and lateness come too easily."""
    return winner.created_by == loser.created_by or (winner.is_approved and not loser.is_approved)


def _precedence_reason(winner: Memory, loser: Memory) -> str:
    if winner.is_approved != loser.is_approved:
        return "it is approved"
    if winner.confidence != loser.confidence:
        return f"confidence {winner.confidence:.3f} against {loser.confidence:.3f}"
    return f"updated {winner.updated_at.isoformat()}, the other {loser.updated_at.isoformat()}"
