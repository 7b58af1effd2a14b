"""The functions `approve` and `outcome`, deployed without the embedding model."""

from __future__ import annotations

import httpx2
import pytest

from tests.deployed.calls import CONTENT, created, ids_of, memories, recalled, settled
from tests.deployed.deployment import Deployed

pytestmark = pytest.mark.engines


def test_what_waits_for_review_is_recalled_once_it_is_approved(
    deployed: Deployed, agent: httpx2.Client, admin: httpx2.Client, tenant: str, project: str
) -> None:
    settings = {"review_sources": ["learning"]}
    assert admin.put(f"/v1/projects/{project}/settings", json=settings).status_code == 200
    id = created(agent, project, source="learning")["id"]
    url = f"{memories(project)}/{id}"
    assert agent.get(url).json()["status"] == "pending"
    assert ids_of(recalled(agent, project)) == []
    waiting = admin.get(f"/v1/projects/{project}/reviews").json()["reviews"]
    assert [memory["id"] for memory in waiting] == [id]

    assert agent.patch(f"{url}/approve").status_code == 403
    approved = admin.patch(f"{url}/approve")
    assert (approved.status_code, approved.json()["status"]) == (200, "active")
    assert ids_of(recalled(agent, project)) == [id]
    settled(deployed, tenant, project)
    assert ids_of(recalled(agent, project)) == [id]

    decided = admin.post(
        f"/v1/projects/{project}/reviews:decide", json={"decisions": [{"id": id, "decision": "reject"}]}
    )
    assert [line["status"] for line in decided.json()["results"]] == [200]
    assert ids_of(recalled(agent, project)) == []


def test_an_outcome_moves_a_memory_in_the_ranking(
    deployed: Deployed, agent: httpx2.Client, tenant: str, project: str
) -> None:
    """Of two alike the one that worked comes first, before the index knows and after."""
    first = created(agent, project)["id"]
    second = created(agent, project, CONTENT.replace("ninety", "sixty"), on_duplicate="create")["id"]
    settled(deployed, tenant, project)
    before = ids_of(recalled(agent, project))
    assert sorted(before) == sorted([first, second])

    last = f"{memories(project)}/{before[-1]}"
    for number in range(3):
        told = agent.post(
            f"{last}/outcome", json={"result": "worked"}, headers={"idempotency-key": f"run {number}"}
        )
        assert told.status_code == 200, told.text
    again = agent.post(f"{last}/outcome", json={"result": "worked"}, headers={"idempotency-key": "run 2"})
    assert again.headers["idempotent-replayed"] == "true"
    assert agent.get(last).json()["use_count"] == 3
    assert ids_of(recalled(agent, project))[0] == before[-1]
    settled(deployed, tenant, project)
    assert ids_of(recalled(agent, project))[0] == before[-1]
