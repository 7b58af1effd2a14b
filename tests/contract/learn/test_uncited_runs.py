"""Runs that cite nothing: their verdict meets what they were shown, moves lists alone, and can be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, as_agent
from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.domain.learning.run import Analysis, Iteration, Run
from memory_layer.domain.memory import Memory
from memory_layer.domain.ranking import TaskProfile
from memory_layer.errors import Forbidden, NotFound
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.learn.estimate_outcome import OutcomeEstimate, estimate_outcome
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.learn.read_uses import recalls_that_showed
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.recall import RecallRequest, RecallResult, recall
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.review.rollback import roll_back, undo_rollback
from memory_layer.usecases.transfer.erase import erase
from memory_layer.usecases.write.forget import erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from memory_layer.usecases.write.supersede import supersede_memory
from tests.given import ADMIN, PROJECT, REVIEWER, Counter, StandingClock

QUESTION = "how do we get rid of throttled writes in DynamoDB?"
ADVICE = (
    "Against throttled writes in DynamoDB we spread the partition key.",
    "Throttled writes in DynamoDB went away once the table was on demand.",
    "For throttled writes in DynamoDB the batch size is the first thing to look at.",
    "A queue in front of DynamoDB took care of throttled writes.",
    "DynamoDB documents throttled writes of a hot partition as a known limit.",
    "With throttled writes in DynamoDB, look at the retries of the client first.",
)
OTHER = Principal("acme", "agent-8")
MEASURED = ("outcome_score", "confidence", "relevance_score", "use_count", "status", "version", "doubted")


def say(backend: EmbeddedBackend, who: Principal = ADMIN) -> list[Memory]:
    fields = {"type": "pattern", "category": "general"}
    asked = [RememberRequest(fields={**fields, "content": text}, on_duplicate="create") for text in ADVICE]
    stored = [remember(backend.ports, who, PROJECT, one) for one in asked]
    return [one.memory for one in stored if isinstance(one, StoredMemory)]


def ask(backend: EmbeddedBackend, who: Principal, run_id: str | None = None, **changed: Any) -> RecallResult:
    return recall(
        backend.ports,
        who,
        PROJECT,
        RecallRequest(**{"query": QUESTION, "limit": 3, "run_id": run_id, **changed}),
    )


def ids(found: RecallResult) -> list[str]:
    return [one.memory.id for one in found.memories]


def end(
    backend: EmbeddedBackend, who: Principal, run_id: str, *, worked: bool = True, **changed: Any
) -> dict[str, Any]:
    status = "completed" if worked else "failed"
    told = {"run_id": run_id, "objective": "Fix the writes", "status": status, "iterations": ()}
    learned = learn_from_run(backend.ports, who, PROJECT, Run(**{**told, **changed}), "auto")
    return dict(learned.record.result or {})


def told_run(backend: EmbeddedBackend, who: Principal, run_id: str, *, worked: bool) -> list[str]:
    shown = ids(ask(backend, who, run_id))
    end(backend, who, run_id, worked=worked)
    return shown


def estimate(backend: EmbeddedBackend, who: Principal, id: str) -> OutcomeEstimate:
    return estimate_outcome(backend.ports, who, PROJECT, id)


def measured(memory: Memory) -> list[object]:
    return [getattr(memory, name) for name in MEASURED]


def explores(backend: EmbeddedBackend, amount: float) -> None:
    set_policy(backend.ports, ADMIN, PROJECT, lambda old: replace(old, exploration=amount))


def test_a_verdict_meets_what_the_run_was_shown_and_nothing_else(
    backend: EmbeddedBackend, agent: Principal
) -> None:
    """The records stay as they are: weak evidence moves neither scores nor standing."""
    said = say(backend)
    shown = told_run(backend, agent, "run-1", worked=True)
    for memory in said:
        own = estimate(backend, agent, memory.id).weak.own
        assert (own.worked, own.failed) == ((1.0, 0.0) if memory.id in shown else (0.0, 0.0))
        assert measured(get_memory(backend.ports, agent, PROJECT, memory.id)) == measured(memory)


def test_a_run_names_the_recalls_that_it_was_shown(backend: EmbeddedBackend, agent: Principal) -> None:
    say(backend)
    found = ask(backend, agent)
    end(backend, agent, "run-1", worked=False, recall_ids=(found.recall_id, "rcl_unknown"))
    assert [estimate(backend, agent, id).weak.own.failed for id in ids(found)] == [1.0] * 3


def test_a_prompt_counts_as_shown(backend: EmbeddedBackend, agent: Principal) -> None:
    say(backend)
    prompt = compose_prompt(backend.ports, agent, PROJECT, QUESTION, TaskProfile(), limit=3)
    end(backend, agent, "run-1", recall_ids=(prompt.recall_id,))
    assert estimate(backend, agent, prompt.memories[0].id).weak.own.worked == 1.0


def test_another_agents_recall_under_the_runs_id_is_not_its_own(
    backend: EmbeddedBackend, agent: Principal
) -> None:
    """Falls without the check of the receipt's principal: whoever knows a run's id could name what it judges."""
    say(backend)
    planted = ids(ask(backend, OTHER, "run-1"))
    end(backend, agent, "run-1", worked=False)
    assert all(estimate(backend, agent, id).weak.own.failed == 0.0 for id in planted)


@pytest.mark.parametrize("changed", [{"status": "crashed"}, {"tools": True}, {"cites": True}])
def test_crashes_failures_of_tools_and_citing_runs_blame_nothing_else(
    backend: EmbeddedBackend, agent: Principal, changed: dict[str, Any]
) -> None:
    said = say(backend)
    shown = ids(ask(backend, agent, "run-1"))
    told: dict[str, Any] = {}
    if "tools" in changed:
        errors = Analysis(errors=("ConnectionError: network is unreachable",))
        told["iterations"] = (Iteration(number=1, status="failed", analysis=errors),)
    if "cites" in changed:
        told["memories_used"] = (said[0].id,)
    result = end(
        backend,
        agent,
        "run-1",
        worked=False,
        **{**({"status": "crashed"} if "status" in changed else {}), **told},
    )
    assert ("failed_by" in result) == ("tools" in changed)
    assert all(estimate(backend, agent, id).weak.counts == (0.0, 0.0) for id in shown)


def test_a_run_that_is_told_again_counts_once(backend: EmbeddedBackend, agent: Principal) -> None:
    say(backend)
    shown = told_run(backend, agent, "run-1", worked=True)
    end(backend, agent, "run-1")
    assert estimate(backend, agent, shown[0]).weak.own.worked == 1.0


def test_runs_of_one_agent_move_nobody_elses_list(
    backend: EmbeddedBackend, agent: Principal, on_engines: bool
) -> None:
    """Falls where one voice counts for others: forty failed runs would sink what another agent is shown."""
    said = say(backend)
    before = ids(ask(backend, agent))
    for number in range(10 if on_engines else 40):
        told_run(backend, OTHER, f"hostile-{number}", worked=number % 2 == 0)
    assert [ids(ask(backend, agent)) for _ in range(5)] == [before] * 5
    for memory in said:
        assert estimate(backend, agent, memory.id).weak.counts == (0.0, 0.0)
        assert measured(get_memory(backend.ports, agent, PROJECT, memory.id)) == measured(memory)


def test_lists_learn_what_serves(backend: EmbeddedBackend, agent: Principal, on_engines: bool) -> None:
    """Three of six memories help; a run uses two of the three that it is shown, and works if both do.

    Ids are counted, since a recall draws by its own: `make bench-learning` tells the mean over many draws.
    """
    backend = cast("EmbeddedBackend", SimpleNamespace(ports=replace(backend.ports, new_id=Counter())))
    explores(backend, 1.0)
    said = say(backend)
    helpful = {memory.id for memory in said[::2]}
    shares = []
    for number in range(30 if on_engines else 60):
        shown = ids(ask(backend, agent, f"run-{number}"))
        used = set(shown) - {shown[number % 3]}
        end(backend, agent, f"run-{number}", worked=used <= helpful)
        shares.append(len(set(shown) & helpful) / 3)
    assert sum(shares[-10:]) > sum(shares[:10])
    assert sum(shares[-10:]) / 10 >= 0.8


def test_a_setting_of_0_gives_todays_order(backend: EmbeddedBackend, agent: Principal) -> None:
    say(backend)
    before = ask(backend, agent, explores=False)
    for number in range(6):
        told_run(backend, agent, f"run-{number}", worked=False)
    explores(backend, 0.0)
    after = ask(backend, agent)
    assert [(one.memory.id, one.score, one.placed_by) for one in after.memories] == [
        (one.memory.id, one.score, one.placed_by) for one in before.memories
    ]


def test_a_single_hit_a_past_list_and_a_prompt_never_explore(
    backend: EmbeddedBackend, agent: Principal, clock: StandingClock
) -> None:
    say(backend)
    clock.moment += timedelta(hours=1)

    def first() -> list[list[str]]:
        prompt = compose_prompt(backend.ports, agent, PROJECT, QUESTION, TaskProfile(), limit=3)
        past = ask(backend, agent, as_of=clock.moment)
        return [ids(ask(backend, agent, limit=1)), ids(past), [one.id for one in prompt.memories]]

    before = first()
    for number in range(6):
        told_run(backend, agent, f"run-{number}", worked=False)
    assert [first() for _ in range(4)] == [before] * 4


def test_a_receipt_keeps_the_run_and_the_chance_of_each(backend: EmbeddedBackend, agent: Principal) -> None:
    say(backend)
    told_run(backend, agent, "run-1", worked=False)
    second = ask(backend, agent, "run-2")
    (receipt,) = backend.ports.store.receipts.of_run(agent.scope(PROJECT), "run-2")
    assert (receipt.recall_id, receipt.run_id) == (second.recall_id, "run-2")
    assert receipt.exploration is not None
    assert all(chance and chance <= 1.0 for chance in receipt.exploration.chances)
    assert len(receipt.exploration.chances) == 3
    showing = recalls_that_showed(backend.ports, REVIEWER, PROJECT, ids(second)[0])
    assert {one.receipt.run_id: one.chance is None for one in showing} == {"run-2": False} | (
        {"run-1": True} if len(showing) > 1 else {}
    )


def test_the_evidence_of_an_answer_is_the_same_whether_it_explores(
    backend: EmbeddedBackend, agent: Principal
) -> None:
    say(backend)
    told_run(backend, agent, "run-1", worked=False)
    calm = ask(backend, agent, explores=False)
    for _ in range(4):
        tried = ask(backend, agent)
        assert tried.evidence == calm.evidence
        assert all(one.relevance > 0.0 for one in tried.memories)


def test_a_successor_inherits_and_a_rest_is_forgotten(backend: EmbeddedBackend, agent: Principal) -> None:
    say(backend)
    shown = told_run(backend, agent, "run-1", worked=True)
    text = {"content": "Throttled writes in DynamoDB: spread the key and put a queue before the table."}
    new = supersede_memory(backend.ports, ADMIN, PROJECT, shown[0], text)
    assert isinstance(new, StoredMemory)
    assert estimate(backend, agent, new.memory.id).weak.inherited.worked == 0.5
    erase_memory(backend.ports, ADMIN, PROJECT, shown[1])
    scope = agent.scope(PROJECT)
    assert list(backend.ports.store.learnings.feedback(scope, [f"{PROJECT}/{shown[1]}"])) == []
    with pytest.raises(NotFound):
        estimate(backend, agent, shown[1])


def rows(backend: EmbeddedBackend) -> dict[str, Sequence[object]]:
    page = backend.ports.store.learnings.feedback_page(ADMIN.scope(PROJECT), after=None, limit=200)
    return {row.memory: sorted(map(repr, row.entries)) for row in page.feedback}


def test_a_rollback_takes_weak_evidence_back_and_its_undo_brings_it(
    backend: EmbeddedBackend, agent: Principal
) -> None:
    """Equal to a replay: what is left is what the other agent's runs alone have made."""
    say(backend)
    told_run(backend, agent, "run-1", worked=True)
    alone = rows(backend)
    for number in range(3):
        told_run(backend, OTHER, f"hostile-{number}", worked=False)
    both = rows(backend)
    roll_back(backend.ports, ADMIN, PROJECT, OTHER.name, id="rbk_1")
    assert rows(backend) == alone
    undo_rollback(backend.ports, ADMIN, PROJECT, "rbk_1")
    assert rows(backend) == both


