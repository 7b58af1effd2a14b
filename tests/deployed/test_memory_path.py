"""HTTP → Lambda → table → stream → projector → index → recall, through everything that is deployed."""

from __future__ import annotations

import httpx2
import pytest

from tests.deployed.calls import CONTENT, created, ids_of, logged, memories, recalled, settled
from tests.deployed.deployment import Deployed
from tests.deployed.patience import eventually
from tests.deployed.search_node import SearchNode
from tests.deployed.stream_mapping import paused

pytestmark = pytest.mark.engines


def test_a_memory_is_stored_read_listed_and_changed(agent: httpx2.Client, project: str) -> None:
    stored = created(agent, project, tags=["pool"])
    url = f"{memories(project)}/{stored['id']}"
    assert (stored["receipt"]["durable"], stored["receipt"]["indexed"]) == (True, False)

    read = agent.get(url)
    assert (read.status_code, read.json()["content"], read.headers["etag"]) == (200, CONTENT, '"1"')
    listed = agent.get(memories(project), params={"tags": "pool"})
    assert [memory["id"] for memory in listed.json()["memories"]] == [stored["id"]]

    changed = agent.patch(url, json={"tags": ["pool", "time-out"]}, headers={"if-match": '"1"'})
    assert (changed.status_code, changed.headers["etag"]) == (200, '"2"')
    late = agent.patch(url, json={"tags": ["late"]}, headers={"if-match": '"1"'})
    assert (late.status_code, late.headers["content-type"]) == (412, "application/problem+json")
    assert agent.get(url).json()["tags"] == ["pool", "time-out"]


def test_a_recall_sees_a_write_that_the_index_lacks(
    deployed: Deployed, search_node: SearchNode, agent: httpx2.Client, tenant: str, project: str
) -> None:
    """Falls without the log beside the record: the projector stands still, so the index knows nothing."""
    with paused(deployed):
        id = created(agent, project)["id"]
        assert search_node.document(project, id) is None
        assert len(logged(deployed, tenant, project)) == 1
        told = recalled(agent, project)
        assert (ids_of(told), told["degraded"]) == ([id], False)


def test_a_write_is_never_missed_while_the_index_takes_it_up(
    deployed: Deployed, agent: httpx2.Client, tenant: str, project: str
) -> None:
    """Falls, now and then, where the log is read after the index: what arrives between the two is in neither."""
    for number in range(5):
        id = created(
            agent, project, f"Door number {number} opens with a key of its own.", on_duplicate="create"
        )["id"]
        is_logged = True
        while is_logged:
            is_logged = bool(logged(deployed, tenant, project))
            assert id in ids_of(recalled(agent, project, f"what opens door {number}?"))


def test_the_projector_brings_a_write_to_the_index_and_forgets_its_log_entry(
    deployed: Deployed, search_node: SearchNode, agent: httpx2.Client, tenant: str, project: str
) -> None:
    id = created(agent, project)["id"]
    found = eventually(lambda: search_node.document(project, id))
    assert found == {"version": 1, "is_tombstone": False, "status": "active", "tenant": tenant}
    settled(deployed, tenant, project)
    told = recalled(agent, project)
    assert (ids_of(told), told["degraded"]) == ([id], False)
    signals = told["memories"][0]["signals"]
    assert signals["lexical"] > 0
    assert signals["semantic"] > 0


def test_a_recall_is_counted_through_the_stream(
    deployed: Deployed, agent: httpx2.Client, tenant: str, project: str
) -> None:
    id = created(agent, project)["id"]
    settled(deployed, tenant, project)
    recalled(agent, project)
    url = f"{memories(project)}/{id}"
    assert eventually(lambda: agent.get(url).json()["access_count"] == 1)
    assert agent.get(url).json()["version"] == 1


def test_an_erased_memory_is_gone_at_once_and_leaves_a_tombstone(
    deployed: Deployed, search_node: SearchNode, agent: httpx2.Client, tenant: str, project: str
) -> None:
    """The index still has the memory when it is recalled: the table alone says that it is gone."""
    id = created(agent, project)["id"]
    url = f"{memories(project)}/{id}"
    assert eventually(lambda: search_node.document(project, id))
    settled(deployed, tenant, project)
    with paused(deployed):
        assert agent.delete(url, params={"hard": "true"}).status_code == 204
        standing = search_node.document(project, id)
        assert standing is not None
        assert not standing["is_tombstone"]
        assert ids_of(recalled(agent, project)) == []
        assert agent.get(url).status_code == 404
        assert agent.get(memories(project)).json()["memories"] == []
    assert eventually(lambda: (search_node.document(project, id) or {}).get("is_tombstone"))
    settled(deployed, tenant, project)
    assert ids_of(recalled(agent, project)) == []


def test_an_archived_memory_leaves_recall_and_can_be_read(
    deployed: Deployed, search_node: SearchNode, agent: httpx2.Client, tenant: str, project: str
) -> None:
    id = created(agent, project)["id"]
    settled(deployed, tenant, project)
    assert agent.delete(f"{memories(project)}/{id}").json()["status"] == "archived"
    assert ids_of(recalled(agent, project)) == []
    assert eventually(lambda: (search_node.document(project, id) or {}).get("status") == "archived")
    assert agent.get(f"{memories(project)}/{id}").json()["content"] == CONTENT


def test_a_repeated_request_is_answered_as_the_first_was(agent: httpx2.Client, project: str) -> None:
    key = {"idempotency-key": "a, key"}
    first = agent.post(memories(project), json={"content": CONTENT}, headers=key)
    again = agent.post(memories(project), json={"content": CONTENT}, headers=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"
    other = agent.post(memories(project), json={"content": "Another."}, headers=key)
    assert (other.status_code, other.json()["type"].rpartition(":")[2]) == (422, "idempotency_key_reused")
    assert len(agent.get(memories(project)).json()["memories"]) == 1


def test_a_memory_said_twice_is_a_duplicate_with_and_without_the_index(
    deployed: Deployed, agent: httpx2.Client, tenant: str, project: str
) -> None:
    with paused(deployed):
        created(agent, project)
        assert agent.post(memories(project), json={"content": CONTENT}).status_code == 409
    settled(deployed, tenant, project)
    assert agent.post(memories(project), json={"content": CONTENT}).status_code == 409


def test_tenants_do_not_meet(
    deployed: Deployed, agent: httpx2.Client, rival: httpx2.Client, tenant: str, project: str
) -> None:
    """The same project's name, the same words; the index holds both."""
    ours, theirs = created(agent, project)["id"], created(rival, project)["id"]
    settled(deployed, tenant, project)
    settled(deployed, f"rival-{tenant}", project)
    assert ids_of(recalled(agent, project)) == [ours]
    assert ids_of(recalled(rival, project)) == [theirs]
    for http, foreign in ((agent, theirs), (rival, ours)):
        url = f"{memories(project)}/{foreign}"
        assert http.get(url).status_code == 404
        assert http.patch(url, json={"tags": ["mine"]}).status_code == 404
        assert http.delete(url, params={"hard": "true"}).status_code == 404
