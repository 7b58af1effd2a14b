"""Pooled feedback: one's own runs in full, another agent's only once a second one agrees."""

from __future__ import annotations

from typing import Any

import pytest

from memory_layer.domain.learning.implicit_feedback import FeedbackEntry, ImplicitFeedback
from memory_layer.domain.learning.pooled_feedback import (
    PooledFeedback,
    Reader,
    pool,
    with_ancestors,
)
from memory_layer.domain.learning.verdict_counts import VerdictCounts
from tests.given import START

READER = Reader("agent-1", None, START)


def entry(voice: str, worked: float, failed: float, **changed: Any) -> FeedbackEntry:
    told: dict[str, Any] = {"voice": voice, "reporter": voice, "task_type": "general", "at": START}
    return FeedbackEntry(**{**told, "worked": worked, "failed": failed, **changed})


def pooled(*entries: FeedbackEntry, reader: Reader = READER) -> PooledFeedback:
    return pool(ImplicitFeedback(memory="web/a", entries=entries, updated_at=START), reader)


def test_nobody_has_said_anything() -> None:
    assert pool(None, READER).counts == VerdictCounts()


def test_own_runs_count_in_full() -> None:
    assert pooled(entry("agent-1", 3.0, 1.0)).own == VerdictCounts(3.0, 1.0)


@pytest.mark.parametrize("said", [(12.0, 0.0), (0.0, 12.0)])
def test_runs_of_one_other_agent_move_nothing(said: tuple[float, float]) -> None:
    """Falls where the strongest voice on a side counts unseconded: an attacker's runs would move others' lists."""
    assert pooled(entry("attacker", *said)).counts == VerdictCounts()
    mine = entry("agent-1", 3.0, 1.0)
    assert pooled(mine, entry("attacker", *said)).counts == VerdictCounts(3.0, 1.0)


def test_many_clients_of_one_token_are_one_voice() -> None:
    clients = [entry("attacker", 0.0, 6.0, reporter=f"client-{number}") for number in range(5)]
    assert pooled(*clients).counts == VerdictCounts()


def test_a_second_agent_lets_the_weaker_one_count() -> None:
    assert pooled(entry("agent-2", 4.0, 0.0), entry("agent-3", 2.0, 1.0)).others == VerdictCounts(2.0, 1.0)


def test_agents_that_contradict_each_other_second_nobody() -> None:
    assert pooled(entry("agent-2", 4.0, 0.0), entry("agent-3", 0.0, 4.0)).others == VerdictCounts()


def test_a_persons_runs_need_no_second() -> None:
    said = pooled(entry("ada@acme.test", 0.0, 3.0, is_vouched=True), entry("attacker", 12.0, 0.0))
    assert said.counts == VerdictCounts(0.0, 3.0)
    assert said.voices == 2


def test_another_kind_of_task_counts_half() -> None:
    reader = Reader("agent-1", "bug-fix", START)
    same, other = entry("agent-1", 2.0, 0.0, task_type="bug-fix"), entry("agent-1", 2.0, 0.0)
    assert pooled(same, other, reader=reader).own == VerdictCounts(3.0, 0.0)


def test_what_takes_the_place_of_another_inherits_half() -> None:
    older = PooledFeedback(own=VerdictCounts(4.0, 2.0))
    assert with_ancestors(PooledFeedback(), [older]).counts == VerdictCounts(2.0, 1.0)
