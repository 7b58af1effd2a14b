"""Relevance that learns from results: slowly, within bounds, by the voices that may, and taken back exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from memory_layer.domain.learning.learned_relevance import LEARNED_MAX, VOICE_MAX, with_learned_relevance
from memory_layer.domain.memory import Memory, OutcomeResult
from memory_layer.domain.verdict_bounds import Speaker
from tests.given import SCOPE, a_memory


@dataclass(frozen=True)
class Said:
    result: OutcomeResult
    principal: str = "agent-1"
    speaker: Speaker | None = "agent"
    score_moved: float = 0.1
    confidence_moved: float = 0.0


def unreviewed(**fields: Any) -> Memory:
    return a_memory(SCOPE, source="run", relevance_score=0.5, confidence=0.5, **fields)


def test_one_verdict_moves_it_a_little() -> None:
    moved = with_learned_relevance(unreviewed(), [Said("worked")])
    assert (moved.relevance_score, moved.relevance_set) == (0.52, 0.5)


def test_one_voice_moves_it_within_its_bound() -> None:
    moved = with_learned_relevance(unreviewed(), [Said("worked")] * 50)
    assert moved.relevance_score == 0.5 + VOICE_MAX


def test_all_voices_together_move_it_within_a_bound() -> None:
    voices = [Said("worked", f"agent-{number}") for number in range(50)] * 3
    assert with_learned_relevance(unreviewed(), voices).relevance_score == 0.5 + LEARNED_MAX


def test_one_agent_alone_does_not_lower_it() -> None:
    """Falls where downward moves need no second: one hostile agent would lower what others wrote."""
    assert with_learned_relevance(unreviewed(), [Said("failed")] * 9) == unreviewed()
    two = with_learned_relevance(unreviewed(), [Said("failed"), Said("failed", "agent-2")])
    assert two.relevance_score == 0.47


@pytest.mark.parametrize("said", [Said("failed"), Said("worked", speaker="agent author")])
def test_agents_do_not_move_what_people_vouch_for_or_what_is_their_own(said: Said) -> None:
    trusted = a_memory(SCOPE, source="human", relevance_score=0.5)
    memory = trusted if said.speaker == "agent" else unreviewed()
    voices = [said, Said(said.result, "agent-2", said.speaker)]
    assert with_learned_relevance(memory, voices) == memory


def test_people_move_what_is_trusted() -> None:
    trusted = a_memory(SCOPE, source="human", relevance_score=0.5)
    moved = with_learned_relevance(trusted, [Said("failed", "ada@acme.test", "person")])
    assert moved.relevance_score == 0.47


def test_a_verdict_that_moved_nothing_is_no_evidence() -> None:
    silent = [Said("failed", f"agent-{number}", score_moved=0.0) for number in range(4)]
    assert with_learned_relevance(unreviewed(), silent) == unreviewed()


def test_without_the_verdicts_it_is_what_was_set() -> None:
    before = unreviewed()
    moved = with_learned_relevance(before, [Said("worked"), Said("failed", "a"), Said("failed", "b")])
    assert with_learned_relevance(moved, []) == before


def test_it_stays_within_its_range() -> None:
    best = a_memory(SCOPE, source="run", relevance_score=1.0)
    assert with_learned_relevance(best, [Said("worked")]) == best
