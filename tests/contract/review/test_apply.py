"""What a project learned, for the whole tenant."""

from __future__ import annotations

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import SHARED_PROJECT, Principal, origin_of
from memory_layer.domain.memory import Relation
from memory_layer.domain.ranking import TaskProfile
from memory_layer.errors import Conflict, Forbidden, Invalid
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.enrich import enrich
from memory_layer.usecases.review.apply_memory import SharedMemory, apply_memory
from memory_layer.usecases.review.approve import approve_memory, reject_memory
from memory_layer.usecases.review.rollback import roll_back, undo_rollback
from memory_layer.usecases.write.forget import erase_memory
from memory_layer.usecases.write.put import put_memory
from tests.given import REVIEWER, StandingClock, recalled_ids

PROJECT, OTHER = "web", "billing"
FACT = "The ledger service locks the table while it compacts."


def applied(backend: EmbeddedBackend, id: str = "m1") -> SharedMemory:
    return apply_memory(backend.ports, REVIEWER, PROJECT, id, "glossary_term")


def recalled(backend: EmbeddedBackend, who: Principal, project: str) -> list[str]:
    return recalled_ids(backend.ports, who, "what locks the ledger table?", project=project)


def test_it_is_recalled_beside_every_project_and_linked_both_ways(
    backend: EmbeddedBackend, agent: Principal, admin: Principal
) -> None:
    put_memory(backend.ports, admin, PROJECT, "m1", {"content": FACT, "tags": ["ledger"]})
    result = applied(backend)
    assert (result.shared.project, result.shared.content, result.shared.tags) == (
        SHARED_PROJECT,
        FACT,
        ("ledger",),
    )
    assert result.shared.detail["applied_as"] == "glossary_term"
    assert origin_of(result.shared) == "web/m1"
    assert Relation("applied_to", f"_shared/{result.shared.id}") in result.origin.relations
    assert recalled(backend, agent, OTHER) == [result.shared.id]


def test_an_insight_is_shared_with_what_it_suggests(backend: EmbeddedBackend, admin: Principal) -> None:
    insight = {
        "suggested_actions": ["add a description to ledger.amount"],
        "related_columns": ["ledger.amount"],
    }
    put_memory(backend.ports, admin, PROJECT, "m1", {"content": FACT, "detail": insight})
    assert get_memory(backend.ports, admin, PROJECT, "m1").detail == insight
    shared = applied(backend).shared
    assert {name: shared.detail[name] for name in insight} == insight


def test_its_own_project_hears_it_once(backend: EmbeddedBackend, agent: Principal, admin: Principal) -> None:
    """Falls without `without_copies`."""
    put_memory(backend.ports, admin, PROJECT, "m1", {"content": FACT})
    applied(backend)
    assert recalled(backend, agent, PROJECT) == ["m1"]
    prompt = compose_prompt(backend.ports, agent, PROJECT, "compact the ledger", TaskProfile(), limit=5)
    assert [memory.id for memory in prompt.memories] == ["m1"]


def test_nobody_drops_what_is_shared_by_the_id_of_its_origin(
    backend: EmbeddedBackend, agent: Principal, admin: Principal
) -> None:
    """Falls where any memory of that id is the origin: its owner erased it, and an agent wrote a lie under its id."""
    urn = {"entities": ["urn:service:ledger"]}
    put_memory(backend.ports, admin, PROJECT, "m1", {"content": FACT, **urn})
    shared = applied(backend).shared.id
    erase_memory(backend.ports, admin, PROJECT, "m1")
    lie = "The ledger service locks nothing while it compacts."
    put_memory(backend.ports, agent, PROJECT, "m1", {"content": lie, **urn})
    assert recalled(backend, agent, PROJECT)[0] == shared
    told = enrich(backend.ports, agent, PROJECT, "urn:service:ledger", limit=5, tokens_max=400)
    assert FACT in str(told)


