"""Contexts without an intent: what a session begins with, and nothing else, on both backends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.retrieval.candidates import RecordTable, table_of_refs
from memory_layer.errors import Invalid
from memory_layer.usecases.context.assemble import AssembledPage, assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.review.approve import approve_memory
from tests.contract.conftest import EMBEDDED_ONLY
from tests.contract.recall.test_lying_index import ForgetfulIndex, NoIndex
from tests.given import StandingClock, remembered


def store(backend: EmbeddedBackend, who: Principal, content: str, **fields: Any) -> Memory:
    return remembered(backend.ports, who, content, **{"project": "web", "on_duplicate": "create", **fields})


def begun(backend: EmbeddedBackend, who: Principal, **asked: Any) -> AssembledPage:
    return assemble_context(backend.ports, who, "web", ContextRequest(**{"time_ms": 20_000, **asked}))


def shown(found: AssembledPage) -> set[str]:
    return {part.id for part in found.assembled.fragments}


def first_things(backend: EmbeddedBackend, admin: Principal) -> list[Memory]:
    return [
        store(backend, admin, "The canteen opens at eleven on weekdays.", pinned=True, relevance_score=0.2),
        store(backend, admin, "Name branches after their ticket.", type="convention"),
        store(backend, admin, "I like short answers best.", category="preference"),
        store(backend, admin, "Never restart the broker while it rebalances.", type="warning"),
    ]


@pytest.mark.parametrize("is_drained", [True, False], ids=["indexed", "unseen"])
def test_a_session_begins_with_pins_rules_and_warnings(
    backend: EmbeddedBackend, admin: Principal, is_drained: bool
) -> None:
    """Falls where one kind is not asked for, or anything is shown that is of no kind."""
    wanted = first_things(backend, admin)
    shared = store(
        backend, admin, "Commit messages are one sentence.", type="convention", project=SHARED_PROJECT
    )
    store(backend, admin, "The ledger is written by four workers.", type="learning")
    if is_drained:
        backend.drain()
    found = begun(backend, admin)
    assert shown(found) == {shared.id, *(memory.id for memory in wanted)}
    assert found.assembled.warnings == []
    assert {part.source_layer for part in found.assembled.fragments if part.id == shared.id} == {"global"}


def test_what_no_person_said_comes_once_it_is_approved(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls where the kinds do not ask for trust: the source `experience` has preferences of anybody else."""
    said = [
        store(backend, agent, "Name branches after their ticket.", type="convention"),
        store(backend, agent, "The team likes short answers best.", category="preference"),
        store(backend, agent, "Never restart the broker while it rebalances.", type="warning"),
    ]
    backend.drain()
    assert shown(begun(backend, admin)) == set()
    for memory in said:
        approve_memory(backend.ports, admin, "web", memory.id)
    backend.drain()
    assert shown(begun(backend, admin)) == {memory.id for memory in said}


def test_the_latest_strategies_that_are_proven_belong_to_it(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls where all strategies are shown, or those that failed, or the oldest of them."""
    store(backend, admin, "Guess at the cause and restart.", type="strategy", success_rate=0.2)
    subjects = (
        "Bisect the commits",
        "Read the trace",
        "Replay the queue",
        "Ask the owner",
        "Halve the input",
    )
    proven = []
    for one in subjects:
        clock.advance(hours=1)
        proven.append(store(backend, admin, f"{one} first.", type="strategy", success_rate=0.9))
    backend.drain()
    assert shown(begun(backend, admin)) == {memory.id for memory in proven[-3:]}


def test_a_pin_stands_first_and_a_small_budget_keeps_it(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where a pin has the relevance of its own score alone."""
    pinned, *_ = first_things(backend, admin)
    backend.drain()
    assert begun(backend, admin, tokens_max=60, tokenizer="chars4").assembled.total_tokens <= 60
    assert pinned.id in shown(begun(backend, admin, tokens_max=60, tokenizer="chars4"))


def test_no_relevance_is_judged(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where the page warns of what bears on no intent."""
    store(backend, admin, "Name branches after their ticket.", type="convention", relevance_score=0.1)
    backend.drain()
    found = begun(backend, admin)
    assert [part.relevance for part in found.assembled.fragments] == [0.1]
    assert found.assembled.warnings == []
    assert begun(backend, admin, quality_min=0.5).assembled.fragments == []


def test_without_an_index_the_newest_are_looked_at(backend: EmbeddedBackend, admin: Principal) -> None:
    wanted = first_things(backend, admin)
    store(backend, admin, "The ledger is written by four workers.", type="learning")
    backend.drain()
    backend = replace(backend, ports=replace(backend.ports, index=NoIndex(backend.ports.index, [])))
    found = begun(backend, admin)
    assert shown(found) == {memory.id for memory in wanted}
    assert any("search index unavailable" in one.detail for one in found.assembled.warnings)


class IndexWithoutStanding(ForgetfulIndex):
    """Has seen no write, and lists nothing."""

    def standing(self, scopes: tuple[Scope, ...], *_: object, **__: object) -> RecordTable:
        return table_of_refs(scopes[0].tenant, ())


@EMBEDDED_ONLY
def test_what_the_index_has_not_seen_is_among_the_first(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where what was written a moment ago waits for the index."""
    wanted = first_things(backend, admin)
    store(backend, admin, "The ledger is written by four workers.", type="learning")
    behind = IndexWithoutStanding(backend.ports.index, [])
    backend = replace(backend, ports=replace(backend.ports, index=behind))
    assert shown(begun(backend, admin)) == {memory.id for memory in wanted}


def test_entities_go_with_an_intent_alone(backend: EmbeddedBackend, admin: Principal) -> None:
    with pytest.raises(Invalid) as refused:
        begun(backend, admin, entities=("urn:t:1",))
    assert refused.value.violations[0].pointer == "/entities"
