"""What has not proven itself goes out of use: all that the rule says has to hold, and it can be brought back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.prune_rule import PruneRule
from memory_layer.errors import Forbidden, Invalid
from memory_layer.ports.commit import Change, Commit
from memory_layer.usecases.ground.queries import get_memory, memory_history
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.transfer.prune import prune
from memory_layer.usecases.write.forget import archive_memory
from tests.given import PROJECT, START, StandingClock, remembered

LOW = PruneRule(min_confidence=0.4)


def fill(backend: EmbeddedBackend, admin: Principal, clock: StandingClock) -> None:
    remembered(backend.ports, admin, "Doubted.", id="low", confidence=0.3)
    remembered(backend.ports, admin, "Just enough.", id="edge", confidence=0.4, success_rate=0.1)
    clock.advance(days=10)
    remembered(backend.ports, admin, "Young and doubted.", id="young", confidence=0.3, success_rate=0.9)
    remembered(backend.ports, admin, "Used.", id="used")
    report_outcome(backend.ports, admin, PROJECT, "used", OutcomeReport(result="worked", run_id="r"))


@pytest.mark.parametrize(
    ("rule", "ids"),
    [
        (LOW, ("low", "young")),
        (PruneRule(min_success_rate=0.5), ("edge",)),  # what has no rate is not below one
        (PruneRule(older_than_days=9), ("low", "edge")),
        (PruneRule(older_than_days=10), ()),
        (PruneRule(unused=True), ("low", "edge", "young")),
        (PruneRule(min_confidence=0.4, older_than_days=9), ("low",)),
        (PruneRule(min_confidence=0.4, min_success_rate=0.95, unused=True), ("young",)),
        (PruneRule(min_confidence=0.4, min_success_rate=0.5, match="any"), ("low", "edge", "young")),
        (PruneRule(min_confidence=0.35, older_than_days=9, match="any"), ("low", "edge", "young")),
        (PruneRule(older_than_days=10, match="any"), ()),
    ],
    ids=str,
)
def test_all_that_a_rule_says_has_to_hold(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock, rule: PruneRule, ids: tuple[str, ...]
) -> None:
    fill(backend, admin, clock)
    foreseen = prune(backend.ports, admin, PROJECT, rule, is_dry_run=True)
    assert (foreseen.matched, foreseen.archived, set(foreseen.ids)) == (len(ids), 0, set(ids))
    assert get_memory(backend.ports, admin, PROJECT, "low").is_active
    told = prune(backend.ports, admin, PROJECT, rule)
    assert (told.matched, told.archived, set(told.ids)) == (len(ids), len(ids), set(ids))
    for id in ("low", "edge", "young", "used"):
        assert get_memory(backend.ports, admin, PROJECT, id).is_active is (id not in ids)
    assert prune(backend.ports, admin, PROJECT, rule).matched == 0


def test_it_says_why_and_who_and_the_memory_is_kept(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    fill(backend, admin, clock)
    prune(backend.ports, admin, PROJECT, PruneRule(min_confidence=0.4, older_than_days=9, unused=True))
    pruned = get_memory(backend.ports, admin, PROJECT, "low")
    assert (pruned.status, pruned.version) == ("archived", 2)
    assert pruned.status_reason == "pruned: confidence 0.3 < 0.4, unchanged for 10 days, never used"

    assert pruned.updated_at == START
    last = memory_history(backend.ports, admin, PROJECT, "low")[-1]
    assert (last.verb, last.by, last.reason) == ("pruned", admin.name, pruned.status_reason)
    found = recall(backend.ports, admin, PROJECT, RecallRequest(query="Doubted."))
    assert "low" not in [item.memory.id for item in found.memories]


def test_with_any_it_says_what_held_and_no_more(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    fill(backend, admin, clock)
    prune(backend.ports, admin, PROJECT, PruneRule(min_confidence=0.4, min_success_rate=0.5, match="any"))
    said = {id: get_memory(backend.ports, admin, PROJECT, id).status_reason for id in ("low", "edge", "used")}
    assert said == {
        "low": "pruned: confidence 0.3 < 0.4",
        "edge": "pruned: success rate 0.1 < 0.5",
        "used": None,
    }


@pytest.mark.parametrize(
    ("allowed", "ids"),
    [({}, ()), ({"include_approved": True}, ("approved",)), ({"include_pinned": True}, ("pinned",))],
    ids=str,
)
def test_approved_and_pinned_ones_stay_unless_included(
    backend: EmbeddedBackend, admin: Principal, allowed: dict[str, Any], ids: tuple[str, ...]
) -> None:
    """Falls without the look at both in domain/prune_rule.py."""
    remembered(backend.ports, admin, "Approved.", id="approved")
    approve_memory(backend.ports, admin, PROJECT, "approved")
    remembered(backend.ports, admin, "Pinned.", id="pinned", pinned=True)
    assert set(prune(backend.ports, admin, PROJECT, PruneRule(unused=True, **allowed)).ids) == set(ids)


def test_what_is_out_of_use_already_is_left(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    remembered(backend.ports, admin, "Archived.", id="archived")
    archive_memory(backend.ports, admin, PROJECT, "archived", reason="by hand")
    remembered(backend.ports, admin, "Lapsed.", id="lapsed", expires_at=clock.now() + timedelta(hours=1))
    clock.advance(hours=2)
    assert prune(backend.ports, admin, PROJECT, PruneRule(unused=True)).matched == 0
    assert get_memory(backend.ports, admin, PROJECT, "archived").status_reason == "by hand"


def test_turns_around_forget_a_pruned_one(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where turns are archived without `commit_change`."""
    remembered(backend.ports, admin, "It is swordfish.", id="t1", session_id="s", position=0, confidence=0.1)
    remembered(backend.ports, admin, "Thanks.", id="t2", session_id="s", position=1)
    backend.drain()
    assert "swordfish" in (get_memory(backend.ports, admin, PROJECT, "t2").context or "")
    assert prune(backend.ports, admin, PROJECT, LOW).ids == ("t1",)
    assert "swordfish" not in (get_memory(backend.ports, admin, PROJECT, "t2").context or "")