def test_a_rollback_of_a_person_takes_back_the_weak_evidence_of_its_agents(
    backend: EmbeddedBackend, agent: Principal
) -> None:
    """Falls if the reporter alone is rebuilt who is called as the rollback asks."""
    say(backend)
    told_run(backend, agent, "run-1", worked=True)
    alone = rows(backend)
    person = Principal("acme", "bob", "bob@acme.test")
    for client in ("codex", "claude"):
        told_run(backend, as_agent(person, client, "s"), f"run-{client}", worked=False)
    both = rows(backend)
    assert both != alone
    roll_back(backend.ports, ADMIN, PROJECT, "bob@acme.test", id="rbk_1")
    assert rows(backend) == alone
    undo_rollback(backend.ports, ADMIN, PROJECT, "rbk_1")
    assert rows(backend) == both


def test_pages_of_feedback_go_on_where_the_last_one_ended(backend: EmbeddedBackend, agent: Principal) -> None:
    say(backend)
    for number in range(4):
        told_run(backend, agent, f"run-{number}", worked=False)
    scope, after, found = agent.scope(PROJECT), None, list[str]()
    while True:
        page = backend.ports.store.learnings.feedback_page(scope, after=after, limit=2)
        found += [row.memory for row in page.feedback]
        if (after := page.next_key) is None:
            break
    assert found == sorted(rows(backend))
    assert len(found) > 2


