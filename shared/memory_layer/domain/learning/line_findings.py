"""Findings on lines: who found a line of an agent wrong, or right (SPEC 4.41).

All constants: ADR-0057.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from types import MappingProxyType
from typing import Final, Literal

from memory_layer.domain.access import agent_voice
from memory_layer.domain.memory import Memory
from memory_layer.domain.verdict_bounds import SpokenVerdict, deciding_verdict

Way = Literal["decision", "correction", "agents"]
"""Way in which a line was found right or wrong: a person or a reviewer decided, or put other words in its place; or
agents that are independent reported it."""

CORRECTED_WITHIN: Final = timedelta(days=30)
"""Age up to which a line that a person supersedes was wrong; one that stood longer was right in its time."""

VOICES_MIN: Final = 2
"""Independent agents that find a line wrong, or right, where no person does."""

_DIGITS: Final = 12


def line_digest(memory: Memory) -> str:
    """Digest by which a record names a memory; one that is written later under its id is another."""
    return _digest(f"{memory.id} {memory.created_at.isoformat()}")


def author_digest(memory: Memory) -> str:
    """Digest of an author; all clients of one token are one, and an end user is no agent of that name."""
    return voice_digest(agent_voice(memory.created_by), is_users=memory.persona == memory.created_by)


def voice_digest(voice: str, *, is_users: bool) -> str:
    return _digest(f"{is_users} {voice}")


def _digest(name: str) -> str:
    return sha256(name.encode()).hexdigest()[:_DIGITS]


@dataclass(frozen=True, slots=True)
class LineFinding:
    """Finding on one line.

    Args:
        line: as `line_digest`.
        author: as `author_digest`.
        found_by: the way in which it was found.
        day: ordinal of the day on which it was found.
        memory_id: the memory, as far as it is kept.
        is_forgiven: it was found before the author's record was reset.
    """

    line: str
    author: str
    was_wrong: bool
    found_by: Way
    day: int
    memory_id: str | None = None
    is_forgiven: bool = False


def finding_on(
    memory: Memory,
    verdicts: Sequence[SpokenVerdict],
    at: datetime,
    *,
    successor: Memory | None = None,
    owners: Mapping[str, str] = MappingProxyType({}),
) -> LineFinding | None:
    """Finding on a memory as it is; None: nobody has judged it, or a person said it.

    Args:
        verdicts: in force, the first first.
        successor: the memory that superseded it.
        owners: voices that reported runs; a run without a report is its first namer's.
    """
    if memory.source == "human":
        return None
    found: tuple[tuple[Way, bool | None], ...] = (
        ("decision", _decided(memory, verdicts)),
        ("correction", _is_corrected(memory, successor) or None),
        ("agents", _found_by_agents(memory, verdicts, owners)),
    )
    line, author = line_digest(memory), author_digest(memory)
    each = (
        LineFinding(line, author, wrong, way, at.toordinal(), memory.id)
        for way, wrong in found
        if wrong is not None
    )
    return next(each, None)


def _decided(memory: Memory, verdicts: Sequence[SpokenVerdict]) -> bool | None:
    """Tells if a person or a reviewer found it wrong; None: none has decided."""
    if memory.status == "rejected" or memory.is_approved:
        return memory.status == "rejected"
    decided = deciding_verdict(verdicts)
    return None if decided is None else decided.result == "failed"


def _is_corrected(memory: Memory, successor: Memory | None) -> bool:
    """Tells if words that people vouch for are in its place, and came soon."""
    if memory.status != "superseded" or successor is None or not successor.is_trusted:
        return False
    is_others = agent_voice(successor.created_by) != agent_voice(memory.created_by)
    return is_others and successor.created_at - memory.created_at <= CORRECTED_WITHIN


def _found_by_agents(
    memory: Memory, verdicts: Iterable[SpokenVerdict], owners: Mapping[str, str]
) -> bool | None:
    """Tells if more independent agents, in runs of their own, found it wrong than right; None: too few, or as many."""
    author = agent_voice(memory.created_by)
    sums: dict[str, int] = {}
    namers: dict[str, str] = {}
    for one in verdicts:
        voice = agent_voice(one.principal)
        if one.speaker != "agent" or voice == author or one.run_id is None or one.result == "partial":
            continue
        first = namers.setdefault(one.run_id, voice)
        if owners.get(one.run_id, first) == voice:
            sums[voice] = sums.get(voice, 0) + (1 if one.result == "failed" else -1)
    wrong, right = (sum(sign * each > 0 for each in sums.values()) for sign in (1, -1))
    return None if max(wrong, right) < VOICES_MIN or wrong == right else wrong > right


def judged_since(memory: Memory, reset_at: datetime, in_status_since: datetime | None) -> Memory:
    """Memory without what was decided on it before a moment. Args: in_status_since: None: not known, so before it."""
    if memory.approved_at is not None and memory.approved_at <= reset_at:
        memory = replace(memory, approved_by=None, approved_at=None)
    is_earlier = in_status_since is None or in_status_since <= reset_at
    return replace(memory, status="active") if is_earlier else memory
