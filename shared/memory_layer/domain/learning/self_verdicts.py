"""Verdicts of agents on their own memories: they move an order, and are no proof on a page (SPEC 4.19, 10.20)."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from memory_layer.domain.access import agent_voice
from memory_layer.domain.memory import Memory
from memory_layer.domain.outcome import StandingVerdict, is_evidence
from memory_layer.domain.verdict_bounds import Speaker


class SelfCounts(NamedTuple):
    """Numbers of verdicts of a memory's authors that it worked, and that it failed."""

    worked: int = 0
    failed: int = 0


NO_SELF_COUNTS: Final = SelfCounts()


class SaidVerdict(StandingVerdict, Protocol):
    """Verdict on record, which a later one may have replaced, as far as this module reads it."""

    @property
    def id(self) -> str: ...
    @property
    def replaced_by(self) -> str | None: ...
    @property
    def speaker(self) -> Speaker | None: ...


def may_have_self_verdicts(memory: Memory) -> bool:
    """Tells whether an author's verdicts may be among the counts: a person's words are no agent's own."""
    return memory.source != "human" and bool(memory.worked or memory.failed)


def self_counts(memory: Memory, verdicts: Iterable[SaidVerdict], moment: datetime) -> SelfCounts:
    """Counts what agents said of their own words, of those that counted at a moment; never more than the memory has.

    Args:
        verdicts: on the memory and on those merged into it, with those that were replaced since.
    """
    said = {verdict.id: verdict for verdict in verdicts}
    counts = Counter(
        one.result for one in said.values() if _is_own(one, memory) and _counted(one, said, moment)
    )
    return SelfCounts(min(counts["worked"], memory.worked), min(counts["failed"], memory.failed))


def _is_own(verdict: SaidVerdict, memory: Memory) -> bool:
    """Tells whether an author spoke, under whatever name its client had."""
    is_of_agent = verdict.speaker is None or verdict.speaker == "agent"
    is_one_voice = agent_voice(verdict.principal) == agent_voice(memory.created_by)
    return verdict.speaker == "agent author" or (is_of_agent and is_one_voice)


def _counted(verdict: SaidVerdict, said: dict[str, SaidVerdict], moment: datetime) -> bool:
    if verdict.at > moment or not is_evidence(verdict.result, verdict.score_moved, verdict.confidence_moved):
        return False
    if verdict.replaced_by is None:
        return True
    later = said.get(verdict.replaced_by)
    return later is not None and later.at > moment
