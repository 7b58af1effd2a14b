"""What no request waits for: over the bus, a rule and the function behind it."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.deployed.calls import ids_of, memories, recalled
from tests.deployed.patience import eventually

pytestmark = pytest.mark.engines


def test_a_later_turn_completes_the_context_of_an_earlier_one(agent: httpx2.Client, project: str) -> None:
    """`session.extended` reaches the function `background`: a turn alone hears nothing."""
    turns = f"/v1/projects/{project}/sessions/talk/turns"
    first = agent.post(turns, json=[{"content": "What did the auditors ask for?"}])
    assert first.status_code == 200, first.text
    id = first.json()["results"][0]["id"]
    assert agent.get(f"{memories(project)}/{id}").json()["context"] is None

    reply = "The access logs of March, with the names taken out."
    assert agent.post(turns, json=[{"content": reply}]).status_code == 200
    url = f"{memories(project)}/{id}"
    assert eventually(lambda: reply in (agent.get(url).json()["context"] or ""))
    (_, completed) = agent.get(f"{url}/history").json()["versions"]
    assert (completed["verb"], completed["by"]) == ("context completed", "memory-layer")


def test_a_batch_that_nobody_waits_for_is_stored(agent: httpx2.Client, project: str) -> None:
    """202 at once; the lines lie in the bucket until the function `background` has stored them."""
    contents = (
        "Deploy before noon.",
        "Invoices are kept for ten years.",
        "The pool holds eight connections.",
    )
    accepted = agent.post(
        f"{memories(project)}:batch",
        json=[*({"content": content} for content in contents), {"content": ""}],
        headers={"prefer": "respond-async", "idempotency-key": "nightly"},
    )
    assert accepted.status_code == 202, accepted.text
    assert accepted.headers["preference-applied"] == "respond-async"

    def ended() -> dict[str, Any] | None:
        operation: dict[str, Any] = agent.get(accepted.headers["location"]).json()
        return operation if operation["status"] != "running" else None

    operation = eventually(ended)
    assert operation is not None
    assert (operation["status"], operation["done"], operation["total"]) == ("succeeded", 4, 4)
    results = operation["result"]["results"]
    assert [line["status"] for line in results] == [201, 201, 201, 422]
    stored = {memory["id"] for memory in agent.get(memories(project)).json()["memories"]}
    assert stored == {line["id"] for line in results[:3]}
    assert results[1]["id"] in ids_of(recalled(agent, project, "how long are invoices kept?"))


def test_another_tenant_does_not_see_the_operation(
    agent: httpx2.Client, rival: httpx2.Client, project: str
) -> None:
    accepted = agent.post(
        f"{memories(project)}:batch",
        json=[{"content": "Keep the invoices for ten years."}],
        headers={"prefer": "respond-async"},
    )
    assert accepted.status_code == 202, accepted.text
    assert rival.get(accepted.headers["location"]).status_code == 404
    assert agent.get(accepted.headers["location"]).status_code == 200