def test_only_reviewers_hear_who_was_shown_a_memory(backend: EmbeddedBackend, agent: Principal) -> None:
    say(backend)
    with pytest.raises(Forbidden):
        recalls_that_showed(backend.ports, agent, PROJECT, told_run(backend, agent, "run-1", worked=True)[0])


def test_the_erasure_of_a_reporter_reaches_runs_iterations_and_feedback(
    backend: EmbeddedBackend, agent: Principal
) -> None:
    say(backend)
    told_run(backend, agent, "run-1", worked=True)
    alone = rows(backend)
    told_run(backend, OTHER, "run-2", worked=False)
    rule, now = ErasureRule(created_by=OTHER.name), backend.ports.clock.now()
    receipt = erase(backend.ports, ADMIN, PROJECT, rule, id="ers_1", began_at=now)
    assert (receipt.stores["runs"], receipt.stores["histories"]) == (1, 1)
    assert rows(backend) == alone
    assert len(backend.ports.blobs.keys("runs/")) == 1


def test_ids_that_nobody_knows_are_told_and_the_run_is_stored(
    backend: EmbeddedBackend, agent: Principal
) -> None:
    """Falls where a wrong id is dropped in silence, or a right one is called wrong."""
    kept, *_ = say(backend)
    found = ask(backend, agent)
    nothing = ask(backend, agent, query="zebra", min_relevance=1.0)
    assert nothing.memories == ()
    run = Run(
        run_id="run-1",
        objective="Fix the writes",
        status="completed",
        iterations=(),
        memories_used=("mem_wrong", kept.id, "mem_wrong"),
        recall_ids=("rcl_wrong", found.recall_id, nothing.recall_id),
    )
    first, again = (learn_from_run(backend.ports, agent, PROJECT, run, "auto") for _ in range(2))
    assert first.unknown == again.unknown == ("mem_wrong", "rcl_wrong")
    assert (first.is_replay, again.is_replay) == (False, True)
    assert first.record.memories_used == (kept.id,)
    assert (first.record.result or {})["credited"] == 1
