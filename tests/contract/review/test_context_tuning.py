"""Feedback tunes how a project assembles its contexts: once a request, by whoever asked, until an admin resets it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.context.assembly_policy import CLASS_WEIGHTS, AssemblyPolicy
from memory_layer.domain.context.feedback_tuning import Feedback
from memory_layer.domain.context.learned_priority import LearnedPriority, PriorityReplay
from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.edge.shapes.context_answers import tuning_json
from memory_layer.errors import Forbidden, Invalid, NotFound, VersionConflict
from memory_layer.ports.commit import Commit
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.review.rollback import roll_back, undo_rollback
from memory_layer.usecases.review.tune_context import get_tuning, give_feedback, reset_tuning
from memory_layer.usecases.transfer.erase import erase
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from tests.given import StandingClock

WORSE = Feedback(coherence_score=0.1, completeness=0.1, contradiction_rate=0.9)


@pytest.fixture
def backend(open_backend: Callable[..., EmbeddedBackend], admin: Principal) -> EmbeddedBackend:
    opened = open_backend()
    remember(
        opened.ports,
        admin,
        "web",
        RememberRequest(fields={"content": "The queue keeps messages for four days."}),
    )
    return opened


def ask(backend: EmbeddedBackend, who: Principal, request_id: str, project: str = "web") -> None:
    request = ContextRequest(intent="the queue", request_id=request_id, time_ms=20_000)
    assemble_context(backend.ports, who, project, request)


def test_feedback_counts_once_and_is_kept_with_its_history(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Safeguard: the quota in the commit."""
    ask(backend, admin, "r1")
    first = give_feedback(backend.ports, admin, "web", "r1", WORSE)
    again = give_feedback(backend.ports, admin, "web", "r1", WORSE)
    assert (first.was_counted, again.was_counted) == (True, False)
    kept = get_tuning(backend.ports, admin, "web")
    assert kept == first.policy == again.policy
    assert kept.conflict_sensitivity == 1.2
    assert [(change.by, change.request_id) for change in kept.history] == [(admin.name, "r1")]


