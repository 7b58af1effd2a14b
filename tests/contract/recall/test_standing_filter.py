"""Lists, recalls, prompts' sources and contexts of trusted or of unreviewed memories alone (SPEC 3.36)."""

from __future__ import annotations

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Standing
from memory_layer.ports.process import Ports
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.ground.queries import list_memories
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.approve import approve_memory
from tests.given import remembered

PROJECT = "standing"
QUESTION = "how long does the price cache keep its entries?"
SAID = "The price cache keeps its entries for nine minutes."
APPROVED = "The price cache keeps entries of the night run for an hour."
UNREVIEWED = "The price cache keeps its entries longer on Mondays."
IDS: dict[Standing, set[str]] = {"trusted": {"said", "approved"}, "unreviewed": {"seen"}}


@pytest.fixture
def told(backend: EmbeddedBackend, admin: Principal, agent: Principal) -> Ports:
    ports = backend.ports
    remembered(ports, admin, SAID, project=PROJECT, id="said")
    remembered(ports, agent, APPROVED, project=PROJECT, id="approved")
    remembered(ports, agent, UNREVIEWED, project=PROJECT, id="seen")
    approve_memory(ports, admin, PROJECT, "approved")
    backend.drain()
    return ports


@pytest.mark.parametrize("standing", IDS)
def test_only_memories_of_the_standing_are_listed(told: Ports, admin: Principal, standing: Standing) -> None:
    page = list_memories(told, admin, PROJECT, Filters(standing=standing), after=None, limit=10)
    assert {memory.id for memory in page.memories} == IDS[standing]


@pytest.mark.parametrize("consistency", ["strong", "eventual"])
@pytest.mark.parametrize("standing", IDS)
def test_only_memories_of_the_standing_are_recalled(
    told: Ports, admin: Principal, standing: Standing, consistency: str
) -> None:
    """Falls without the condition of either search index, and of what is newer than it."""
    asked = RecallRequest(
        query=QUESTION, filters=Filters(standing=standing), min_score=0.0, consistency=consistency
    )  # type: ignore[arg-type]
    assert {item.memory.id for item in recall(told, admin, PROJECT, asked).memories} == IDS[standing]


def test_a_flood_of_unreviewed_lines_crowds_no_trusted_one_out(
    told: Ports, admin: Principal, agent: Principal
) -> None:
    """Falls where the filter is applied after the best were taken."""
    for number in range(30):
        remembered(told, agent, f"{SAID[:-1]}, as run {number} saw.", project=PROJECT, on_duplicate="create")
    asked = RecallRequest(query=QUESTION, limit=2, filters=Filters(standing="trusted"), min_score=0.0)
    assert {item.memory.id for item in recall(told, admin, PROJECT, asked).memories} == IDS["trusted"]


@pytest.mark.parametrize("standing", IDS)
def test_only_memories_of_the_standing_stand_in_a_context(
    told: Ports, admin: Principal, standing: Standing
) -> None:
    page = assemble_context(
        told, admin, PROJECT, ContextRequest(intent=QUESTION, standing=standing, time_ms=27_000)
    )
    assert {fragment.id for fragment in page.assembled.fragments} == IDS[standing]
