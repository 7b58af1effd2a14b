"""The routes of a memory's uses and of what happened to an entity, and the explanation of a recall."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.errors import Forbidden, NotFound
from memory_layer.usecases.learn.read_uses import recalls_that_showed, verdicts_on
from memory_layer.usecases.world.list_entity_events import list_entity_events
from memory_layer.usecases.world.take_entity_events import ReportedEvent, take_entity_events
from tests.answer_schemas import checked
from tests.e2e.conftest import running
from tests.given import put_as, remembered

PROJECT = "web"
ROOT = f"/v1/projects/{PROJECT}"
SAID = "The price cache of the checkout keeps its entries for an hour."
URN = "urn:table:prices"


@pytest.fixture
def http(backend: EmbeddedBackend, tmp_path: Path) -> Iterator[httpx2.Client]:
    with (
        running(backend, tmp_path, with_auth=False) as url,
        httpx2.Client(base_url=url, timeout=30.0) as client,
    ):
        yield checked(client)


def test_verdicts_are_listed_with_who_and_a_replaced_one_says_so(http: httpx2.Client) -> None:
    http.post(f"{ROOT}/memories", json={"id": "m1", "content": SAID})
    for result, note in (("failed", "it was stale"), ("worked", "it was not")):
        said = {"result": result, "run_id": "run-1", "note": note}
        assert http.post(f"{ROOT}/memories/m1/outcome", json=said).status_code == 200
    last, first = http.get(f"{ROOT}/memories/m1/verdicts").json()["verdicts"]
    assert (last["result"], last["is_in_force"], last["note"]) == ("worked", True, "it was not")
    assert (first["result"], first["is_in_force"], first["principal"]) == ("failed", False, "local")


def test_recalls_that_showed_a_memory_are_listed_the_last_first(http: httpx2.Client) -> None:
    http.post(f"{ROOT}/memories", json={"id": "m1", "content": SAID})
    http.post(f"{ROOT}/memories", json={"id": "m2", "content": "Invoices are printed by the night shift."})
    asked = [http.post(f"{ROOT}/recall", json={"query": "price cache", "limit": 1}).json() for _ in range(2)]
    found = http.get(f"{ROOT}/memories/m1/recalls").json()["recalls"]
    assert {one["recall_id"] for one in found} == {one["recall_id"] for one in asked}
    assert [(one["place"], one["shown"], one["principal"]) for one in found] == [(1, 1, "local")] * 2
    assert found[0]["at"] >= found[1]["at"]
    assert http.get(f"{ROOT}/memories/m2/recalls").json() == {"recalls": []}
    assert http.get(f"{ROOT}/memories/none/recalls").status_code == 404


def test_who_was_shown_a_memory_is_told_to_reviewers_alone(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls without the look at the caller's role."""
    memory = remembered(backend.ports, admin, SAID, project=PROJECT)
    with pytest.raises(Forbidden, match="reviewers"):
        recalls_that_showed(backend.ports, agent, PROJECT, memory.id)


def test_verdicts_on_another_personas_memory_are_not_told(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls without the read of the memory as the caller may see it."""
    put_as(backend.ports, admin, "m1", SAID, project=PROJECT, persona="somebody-else")
    with pytest.raises(NotFound):
        verdicts_on(backend.ports, agent, PROJECT, "m1")


def test_events_of_an_entity_are_listed_by_pages(http: httpx2.Client) -> None:
    for hour, event in enumerate(("schema_changed", "activity", "deprecated")):
        told = {"urn": URN, "event": event, "occurred_at": f"2026-03-01T1{hour}:00:00Z"}
        assert http.post(f"{ROOT}/entity-events", json=told).status_code == 200
    page = http.get(f"{ROOT}/entity-events", params={"urn": URN, "limit": 2}).json()
    rest = http.get(
        f"{ROOT}/entity-events", params={"urn": URN, "limit": 2, "cursor": page["next_cursor"]}
    ).json()
    assert [one["event"] for one in (*page["events"], *rest["events"])] == [
        "schema_changed",
        "activity",
        "deprecated",
    ]
    assert rest["next_cursor"] is None


def test_an_explained_recall_says_which_words_and_entities_each_memory_has(http: httpx2.Client) -> None:
    http.post(f"{ROOT}/memories", json={"id": "m1", "content": SAID, "entities": [URN]})
    asked = {"query": "How long do cached prices of urn:table:prices live?", "explain": True}
    (found,) = http.post(f"{ROOT}/recall", json=asked).json()["memories"]
    assert found["matched"]["entities"] == [URN]
    assert {"cached", "prices"} <= set(found["matched"]["words"])
    assert "live" not in found["matched"]["words"]
    (plain,) = http.post(f"{ROOT}/recall", json={**asked, "explain": False}).json()["memories"]
    assert "matched" not in plain


def test_events_told_under_another_persona_are_not_listed(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls without the look at the reporter's persona."""
    somebody = replace(agent, subject="agent-8", persona="somebody-else")
    for speaker, kind in ((somebody, "deprecated"), (admin, "activity")):
        take_entity_events(backend.ports, speaker, PROJECT, [ReportedEvent(urn=URN, event=kind)])
    listed = list_entity_events(backend.ports, agent, PROJECT, URN, after=None, limit=10)
    assert [one.event for one in listed.events] == ["activity"]
