"""Verdict on two similar memories, and whether it may be settled without a person."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from memory_layer.domain.access import SHARED_PROJECT
from memory_layer.domain.conflicts.contradiction import TextReader, contradiction, statement_of
from memory_layer.domain.conflicts.pair import Pair, PairKind, pair_id, pair_ids
from memory_layer.domain.conflicts.precedence import PrecedenceDecision, decide_precedence
from memory_layer.domain.conflicts.sameness import Sameness, sameness
from memory_layer.domain.lifecycle import not_valid_because
from memory_layer.domain.memory import (
    LEARNING_ID_PREFIX,
    REASON_MAX_CHARS,
    Memory,
    content_hash,
    to_thousandths,
)
from memory_layer.domain.text.named_sections import are_of_other_things, stand_apart


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFinding:
    """Contradiction or duplicate of two memories, in the order of their ids.

    Args:
        why_precedence: reason for the precedence between two contradicting ones, without quoting their words.
        winner: id of the one that may supersede the other by itself; None: a person decides.
    """

    one: Memory
    other: Memory
    kind: PairKind
    similarity: float
    reason: str
    severity: float = 0.0
    winner: str | None = None
    why_precedence: str = ""

    @property
    def id(self) -> str:
        return pair_id(self.one.id, self.other.id, self.kind)

    @property
    def decision_ids(self) -> tuple[str, ...]:
        """Ids under which a person may have decided on the two, as contradicting or as the same."""
        return pair_ids(self.one.id, self.other.id)


def is_in_force(memory: Memory, now: datetime) -> bool:
    """Tells whether a memory states something about now: a conversation turn does not, nor a damaged record."""
    return (
        memory.is_active
        and memory.position is None
        and not memory.has_expired(now)
        and not_valid_because(memory, now) is None
        and content_hash(memory.content) == memory.content_hash
    )


SWEEP_READER = TextReader(8_192)
"""Reader of a sweep: a text is compared as the neighbour of ten others, on as many pages."""


def judge_pair(a: Memory, b: Memory, cosine: float) -> PairFinding | None:
    """Judges two memories: a contradiction goes before a duplicate; neither spans two personas, or what stands apart.

    Args:
        a, b: two memories in force, in any order.
        cosine: of their contents, by one model.
    """
    one, other = sorted((a, b), key=lambda memory: memory.id)
    if one.persona is not None and other.persona is not None and one.persona != other.persona:
        return None
    if stand_apart(one, other):
        return None
    return _contradiction(one, other, cosine) or _likeness(one, other, cosine)


def _contradiction(one: Memory, other: Memory, cosine: float) -> PairFinding | None:
    found = contradiction(statement_of(one), statement_of(other), cosine=cosine, reader=SWEEP_READER)
    if found is None or are_of_other_things(one, other):
        return None
    resolution = decide_precedence(one, other, found)
    return PairFinding(
        one=one,
        other=other,
        kind="conflict",
        similarity=_unit(cosine),
        reason=resolution.reasoning[:REASON_MAX_CHARS],
        severity=found.severity,
        winner=resolution.winner if resolution.is_automatic else None,
        why_precedence=_without_quotation(resolution, found.reason),
    )


def _without_quotation(resolution: PrecedenceDecision, quoted: str) -> str:
    """Reasoning without the quoted words: an erased memory must not be quoted in another's history."""
    return resolution.reasoning.removeprefix(f"{quoted}; ")


def _likeness(one: Memory, other: Memory, cosine: float) -> PairFinding | None:
    if one.persona != other.persona:
        return None
    grade = max(sameness(one.content, other.content, cosine), sameness(other.content, one.content, cosine))
    if grade is Sameness.OTHER:
        return None
    reason = _REASONS[grade]
    return PairFinding(one=one, other=other, kind="duplicate", similarity=_unit(cosine), reason=reason)


_REASONS: Mapping[Sameness, str] = {
    Sameness.EQUAL: "they say the same",
    Sameness.SAYS_ALL: "one says all that the other says",
    Sameness.PARAPHRASE: "they say the same in other words",
}


def _unit(cosine: float) -> float:
    return to_thousandths(min(1.0, max(0.0, cosine)))


def open_pair(finding: PairFinding, before: Pair | None, at: datetime) -> Pair:
    """Open pair of a finding, one version on. Its age counts from when the finding began to hold."""
    one, other = finding.one, finding.other
    hashes = (one.content_hash, other.content_hash)
    waits = before is not None and before.status == "open" and before.content_hashes == hashes
    return Pair(
        id=finding.id,
        tenant=one.tenant,
        project=one.project,
        kind=finding.kind,
        ids=(one.id, other.id),
        content_hashes=hashes,
        similarity=finding.similarity,
        severity=finding.severity,
        reason=finding.reason,
        persona=one.persona if one.persona is not None else other.persona,
        found_at=before.found_at if before is not None and waits else at,
        version=1 if before is None else before.version + 1,
    )


def is_kept_both(decided: Iterable[Pair | None], hashes: tuple[str, str]) -> bool:
    """Tells whether a person kept both of the very same texts, whatever was found in them: that holds for good.

    With any other decision one of the two went out of use; if both are in force again, somebody has reverted that.

    Args:
        decided: the pairs of the two, of either kind.
        hashes: of their contents now, in the order of their ids.
    """
    return any(
        pair is not None
        and pair.status == "resolved"
        and pair.resolution == "kept_both"
        and pair.content_hashes == hashes
        for pair in decided
    )


def differs_from_stored(pair: Pair, before: Pair | None) -> bool:
    """Tells whether a pair differs from the stored one."""
    return before is None or replace(pair, version=before.version) != before


def precedence_obstacle(winner: Memory, loser: Memory) -> str | None:
    """Reason for which one memory must not be superseded by another without a person; None: it may be."""
    if loser.is_approved:
        return f"{loser.id} is approved"
    if loser.source == "human":
        return f"{loser.id} was written by a person"
    if loser.pinned:
        return f"{loser.id} is pinned"
    if loser.id.startswith(LEARNING_ID_PREFIX):
        return f"{loser.id} is what runs have taught"
    if loser.project == SHARED_PROJECT:
        return "a whole tenant shares it"
    if winner.persona != loser.persona:
        return "not the same may see both"
    if winner.supersedes is not None:
        return f"{winner.id} supersedes {winner.supersedes} already"
    return None
