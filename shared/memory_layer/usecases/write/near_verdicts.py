"""Verdicts on a new memory beside a known one that is near to it: the same, otherwise, or something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory_layer.domain.access import Principal
from memory_layer.domain.conflicts.contradiction import (
    SEVERITY_OF_KIND,
    contradiction,
    may_contradict,
    statement_of,
)
from memory_layer.domain.conflicts.pair_verdict import PairFinding
from memory_layer.domain.conflicts.point import Point
from memory_layer.domain.conflicts.point_of_difference import point_of_difference
from memory_layer.domain.duplicates import DUPLICATE_COSINE
from memory_layer.domain.memory import REASON_MAX_CHARS, Memory, Standing, to_thousandths
from memory_layer.domain.policy import Policy
from memory_layer.domain.text.named_sections import are_of_other_things
from memory_layer.errors import Contradicts, Duplicate
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.authorship import may_change_here
from memory_layer.usecases.recall.redact_answers import as_shown


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Active record whose content is near to a new one.

    Args:
        similarity: a cosine; 1.0 for equal text.
        differs_in: point in which the new one differs; None: the known one says all of it.
        says_otherwise: reason for which both cannot hold.
        is_covered: the new one says all that the known one says.
    """

    memory: Memory
    similarity: float
    differs_in: Point | None = None
    says_otherwise: str | None = None
    is_covered: bool = False

    @property
    def is_same(self) -> bool:
        return self.differs_in is None


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarMemory:
    """Known memory that is near to a stored one and says something else, as a receipt names it.

    Args:
        content: what it says; left out of what is kept on a disk.
        differs_in: the point in which the stored one differs from it.
        similarity: cosine of the two contents.
        standing: whose words these are: trusted or unreviewed.
    """

    id: str
    similarity: float
    standing: Standing | None = None
    content: str | None = None
    differs_in: str

    def unquoted(self) -> SimilarMemory:
        """The same without words of the known memory, which may be erased."""
        return replace(self, content=None, differs_in="see both")


SIMILAR_MAX = 3
"""Near memories that a receipt names."""


def judge_near(memory: Memory, known: Memory, similarity: float) -> NearDuplicate:
    """Judges a new memory beside a known one that is near to it."""
    point = point_of_difference(memory.content, known.content)
    if point is None:
        is_covered = point_of_difference(known.content, memory.content) is None
        return NearDuplicate(known, similarity, is_covered=is_covered)
    otherwise = _contradiction(memory, known, similarity)
    is_covered = not point.known and point_of_difference(known.content, memory.content) is None
    return NearDuplicate(known, similarity, point, otherwise, is_covered)


def _contradiction(memory: Memory, known: Memory, similarity: float) -> str | None:
    found = contradiction(statement_of(memory), statement_of(known), cosine=similarity)
    return None if found is None or are_of_other_things(memory, known) else found.reason


def judge_related(memory: Memory, known: Memory, similarity: float) -> NearDuplicate | None:
    """Judges a new memory beside a known one in other words; None unless they contradict each other."""
    if not may_contradict(memory.content, known.content):
        return None
    reason = _contradiction(memory, known, similarity)
    point = None if reason is None else point_of_difference(memory.content, known.content)
    return None if point is None else NearDuplicate(known, similarity, point, reason)


def near_error(
    ports: Ports, principal: Principal, memory: Memory, twin: NearDuplicate, policy: Policy
) -> Duplicate | Contradicts:
    """Builds the refusal of a memory for a near one, quoted as it may be shown."""
    known = as_shown(twin.memory, policy.privacy_mode)
    if twin.is_same:
        return Duplicate(known, twin.similarity)
    is_yours = may_change_here(ports, principal, twin.memory)
    return Contradicts(known, twin.similarity, _difference(memory, known, twin), is_yours=is_yours)


def similar_to(memory: Memory, near: Sequence[NearDuplicate], policy: Policy) -> tuple[SimilarMemory, ...]:
    """Near memories for the receipt of a stored one, quoted as they may be shown."""
    shown = [
        (twin, as_shown(twin.memory, policy.privacy_mode)) for twin in near[:SIMILAR_MAX] if not twin.is_same
    ]
    return tuple(
        SimilarMemory(
            id=known.id,
            similarity=round(twin.similarity, 4),
            standing=known.standing,
            content=known.content,
            differs_in=_difference(memory, known, twin),
        )
        for twin, known in shown
    )


def _difference(memory: Memory, known: Memory, twin: NearDuplicate) -> str:
    """Words for the difference of a memory and a near one; only its kind if redaction hides it."""
    is_whole = known is twin.memory
    if twin.says_otherwise is not None and twin.similarity <= DUPLICATE_COSINE:
        found = twin.says_otherwise if is_whole else _contradiction(memory, known, twin.similarity)
        return found or "see both"
    shown = twin.differs_in if is_whole else point_of_difference(memory.content, known.content)
    if shown is not None and shown.kind == "order" and twin.says_otherwise is not None:
        return twin.says_otherwise
    if shown is not None:
        return f"this {shown.told}"
    return f"another {twin.differs_in.kind}" if twin.differs_in is not None else "nothing"


def contradiction_with(memory: Memory, twin: NearDuplicate) -> PairFinding:
    """Finding that a stored memory says otherwise than a near one, for a person to decide."""
    one, other = sorted((memory, twin.memory), key=lambda each: each.id)
    found = contradiction(statement_of(one), statement_of(other), cosine=twin.similarity)
    return PairFinding(
        one=one,
        other=other,
        kind="conflict",
        similarity=to_thousandths(min(1.0, twin.similarity)),
        reason=(twin.says_otherwise or "")[:REASON_MAX_CHARS],
        severity=SEVERITY_OF_KIND["value"] if found is None else found.severity,
    )
