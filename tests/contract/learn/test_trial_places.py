"""Trial places: what is new is shown beside what is proven, a few times, until verdicts tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.learning.run import Run
from memory_layer.domain.ranking import TaskProfile
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.learn.read_uses import recalls_that_showed
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall import try_newcomer
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.recall import RecallRequest, RecallResult, recall
from memory_layer.usecases.review.configure import set_policy
from tests.given import ADMIN, PROJECT, SCOPE, StandingClock, remembered

QUESTION = "how do we get rid of throttled writes in DynamoDB?"
ADVICE = (
    "Get rid of throttled writes in DynamoDB: spread the partition key.",
    "Get rid of throttled writes in DynamoDB: switch the table to on demand.",
    "Get rid of throttled writes in DynamoDB: make the batches smaller.",
    "Get rid of throttled writes in DynamoDB: put a queue in front of it.",
    "Get rid of throttled writes in DynamoDB: raise the retries of the client.",
    "Get rid of throttled writes in DynamoDB: warm the table before the sale.",
)
NEWEST = "To get rid of throttled writes in DynamoDB, cache the hottest items."
LIST = 5


def say(backend: EmbeddedBackend, who: Principal, content: str, id: str) -> str:
    own = {"id": id, "type": "pattern", "category": "general"}
    return remembered(backend.ports, who, content, project=PROJECT, on_duplicate="create", **own).id


def ask(backend: EmbeddedBackend, **changed: Any) -> RecallResult:
    return recall(
        backend.ports, ADMIN, PROJECT, RecallRequest(**{"query": QUESTION, "limit": LIST, **changed})
    )


def shown(backend: EmbeddedBackend, **changed: Any) -> list[str]:
    return [one.memory.id for one in ask(backend, **changed).memories]


def judge(backend: EmbeddedBackend, by: Principal, id: str, run: str, result: Any = "worked") -> None:
    report_outcome(backend.ports, by, PROJECT, id, OutcomeReport(result=result, session_id=run))


def proven_project(
    backend: EmbeddedBackend, clock: StandingClock, who: Principal = ADMIN, newest_of: Principal = ADMIN
) -> str:
    """Six memories of a year ago, each of which worked five times, and a new one. Returns: the id of the new one."""
    known = [say(backend, who, content, f"m{number}") for number, content in enumerate(ADVICE)]
    clock.advance(days=365)
    for id in known:
        for number in range(5):
            judge(backend, ADMIN, id, f"run-{id}-{number}")
    newest = say(backend, newest_of, NEWEST, "newest")
    clock.advance(days=50)
    backend.drain()
    return newest


def test_a_new_memory_takes_the_last_place_beside_proven_ones(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    newest = proven_project(backend, clock)
    without, found = ask(backend, explores=False), ask(backend)
    before = [one.memory.id for one in without.memories]
    assert newest not in before
    assert [one.memory.id for one in found.memories] == [*before[:-1], newest]
    assert found.memories[-1].placed_by == "exploration"
    scores = [one.score for one in found.memories]
    assert scores == sorted(scores, reverse=True)
    assert (found.evidence, found.abstained) == (without.evidence, without.abstained)


def test_a_receipt_tells_no_chance_of_a_trial(backend: EmbeddedBackend, clock: StandingClock) -> None:
    """Falls where the trial's chance is that of the draws: what is certain to stand there would be told to be rare."""
    newest = proven_project(backend, clock)
    first = ask(backend, run_id="run-1")
    run = Run(run_id="run-1", objective="Fix the writes", status="completed", iterations=())
    learn_from_run(backend.ports, ADMIN, PROJECT, run, "auto")
    assert first.memories[-1].memory.id == newest
    chances: list[float | None] = []
    for number in range(8):
        last = ask(backend, run_id=f"later-{number}").memories[-1].memory.id
        (receipt,) = backend.ports.store.receipts.of_run(SCOPE, f"later-{number}")
        assert receipt.exploration is not None
        assert all(receipt.exploration.chances[:-1])
        chances += receipt.exploration.chances[-1:] if last == newest else ()
    assert None in chances, "no list tried it by the last place alone"
    told = [one.chance for one in recalls_that_showed(backend.ports, ADMIN, PROJECT, newest)]
    assert told.count(None) == chances.count(None) + 1, "and the first, which explored nothing"


def test_at_0_and_in_prompts_and_brief_lists_nothing_is_tried(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    newest = proven_project(backend, clock)
    prompt = compose_prompt(backend.ports, ADMIN, PROJECT, QUESTION, TaskProfile(), limit=LIST)
    assert newest not in [one.id for one in prompt.memories]
    assert newest not in shown(backend, limit=LIST - 1)
    set_policy(backend.ports, ADMIN, PROJECT, lambda old: replace(old, exploration=0.0))
    assert newest not in shown(backend)


def test_a_trial_ends_after_some_showings(
    backend: EmbeddedBackend, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without the count of showings: what nobody judges would stand there for good."""
    monkeypatch.setattr(try_newcomer, "TRIES", 2)
    newest = proven_project(backend, clock)
    for _ in range(2):
        found = ask(backend)
        assert newest in [one.memory.id for one in found.memories]
        assert (
            backend.ports.store.receipts.get(SCOPE, found.recall_id) is not None
        )  # it and its counts are written
        backend.drain()
    assert newest not in shown(backend)


def test_a_trial_ends_with_age(backend: EmbeddedBackend, clock: StandingClock) -> None:
    newest = proven_project(backend, clock)
    clock.advance(days=11)
    assert newest not in shown(backend)


@pytest.mark.parametrize("result", ["worked", "failed"])
def test_a_trial_ends_with_the_first_verdict(
    backend: EmbeddedBackend, clock: StandingClock, agent: Principal, result: str
) -> None:
    newest = proven_project(backend, clock)
    judge(backend, agent, newest, "run-9", result)
    assert [one.placed_by for one in ask(backend).memories] == ["relevance"] * LIST


def test_an_agents_new_line_is_not_tried_beside_what_people_vouch_for(
    backend: EmbeddedBackend, clock: StandingClock, agent: Principal
) -> None:
    """Falls without the bound on trust: a line that an agent has just written would stand among the first five."""
    assert proven_project(backend, clock, newest_of=agent) not in shown(backend)


def test_the_next_new_one_is_tried_when_others_were(
    backend: EmbeddedBackend, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where only the first few new ones are counted: those that were shown often enough would bar all others."""
    monkeypatch.setattr(try_newcomer, "TRIES", 1)
    proven_project(backend, clock)
    for number in range(6):
        say(backend, ADMIN, f"{NEWEST[:-1]} of shelf {number}.", f"new{number}")
    backend.drain()
    tried = set()
    for _ in range(7):
        found = ask(backend)
        assert backend.ports.store.receipts.get(SCOPE, found.recall_id) is not None
        backend.drain()
        tried.add(found.memories[-1].memory.id)
    assert len(tried) == 7


def test_nothing_is_tried_where_a_least_score_is_asked_for(
    backend: EmbeddedBackend, clock: StandingClock
) -> None:
    """Falls where what is tried takes the score of the memory whose place it has."""
    newest = proven_project(backend, clock)
    assert newest in shown(backend)
    assert newest not in shown(backend, min_score=0.01)
