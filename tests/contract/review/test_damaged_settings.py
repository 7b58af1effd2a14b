"""Rules that nobody can read stop what goes by them, are named, and have a way back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain import policy as policies
from memory_layer.domain.access import Principal
from memory_layer.domain.context import assembly_policy
from memory_layer.domain.context.assembly_policy import AssemblyPolicy
from memory_layer.domain.context.feedback_tuning import Feedback
from memory_layer.domain.policy import Policy
from memory_layer.errors import DamagedSettings
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.review.configure import get_policy, set_policy
from memory_layer.usecases.review.tune_context import get_tuning, give_feedback, reset_tuning
from memory_layer.usecases.transfer.restore_snapshot import restore_snapshot
from memory_layer.usecases.transfer.take_snapshot import take_snapshot
from memory_layer.usecases.transfer.verify import verify
from memory_layer.usecases.write.put import put_memory
from tests.given import PROJECT

Damage = Callable[[], None]

WORSE = Feedback(coherence_score=0.1, completeness=0.1, contradiction_rate=0.9)


@pytest.fixture
def damage(backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch) -> Damage:
    """Settings are written once more, with another word and the digest of what they said before."""

    def write() -> None:
        real = policies.policy_text

        def other_word(policy: Policy) -> str:
            document: dict[str, Any] = json.loads(real(policy))
            return json.dumps({**document, "privacy_mode": "off"})

        with monkeypatch.context() as patched:
            for module in ("embedded.store.transaction", "aws.table.request_items"):
                patched.setattr(f"memory_layer.adapters.{module}.policy_text", other_word)
            set_policy(backend.ports, admin, PROJECT, lambda before: before)

    return write


def test_they_are_not_in_force_and_named(backend: EmbeddedBackend, admin: Principal, damage: Damage) -> None:
    """Falls without the digest in `policy_text`: secrets would be stored from then on."""
    set_policy(backend.ports, admin, PROJECT, lambda _: Policy(privacy_mode="refuse"))
    damage()
    with pytest.raises(DamagedSettings, match="PUT /settings"):
        put_memory(backend.ports, admin, PROJECT, "m1", {"content": "The token is ghp_x."})
    found = verify(backend.ports, admin, PROJECT)
    assert (found.is_valid, [broken.part for broken in found.broken]) == (False, ["settings"])
    set_policy(backend.ports, admin, PROJECT, lambda _: Policy(privacy_mode="refuse"))
    assert get_policy(backend.ports, admin, PROJECT).privacy_mode == "refuse"
    assert verify(backend.ports, admin, PROJECT).is_valid


def test_a_snapshot_brings_them_back_and_seals_no_damaged_ones(
    backend: EmbeddedBackend, admin: Principal, damage: Damage
) -> None:
    set_policy(backend.ports, admin, PROJECT, lambda _: Policy(privacy_mode="refuse"))
    good = take_snapshot(backend.ports, admin, PROJECT)
    damage()
    assert take_snapshot(backend.ports, admin, PROJECT).policy is None
    assert restore_snapshot(backend.ports, admin, PROJECT, good.id).settings == "restored"
    assert get_policy(backend.ports, admin, PROJECT).privacy_mode == "refuse"


def test_damaged_tuning_is_told_and_never_tuned_on(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without `ContextSettings.tuning`, and without `ContextPrerequisites.warned`: the defaults look tuned."""
    put_memory(backend.ports, admin, PROJECT, "m1", {"content": "The queue keeps messages for four days."})

    def ask(request_id: str) -> list[str]:
        asked = ContextRequest(intent="the queue", request_id=request_id, time_ms=20_000)
        page = assemble_context(backend.ports, admin, PROJECT, asked)
        return [warning.detail for warning in page.assembled.warnings]

    real = assembly_policy.assembly_policy_text

    def other_number(policy: AssemblyPolicy) -> str:
        return json.dumps({**json.loads(real(policy)), "entity_share": 0.5})

    ask("r1")
    with monkeypatch.context() as patched:
        for module in ("embedded.store.transaction", "aws.table.request_items"):
            patched.setattr(f"memory_layer.adapters.{module}.assembly_policy_text", other_number)
        give_feedback(backend.ports, admin, PROJECT, "r1", WORSE)
    assert any("DELETE /context/tuning" in warning for warning in ask("r2"))
    with pytest.raises(DamagedSettings, match="DELETE /context/tuning"):
        get_tuning(backend.ports, admin, PROJECT)
    with pytest.raises(DamagedSettings):
        give_feedback(backend.ports, admin, PROJECT, "r2", WORSE)
    assert not verify(backend.ports, admin, PROJECT).is_valid
    reset_tuning(backend.ports, admin, PROJECT)
    assert get_tuning(backend.ports, admin, PROJECT).history[-1].by == admin.name
    assert give_feedback(backend.ports, admin, PROJECT, "r2", WORSE).was_counted
    assert verify(backend.ports, admin, PROJECT).is_valid
