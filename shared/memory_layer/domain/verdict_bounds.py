"""Bounds of one principal's verdicts: what lowers another's memory, or moves confidence, takes independent voices.

Source: SPEC 4.15, 4.20, 4.25, 4.43.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, Literal, Protocol, TypeVar

from memory_layer.domain.access import Principal, agent_voice, is_author
from memory_layer.domain.memory import Memory, OutcomeResult, to_thousandths
from memory_layer.domain.outcome import ARCHIVE_BELOW_SCORE, OUTCOME_STEPS, VerdictStep

STRANGER_BUDGET: Final = OUTCOME_STEPS["failed"].score
"""Most that a stranger (neither creator nor reviewer) lowers a memory's score, until an independent one agrees."""

VOICE_CONFIDENCE: Final = OUTCOME_STEPS["worked"].confidence
"""Most that one agent moves the confidence of a memory, up or down, however often it says the same."""


Speaker = Literal["agent", "agent author", "person", "person author", "reviewer"]
"""Right that a verdict is given with: it decides how far the verdict may go."""

_DECIDING: Final[tuple[Speaker, ...]] = ("reviewer", "person")
"""Rights with which a verdict decides on a line; the word of an earlier one stands against that of a later one."""


def speaker_of(by: Principal, memory: Memory) -> Speaker:
    """Right of a caller to judge a memory."""
    if by.is_reviewer:
        return "reviewer"
    if memory.created_by == by.name or is_author(by, memory):
        return "agent author" if by.is_agent else "person author"
    return "agent" if by.is_agent else "person"


class VerdictInForce(Protocol):
    """Verdict that no later one has replaced: whose, what, and in which run."""

    @property
    def principal(self) -> str: ...
    @property
    def result(self) -> OutcomeResult: ...
    @property
    def run_id(self) -> str | None: ...


class SpokenVerdict(VerdictInForce, Protocol):
    """Verdict in force with the right that it was given with; None: it is older than this field."""

    @property
    def speaker(self) -> Speaker | None: ...


Spoken = TypeVar("Spoken", bound=SpokenVerdict)


def deciding_verdict(verdicts: Iterable[Spoken]) -> Spoken | None:
    """The verdict that decides on a memory: the last of those who may review, else of people; None: neither decided.

    A run that fails under their token blames all that it was shown, and `partial` says neither.
    """
    said = [one for one in verdicts if one.run_id is None and one.result != "partial"]
    by_right = ([one for one in said if one.speaker == right] for right in _DECIDING)
    return next((own[-1] for own in by_right if own), None)


class EarlierVerdict(VerdictInForce, Protocol):
    """Verdict in force, as far as the bounds of the next one read it."""

    @property
    def score_moved(self) -> float: ...
    @property
    def confidence_moved(self) -> float: ...


def allowed_move(
    memory: Memory,
    result: OutcomeResult,
    by: Principal,
    standing: Iterable[EarlierVerdict],
    *,
    run_id: str | None = None,
) -> VerdictStep:
    """Step that this principal's verdict may take, so that nobody is raised by themselves or sunk by one other.

    Args:
        memory: the memory judged.
        result: the verdict.
        by: the caller who reports it.
        standing: the verdicts in force on this memory, without the one that this verdict replaces.
        run_id: the run that it comes from.

    Returns:
        The whole step of a reviewer. Of anybody else on their own memory, the score alone. Of an agent on another's,
        confidence within one step in all, and a `failed` within its budget until an independent one agrees; the budget
        is net: what the same principal moved up may be moved down again. Of an agent on a trusted one, no confidence,
        and no score under which it would go out of use.
    """
    return spoken_step(memory, result, by.name, speaker_of(by, memory), standing, run_id=run_id)


def spoken_step(
    memory: Memory,
    result: OutcomeResult,
    by: str,
    speaker: Speaker,
    standing: Iterable[EarlierVerdict],
    *,
    run_id: str | None,
) -> VerdictStep:
    """Step as `allowed_move` has it, of a principal known by name and right: that of a verdict on record."""
    step = OUTCOME_STEPS[result]
    if speaker == "reviewer":
        return step
    verdicts = list(standing)
    if speaker.endswith("author"):
        step = step._replace(confidence=0.0)
    elif speaker == "agent" or memory.is_trusted:
        step = _strangers_step(step, result, by, speaker, verdicts, run_id)
        if speaker == "agent" and agent_voice(by) == agent_voice(memory.created_by):
            step = step._replace(confidence=0.0)  # its own words, written under another client's name
    return _agents_step(memory, step) if speaks_as_agent(speaker) and memory.is_trusted else step


def speaks_as_agent(speaker: Speaker) -> bool:
    return speaker.startswith("agent")


def _strangers_step(
    step: VerdictStep,
    result: OutcomeResult,
    by: str,
    speaker: Speaker,
    verdicts: Sequence[EarlierVerdict],
    run_id: str | None,
) -> VerdictStep:
    """Step of a stranger: within its voice's confidence, and for a `failed` alone within the budget left."""
    own = [verdict for verdict in verdicts if agent_voice(verdict.principal) == agent_voice(by)]
    if result != "failed" or _is_seconded(by, verdicts, run_id):
        return _within_voice(step, own) if speaker == "agent" else step
    moved = sum(verdict.score_moved for verdict in own)
    return VerdictStep(_at_most(step.score, to_thousandths(STRANGER_BUDGET - moved)), 0.0, is_unseconded=True)


def _is_seconded(name: str, verdicts: Iterable[EarlierVerdict], run_id: str | None) -> bool:
    """Tells whether another principal found a failure too; two that speak of one run are one voice."""
    return any(
        verdict.result == "failed"
        and agent_voice(verdict.principal) != agent_voice(name)
        and (run_id is None or verdict.run_id != run_id)
        for verdict in verdicts
    )


def _within_voice(step: VerdictStep, own: Iterable[EarlierVerdict]) -> VerdictStep:
    """Step whose confidence, with what the principal moved before, stays within one voice's."""
    moved = sum(verdict.confidence_moved for verdict in own)
    bounded = max(-VOICE_CONFIDENCE - moved, min(VOICE_CONFIDENCE - moved, step.confidence))
    return step._replace(confidence=to_thousandths(bounded) + 0.0)  # no negative zero


def _agents_step(memory: Memory, step: VerdictStep) -> VerdictStep:
    room = to_thousandths(ARCHIVE_BELOW_SCORE - memory.outcome_score)
    score = _at_most(step.score, room) if step.score < 0.0 else step.score
    return step._replace(score=score, confidence=0.0)


def _at_most(step: float, room: float) -> float:
    """Step down, limited to the room there is. Args: room: below 0, or there is none."""
    return min(0.0, max(step, room))


def limit_to_score(before: Memory, after: Memory) -> Memory:
    """Change of a trusted memory limited to what an agent may do: another score, and not out of use."""
    floor = min(before.outcome_score, ARCHIVE_BELOW_SCORE)
    return replace(
        after,
        outcome_score=max(after.outcome_score, floor),
        confidence=before.confidence,
        status=before.status,
        status_reason=before.status_reason,
    )