def test_applied_again_it_is_the_same(backend: EmbeddedBackend, agent: Principal, admin: Principal) -> None:
    put_memory(backend.ports, admin, PROJECT, "m1", {"content": FACT})
    first = applied(backend)
    assert applied(backend) == first
    report_outcome(backend.ports, agent, SHARED_PROJECT, first.shared.id, OutcomeReport(result="worked"))
    put_memory(backend.ports, admin, PROJECT, "m1", {"content": f"{FACT} Compaction runs at night."})
    second = applied(backend)
    assert second.shared.content.endswith("at night.")
    assert (second.shared.id, second.shared.worked) == (first.shared.id, 1)


def test_only_what_somebody_reviewed(backend: EmbeddedBackend, agent: Principal, admin: Principal) -> None:
    put_memory(backend.ports, agent, PROJECT, "m1", {"content": FACT})
    with pytest.raises(Forbidden):
        apply_memory(backend.ports, agent, PROJECT, "m1", "memory")
    with pytest.raises(Conflict, match="approve it first"):
        applied(backend)
    approve_memory(backend.ports, admin, PROJECT, "m1")
    assert applied(backend).shared.approved_by == REVIEWER.name


def test_what_was_taken_out_of_the_shared_ones_stays_out(backend: EmbeddedBackend, admin: Principal) -> None:
    put_memory(backend.ports, admin, PROJECT, "m1", {"content": FACT})
    reject_memory(backend.ports, admin, SHARED_PROJECT, applied(backend).shared.id)
    with pytest.raises(Conflict, match="rejected"):
        applied(backend)


def test_one_personas_memory_is_not_shared_unawares(backend: EmbeddedBackend, admin: Principal) -> None:
    put_memory(backend.ports, admin, PROJECT, "m1", {"content": FACT, "persona": "analyst"})
    with pytest.raises(Conflict, match="persona"):
        apply_memory(backend.ports, admin, PROJECT, "m1", "memory")


def test_what_is_shared_already_is_not_applied(backend: EmbeddedBackend, admin: Principal) -> None:
    put_memory(backend.ports, admin, SHARED_PROJECT, "m1", {"content": FACT})
    with pytest.raises(Invalid):
        apply_memory(backend.ports, REVIEWER, SHARED_PROJECT, "m1", "memory")


def test_half_an_application_is_completed(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends between the two projects; the link is made by the next call."""
    put_memory(backend.ports, admin, PROJECT, "m1", {"content": FACT})

    def crash(*_: object) -> None:
        raise RuntimeError("the process ends here")

    with monkeypatch.context() as patched:
        patched.setattr("memory_layer.usecases.review.apply_memory._linked", crash)
        with pytest.raises(RuntimeError):
            applied(backend)
    assert get_memory(backend.ports, admin, PROJECT, "m1").relations == ()
    result = applied(backend)
    assert result.shared.version == 1
    assert len(result.origin.relations) == 1


def test_what_is_rolled_back_is_shared_no_more(
    backend: EmbeddedBackend, agent: Principal, admin: Principal, clock: StandingClock
) -> None:
    """Falls without `_settled_shared`: an agent's words stay everybody's, approved, after all it did was taken back."""
    put_memory(backend.ports, agent, PROJECT, "m1", {"content": FACT})
    approve_memory(backend.ports, REVIEWER, PROJECT, "m1")
    put_memory(
        backend.ports, admin, PROJECT, "m2", {"content": "The ledger is closed at six in the evening."}
    )
    shared, kept = applied(backend).shared.id, applied(backend, "m2").shared.id
    clock.advance(minutes=1)
    dry = roll_back(backend.ports, admin, PROJECT, agent.name, id="dry", is_dry_run=True)
    assert dry.counts["shared"] == 1
    assert get_memory(backend.ports, admin, SHARED_PROJECT, shared).is_active
    assert roll_back(backend.ports, admin, PROJECT, agent.name, id="rb").counts["shared"] == 1
    assert get_memory(backend.ports, admin, SHARED_PROJECT, shared).status == "archived"
    assert recalled(backend, agent, OTHER) == [kept]
    clock.advance(minutes=1)
    assert undo_rollback(backend.ports, admin, PROJECT, "rb").counts["shared"] == 1
    assert get_memory(backend.ports, admin, SHARED_PROJECT, shared).is_trusted
    assert set(recalled(backend, agent, OTHER)) == {shared, kept}