def test_what_somebody_changed_meanwhile_is_looked_at_again(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where a conflict ends the pruning, or the change in between is lost."""
    for id in ("raised", "tagged", "quiet"):
        remembered(backend.ports, admin, f"{id} was doubted.", id=id, confidence=0.1)
    writer = type(backend.ports.store.writer)
    commit_each = writer.commit_each

    def overtaken(self: Any, commits: Any) -> Any:
        monkeypatch.setattr(writer, "commit_each", commit_each)
        for id, changed in (("raised", {"confidence": 0.9}), ("tagged", {"tags": ("x",)})):
            before = get_memory(backend.ports, admin, PROJECT, id)
            after = replace(before, version=before.version + 1, **changed)  # type: ignore[arg-type]
            self.commit(Commit(scope=before.scope, changes=(Change(after, 1, "updated", "eve", START),)))
        return commit_each(self, commits)

    monkeypatch.setattr(writer, "commit_each", overtaken)
    told = prune(backend.ports, admin, PROJECT, LOW)
    assert (set(told.ids), told.archived) == ({"tagged", "quiet"}, 2)
    assert get_memory(backend.ports, admin, PROJECT, "raised").is_active
    assert get_memory(backend.ports, admin, PROJECT, "tagged").tags == ("x",)


def test_it_is_a_reviewers_who_prunes_what_they_see(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    remembered(backend.ports, admin, "For critics.", id="hidden", persona="critic")
    remembered(backend.ports, admin, "For all.", id="open")
    with pytest.raises(Forbidden):
        prune(backend.ports, agent, PROJECT, PruneRule(unused=True))
    reviewer = replace(agent, roles=frozenset({"reviewer"}))  # type: ignore[arg-type]
    assert prune(backend.ports, reviewer, PROJECT, PruneRule(unused=True)).ids == ("open",)
    assert get_memory(backend.ports, admin, PROJECT, "hidden").is_active


@pytest.mark.parametrize("rule", [PruneRule(), PruneRule(include_approved=True, include_pinned=True)])
def test_a_rule_that_asks_nothing_is_no_rule(
    backend: EmbeddedBackend, admin: Principal, rule: PruneRule
) -> None:
    with pytest.raises(Invalid, match="nothing says what to prune; give min_confidence"):
        prune(backend.ports, admin, PROJECT, rule)
