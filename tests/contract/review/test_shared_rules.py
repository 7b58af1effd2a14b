"""What a tenant shares is under rules of its own, wherever it is recalled; and what rules hide can be found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import SHARED_PROJECT, Principal, Viewer
from memory_layer.domain.memory import Source
from memory_layer.domain.policy import Policy
from memory_layer.domain.ranking import TaskProfile
from memory_layer.errors import RecalledText
from memory_layer.ports.index import IndexAnswer, IndexQuery, SearchIndex
from memory_layer.ports.records import RecordPage
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.review.review import awaiting_review
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.remember import StoredMemory, remember
from tests.given import PROJECT, StandingClock, recalled_ids

FACT = "The nightly exporter must never run before the ledger closes at three in the morning."
ASKED = "when may the nightly exporter run"


def recalled(backend: EmbeddedBackend, principal: Principal) -> set[str]:
    return set(recalled_ids(backend.ports, principal, ASKED))


def prompted(backend: EmbeddedBackend, principal: Principal) -> set[str]:
    prompt = compose_prompt(backend.ports, principal, PROJECT, ASKED, TaskProfile(), limit=9)
    return {memory.id for memory in prompt.memories}


def review(backend: EmbeddedBackend, admin: Principal, project: str, *sources: Source) -> None:
    set_policy(backend.ports, admin, project, lambda _: Policy(review_sources=sources))


@pytest.mark.parametrize("shown", [recalled, prompted])
def test_each_project_decides_what_of_its_own_is_shown(
    backend: EmbeddedBackend,
    agent: Principal,
    admin: Principal,
    shown: Callable[[EmbeddedBackend, Principal], set[str]],
) -> None:
    """Falls where a recall judges all by the settings of the project that asks."""
    put_memory(backend.ports, admin, PROJECT, "own", {"content": FACT, "source": "run"})
    shared = {"content": f"Everywhere: {FACT}", "source": "run"}  # of equal lines a prompt shows one
    put_memory(backend.ports, admin, SHARED_PROJECT, "shared", shared)
    backend.drain()
    assert shown(backend, agent) == {"own", "shared"}
    review(backend, admin, SHARED_PROJECT, "run")
    assert shown(backend, agent) == {"own"}
    review(backend, admin, PROJECT, "run")
    review(backend, admin, SHARED_PROJECT)
    assert shown(backend, agent) == {"shared"}


class LateIndex:
    """Has not heard yet that a memory is for one persona alone."""

    def __init__(self, index: SearchIndex) -> None:
        self._index = index

    def search(self, query: IndexQuery) -> IndexAnswer:
        return self._index.search(replace(query, viewer=Viewer.of("alpha")))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)


def test_no_refusal_names_what_another_persona_recalled(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where `_recalled_like` takes the index's word for who may see."""
    put_memory(backend.ports, admin, PROJECT, "m1", {"content": FACT, "persona": "alpha"})
    backend.drain()
    alpha, beta = (Principal(tenant=admin.tenant, subject=name, persona=name) for name in ("alpha", "beta"))
    assert recalled(backend, alpha) == {"m1"}
    backend.drain()
    asked = RememberRequest(fields={"content": f"{FACT} So it is."}, on_duplicate="create")
    late = replace(backend.ports, index=LateIndex(backend.ports.index))
    with pytest.raises(RecalledText):
        remember(late, alpha, PROJECT, asked)
    assert isinstance(remember(late, beta, PROJECT, asked), StoredMemory)


@pytest.mark.parametrize("project", [PROJECT, SHARED_PROJECT])
def test_what_a_recall_returned_is_no_new_evidence(
    backend: EmbeddedBackend, agent: Principal, admin: Principal, project: str
) -> None:
    """Falls where only the project's own memories are compared, or only its own asked whether they were recalled."""
    put_memory(backend.ports, admin, project, "m1", {"content": FACT})
    backend.drain()
    asked = RememberRequest(fields={"content": f"{FACT} So it is."}, on_duplicate="create")
    assert recalled(backend, agent) == {"m1"}
    backend.drain()
    with pytest.raises(RecalledText) as refused:
        remember(backend.ports, agent, PROJECT, asked)
    assert refused.value.sources == ("m1",)


def test_what_is_hidden_until_approved_waits_for_review(
    backend: EmbeddedBackend, agent: Principal, admin: Principal, clock: StandingClock
) -> None:
    """Falls without the second page in `awaiting_review`, and without `is_approved` in either store."""
    for number in range(6):
        clock.advance(minutes=1)
        said = {"content": f"Fact {number}.", "source": "human" if number == 1 else "run"}
        put_memory(backend.ports, admin, PROJECT, f"m{number}", said)
    approve_memory(backend.ports, admin, PROJECT, "m2")
    assert waiting(backend, admin) == []
    review(backend, admin, PROJECT, "run")
    put_memory(backend.ports, agent, PROJECT, "m6", {"content": "Fact 6."})
    assert waiting(backend, admin) == ["m0", "m3", "m4", "m5", "m6"]
    approve_memory(backend.ports, admin, PROJECT, "m3")
    assert waiting(backend, admin) == ["m0", "m4", "m5", "m6"]


def waiting(backend: EmbeddedBackend, admin: Principal, limit: int = 2) -> list[str]:
    """Page by page; no page is longer than was asked."""
    found: list[str] = []
    page = RecordPage((), ("0", ""))
    while page.next_key is not None:
        page = awaiting_review(backend.ports, admin, PROJECT, after=page.next_key, limit=limit)
        assert len(page.items) <= limit
        found += [item.id for item in page.items]
    return found
