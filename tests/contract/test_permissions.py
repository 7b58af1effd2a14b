"""Who may read, change, erase and bring back what; each test names the safeguard without which it falls."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.lifecycle import deactivated_by
from memory_layer.domain.outcome import LOW_CONFIDENCE
from memory_layer.errors import Conflict, Forbidden, NotFound
from memory_layer.ports.records import Operation
from memory_layer.usecases.ground.queries import get_memory, get_operation, memory_history
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.review.configure import get_policy
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.restore_version import restore_version
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from memory_layer.usecases.write.undo import undo_last_change
from tests.given import PROJECT, START, StandingClock, put_as

ADVICE = "Run the importer with mode=ro, or it takes the write lock."
REVIEWER = Principal(tenant="acme", subject="rev", roles=frozenset({"reviewer"}))
ANALYST = Principal(tenant="acme", subject="agent-9", persona="analyst")


def put(backend: EmbeddedBackend, principal: Principal, id: str = "m1", **fields: object) -> None:
    put_as(backend.ports, principal, id, ADVICE, **fields)


def status(backend: EmbeddedBackend, agent: Principal) -> str:
    return get_memory(backend.ports, agent, PROJECT, "m1").status


def test_settings_are_an_admins_to_read(backend: EmbeddedBackend, agent: Principal, admin: Principal) -> None:
    """Falls without the check in `get_policy`."""
    for principal in (agent, REVIEWER):
        with pytest.raises(Forbidden):
            get_policy(backend.ports, principal, PROJECT)
    assert get_policy(backend.ports, admin, PROJECT).version == 0


def test_a_reviewer_erases_nothing_of_others(
    backend: EmbeddedBackend, agent: Principal, admin: Principal
) -> None:
    """Falls without the owner check of `erase_memory`."""
    put(backend, agent)
    with pytest.raises(Forbidden):
        erase_memory(backend.ports, REVIEWER, PROJECT, "m1")
    assert status(backend, agent) == "active"
    erase_memory(backend.ports, agent, PROJECT, "m1")
    put(backend, agent)
    erase_memory(backend.ports, admin, PROJECT, "m1")


def test_an_operation_is_its_principals(backend: EmbeddedBackend, agent: Principal, admin: Principal) -> None:
    """Falls without the owner check of `get_operation`."""
    operation = Operation("op_1", agent.tenant, agent.name, "memories:batch", "succeeded", 1, 1, START)
    backend.ports.store.requests.put_operation(operation)
    elsewhere = Principal(tenant="globex", subject=agent.subject, roles=frozenset({"admin"}))
    for stranger in (REVIEWER, ANALYST, elsewhere):
        with pytest.raises(NotFound):
            get_operation(backend.ports, stranger, "op_1")
    assert get_operation(backend.ports, agent, "op_1") == get_operation(backend.ports, admin, "op_1")


def test_a_history_passes_over_what_another_persona_said(
    backend: EmbeddedBackend, agent: Principal, admin: Principal
) -> None:
    """Falls without `may_see` in `read._chain`."""
    put(backend, admin, persona="analyst")
    said = {"id": "m2", "content": "Run it with mode=rw.", "persona": None}
    supersede_memory(backend.ports, admin, PROJECT, "m1", said)

    def told(principal: Principal) -> set[str]:
        return {version.memory.id for version in memory_history(backend.ports, principal, PROJECT, "m2")}

    assert told(agent) == {"m2"}
    assert told(ANALYST) == {"m1", "m2"}


@pytest.mark.parametrize("claim", [{"created_by": "ada@acme.test"}, {"persona": "analyst"}, {"pinned": True}])
def test_an_agent_claims_no_trust_later(
    backend: EmbeddedBackend, agent: Principal, claim: dict[str, object]
) -> None:
    """Falls without `check_claims` in `revise`."""
    put(backend, agent)
    with pytest.raises(Forbidden):
        revise(backend.ports, agent, PROJECT, "m1", claim)


def test_an_id_that_is_not_free_says_nothing_of_who_has_it(
    backend: EmbeddedBackend, agent: Principal, admin: Principal
) -> None:
    """Falls without the look at the store in `put._create`."""
    put(backend, ANALYST)
    with pytest.raises(NotFound):
        get_memory(backend.ports, agent, PROJECT, "m1")
    with pytest.raises(Conflict) as refused:
        put(backend, agent)
    assert refused.value.detail.startswith("the id m1 is not free; choose another one")
    for word in ("exists", "read it", "analyst", "persona", ANALYST.name):
        assert word not in refused.value.detail
    assert get_memory(backend.ports, admin, PROJECT, "m1").created_by == ANALYST.name


def test_what_a_reviewer_set_inactive_comes_back_by_a_reviewer(
    backend: EmbeddedBackend, agent: Principal
) -> None:
    """Falls without the question in `lifecycle.activate` who took it out."""
    put(backend, agent)
    revise(backend.ports, REVIEWER, PROJECT, "m1", {"active": False})
    with pytest.raises(Conflict) as refused:
        revise(backend.ports, agent, PROJECT, "m1", {"active": True})
    assert deactivated_by(REVIEWER.name) in refused.value.detail
    assert revise(backend.ports, REVIEWER, PROJECT, "m1", {"active": True}).memory.is_active


def test_what_its_creator_set_inactive_comes_back_by_them(backend: EmbeddedBackend, agent: Principal) -> None:
    put(backend, agent)
    revise(backend.ports, agent, PROJECT, "m1", {"active": False})
    assert get_memory(backend.ports, agent, PROJECT, "m1").status_reason == deactivated_by(agent.name)
    assert revise(backend.ports, agent, PROJECT, "m1", {"active": True}).memory.is_active
    revise(backend.ports, agent, PROJECT, "m1", {"active": False})
    archive_memory(backend.ports, agent, PROJECT, "m1")
    put(backend, agent)
    assert status(backend, agent) == "active"


def test_what_outcomes_took_out_comes_back_by_a_reviewer(
    backend: EmbeddedBackend, agent: Principal, admin: Principal
) -> None:
    """Falls without the question in `lifecycle.activate`: a `worked` of its own lifts the confidence again."""
    put(backend, agent, confidence=0.2)
    report_outcome(backend.ports, admin, PROJECT, "m1", OutcomeReport(result="failed"))
    assert get_memory(backend.ports, agent, PROJECT, "m1").status_reason == LOW_CONFIDENCE
    report_outcome(backend.ports, agent, PROJECT, "m1", OutcomeReport(result="worked"))
    with pytest.raises(Conflict):
        revise(backend.ports, agent, PROJECT, "m1", {"active": True})
    assert approve_memory(backend.ports, REVIEWER, PROJECT, "m1").is_active


def expire(backend: EmbeddedBackend, agent: Principal, clock: StandingClock) -> None:
    revise(backend.ports, agent, PROJECT, "m1", {"expires_at": clock.moment + timedelta(days=1)})
    clock.advance(days=2)


def go(step: str, backend: EmbeddedBackend, agent: Principal, clock: StandingClock) -> None:
    """What an agent may do to its own memory, whatever has become of it."""
    ports = backend.ports
    if step == "expire":
        expire(backend, agent, clock)
    elif step == "archive":
        archive_memory(ports, agent, PROJECT, "m1")
    elif step == "judge":
        report_outcome(ports, agent, PROJECT, "m1", OutcomeReport(result="worked"))
    else:
        revise(ports, agent, PROJECT, "m1", {"summary": "Else."} if step == "edit" else {"active": False})


@pytest.mark.parametrize("detour", ["archive", "expire", "expire edit", "expire judge", "deactivate"])
def test_no_detour_brings_back_what_a_reviewer_took_out(
    backend: EmbeddedBackend, agent: Principal, clock: StandingClock, detour: str
) -> None:
    """Falls without: the reason kept by `lifecycle.archive`, `as_stored` in `revise` and in `report_outcome`."""
    put(backend, agent)
    revise(backend.ports, REVIEWER, PROJECT, "m1", {"active": False})
    for step in detour.split():
        go(step, backend, agent, clock)
    revise(backend.ports, agent, PROJECT, "m1", {"expires_at": None})
    put(backend, agent, expires_at=None)
    assert status(backend, agent) != "active"
    with pytest.raises(Conflict):
        revise(backend.ports, agent, PROJECT, "m1", {"active": True})


def test_what_merely_expired_comes_back_with_a_new_expiry(
    backend: EmbeddedBackend, agent: Principal, clock: StandingClock
) -> None:
    put(backend, agent)
    expire(backend, agent, clock)
    assert revise(backend.ports, agent, PROJECT, "m1", {"summary": "Else."}).memory.status == "archived"
    report_outcome(backend.ports, agent, PROJECT, "m1", OutcomeReport(result="worked"))
    assert status(backend, agent) == "archived"
    back = revise(backend.ports, agent, PROJECT, "m1", {"expires_at": None}).memory
    assert (back.status, back.status_reason) == ("active", None)


def test_a_reviewers_word_holds_over_what_its_creator_took_out_first(
    backend: EmbeddedBackend, agent: Principal
) -> None:
    """Falls without the reviewer's reason in the place of the creator's in `lifecycle.deactivate`."""
    put(backend, agent)
    for principal in (agent, REVIEWER):
        revise(backend.ports, principal, PROJECT, "m1", {"active": False})
    with pytest.raises(Conflict):
        revise(backend.ports, agent, PROJECT, "m1", {"active": True})


@pytest.mark.parametrize("reason", [None, "no longer so"])
def test_a_reviewers_word_holds_over_what_its_creator_archived_first(
    backend: EmbeddedBackend, agent: Principal, reason: str | None
) -> None:
    """Falls where what is archived already stays as it is, or where only the first hand counts."""
    put(backend, agent)
    for principal in (agent, REVIEWER, REVIEWER):
        after = archive_memory(backend.ports, principal, PROJECT, "m1", reason=reason)
    assert after.version == 3, "the second time by one hand changes nothing"
    with pytest.raises(Forbidden):
        undo_last_change(backend.ports, agent, PROJECT, "m1")
    with pytest.raises(Forbidden):
        restore_version(backend.ports, agent, PROJECT, "m1", 1)
    put(backend, agent)
    assert status(backend, agent) == "archived"
    assert archive_memory(backend.ports, agent, PROJECT, "m1").version == 3
    assert undo_last_change(backend.ports, REVIEWER, PROJECT, "m1").status == "archived"
    assert get_memory(backend.ports, REVIEWER, PROJECT, "m1").status_reason != after.status_reason