def test_who_gave_feedback_is_told_to_reviewers_and_to_themselves(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    ask(backend, admin, "r1")
    policy = give_feedback(backend.ports, admin, "web", "r1", WORSE).policy
    reviewer = replace(agent, roles=frozenset({"reviewer"}))
    told = {
        who: [(change["by"], change["request_id"]) for change in tuning_json(policy, who)["history"]]
        for who in (agent, reviewer, admin)
    }
    assert told == {agent: [(None, None)], reviewer: [(admin.name, "r1")], admin: [(admin.name, "r1")]}


def test_feedback_is_on_what_was_answered_last_under_the_id(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls where one feedback uses up the id for whatever else is asked under it."""
    for expected in (1, 2):
        ask(backend, admin, "r1")
        counted = [give_feedback(backend.ports, admin, "web", "r1", WORSE).was_counted for _ in range(2)]
        assert counted == [True, False]
        assert get_tuning(backend.ports, admin, "web").version == expected
        clock.advance(hours=1)


def test_many_at_once_all_count(backend: EmbeddedBackend, admin: Principal) -> None:
    """Safeguard: the version in the commit's condition."""
    names = [f"r{number}" for number in range(6)]
    for name in names:
        ask(backend, admin, name)
    with ThreadPoolExecutor(3) as threads:
        done = list(threads.map(lambda name: give_feedback(backend.ports, admin, "web", name, WORSE), names))
    assert all(one.was_counted for one in done)
    assert get_tuning(backend.ports, admin, "web").version == len(names)


def test_one_agent_moves_each_number_by_one_step_however_often_it_speaks(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls where feedback is taken without saying that an agent gave it. A person's still counts behind it."""
    for number in range(8):
        ask(backend, agent, f"r{number}")
        assert give_feedback(backend.ports, agent, "web", f"r{number}", WORSE).was_counted
    flooded = get_tuning(backend.ports, admin, "web")
    assert (flooded.conflict_sensitivity, flooded.entity_share) == (1.2, 0.35)
    assert (flooded.weights["general"].coherence, len(flooded.history)) == (0.2, 1)
    ask(backend, admin, "p1")
    give_feedback(backend.ports, admin, "web", "p1", WORSE)
    assert get_tuning(backend.ports, admin, "web").conflict_sensitivity == 1.44


def test_nobody_speaks_of_anothers_request(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    ask(backend, admin, "r1")
    for who, project in ((agent, "web"), (replace(admin, tenant="globex"), "web"), (admin, "another")):
        with pytest.raises(NotFound):
            give_feedback(backend.ports, who, project, "r1", WORSE)
    assert get_tuning(backend.ports, admin, "web") == AssemblyPolicy()


def test_an_admin_resets_and_the_history_says_so(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    ask(backend, admin, "r1")
    give_feedback(backend.ports, admin, "web", "r1", WORSE)
    with pytest.raises(Forbidden):
        reset_tuning(backend.ports, agent, "web")
    after = reset_tuning(backend.ports, admin, "web")
    assert (after.conflict_sensitivity, after.weights) == (1.0, AssemblyPolicy().weights)
    assert after.history[-1].why == ("reset to the defaults",)
    with pytest.raises(NotFound):
        reset_tuning(backend.ports, admin, "never-written")


def test_a_stale_version_is_not_written(backend: EmbeddedBackend, admin: Principal) -> None:
    scope = admin.scope("web")
    backend.ports.store.writer.commit(Commit(scope=scope, assembly=AssemblyPolicy(version=1)))
    with pytest.raises(VersionConflict):
        backend.ports.store.writer.commit(
            Commit(scope=scope, assembly=AssemblyPolicy(entity_share=0.5, version=1))
        )


def test_a_project_that_is_erased_takes_its_tuning_along(backend: EmbeddedBackend, admin: Principal) -> None:
    ask(backend, admin, "r1")
    give_feedback(backend.ports, admin, "web", "r1", WORSE)
    erase(backend.ports, admin, "web", ErasureRule(), id="e1", began_at=backend.ports.clock.now())
    assert get_tuning(backend.ports, admin, "web") == AssemblyPolicy()


def test_a_rollback_takes_the_feedback_of_a_principal_back_and_its_undo_brings_it_back(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls without `settle_tuning`. Others' feedback is done again as if the agent had given none."""
    told = [(agent, "r1", WORSE), (admin, "r2", Feedback(completeness=0.5)), (agent, "r3", WORSE)]
    for who, request_id, feedback in told:
        ask(backend, who, request_id)
        give_feedback(backend.ports, who, "web", request_id, feedback)
    before = get_tuning(backend.ports, admin, "web")
    planned = roll_back(backend.ports, admin, "web", agent.name, id="rbk_0", is_dry_run=True)
    assert (planned.counts["tuning"], get_tuning(backend.ports, admin, "web")) == (1, before)
    assert roll_back(backend.ports, admin, "web", agent.name, id="rbk_1").counts["tuning"] == 1
    kept = get_tuning(backend.ports, admin, "web")
    assert (kept.conflict_sensitivity, kept.entity_share, kept.weights) == (1.0, 0.35, CLASS_WEIGHTS)
    assert "tuning" not in roll_back(backend.ports, admin, "web", agent.name, id="rbk_2").counts
    undo_rollback(backend.ports, admin, "web", "rbk_2")
    assert get_tuning(backend.ports, admin, "web") == kept, "the first one still excludes the agent"
    undo_rollback(backend.ports, admin, "web", "rbk_1")
    after = get_tuning(backend.ports, admin, "web")
    assert (after.conflict_sensitivity, after.entity_share, after.weights) == (
        before.conflict_sensitivity,
        before.entity_share,
        before.weights,
    )
    assert [change.why for change in after.history[2:]] == [
        ("rolled back: rbk_1",),
        ("rollback undone: rbk_1",),
    ]


def used(backend: EmbeddedBackend, who: Principal, request_id: str, useful: list[int]) -> AssemblyPolicy:
    request = ContextRequest(intent="retries of the queue", request_id=request_id, time_ms=20_000)
    assemble_context(backend.ports, who, "web", request)
    return give_feedback(backend.ports, who, "web", request_id, Feedback(), useful).policy


def test_what_was_used_is_kept_and_taken_back_with_its_voice(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls where the note does not keep the signals of its fragments, or the rollback leaves the pages."""
    for number in range(3):
        content = f"Retries of the queue wait {number + 1} seconds on server {number}"
        remember(backend.ports, admin, "web", RememberRequest(fields={"content": content}))
    policy = used(backend, agent, "r1", [1])
    assert [len(page.useful) for page in policy.learned.pages] == [1]
    assert get_tuning(backend.ports, admin, "web").learned == policy.learned
    with pytest.raises(Invalid, match="not on the page of r2"):
        used(backend, admin, "r2", [99])
    assert used(backend, admin, "r3", []).learned == policy.learned, "none was used: nothing of the order"
    assert roll_back(backend.ports, admin, "web", agent.name, id="rbk_1").counts["tuning"] == 1
    assert get_tuning(backend.ports, admin, "web").learned.weights == ()
    undo_rollback(backend.ports, admin, "web", "rbk_1")
    assert get_tuning(backend.ports, admin, "web").learned.weights == policy.learned.weights
    assert reset_tuning(backend.ports, admin, "web").learned.pages == ()


def test_where_the_settings_say_weights_that_is_the_reason_that_is_told(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where the replay is taken away instead: then it says that there are too few pages."""
    won = PriorityReplay(pages=12, fixed=0.5, learned=0.8, gained=12, is_won=True)
    learned = LearnedPriority((), (0.1, 0.0, 0.0, 0.0, 0.0, 0.0), won)
    scope = admin.scope("web")
    backend.ports.store.writer.commit(
        Commit(scope=scope, assembly=AssemblyPolicy(learned=learned, version=1))
    )
    assert get_tuning(backend.ports, admin, "web").learned.is_on
    said = {"general": CLASS_WEIGHTS["general"]}
    set_policy(backend.ports, admin, "web", lambda old: replace(old, context_weights=said))
    ask(backend, admin, "r1")
    after_feedback = give_feedback(backend.ports, admin, "web", "r1", WORSE).policy
    for policy in (get_tuning(backend.ports, admin, "web"), after_feedback):
        told = tuning_json(policy, admin)["learned"]
        assert (told["on"], told["set_aside"], told["held_out"]) == (False, True, 12)
        assert policy.learned.weights_in_force == ()
    set_policy(backend.ports, admin, "web", lambda old: replace(old, context_weights={}))
    told = tuning_json(get_tuning(backend.ports, admin, "web"), admin)["learned"]
    assert (told["on"], told["set_aside"]) == (True, False)
