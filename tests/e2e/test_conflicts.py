"""Conflicts and duplicates over HTTP: found by the sweep, shown to who may see both, decided by a reviewer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from tests.e2e.conftest import Serve
from tests.e2e.test_data_routes import bearer
from tests.given import StandingClock

WEB = "/v1/projects/web"
POOL_20, POOL_30 = "The pool holds 20 connections.", "The pool holds 30 connections."
DEPLOY = "Deploys of the shop go out on Tuesday mornings after the stand-up."
DEPLOY_TOO = "Deploys of the shop always go out on Tuesday mornings, after the stand-up."


def add(http: httpx2.Client, id: str, content: str, **named: Any) -> None:
    body = {"id": id, "content": content, "category": "convention", "on_duplicate": "create"}
    assert http.post(f"{WEB}/memories", json=body, **named).status_code == 201


def swept(open_backend: Callable[..., EmbeddedBackend]) -> dict[str, int]:
    """As another process would: the index of a server follows what that has written."""
    backend = open_backend()
    report = run_sweep(backend.ports, "consolidate", holder="a test", seconds=60.0)
    backend.close()
    return dict(report.did)


def test_from_two_memories_to_a_decision_and_back(
    serve: Serve, open_backend: Callable[..., EmbeddedBackend], clock: StandingClock
) -> None:
    http = serve()
    add(http, "twenty", POOL_20)
    add(http, "thirty", POOL_30)
    assert http.get(f"{WEB}/conflicts").json() == {"conflicts": [], "next_cursor": None}
    assert swept(open_backend) == {"conflicts found": 1}
    clock.advance(days=3)
    (conflict,) = http.get(f"{WEB}/conflicts").json()["conflicts"]
    assert {memory["content"] for memory in conflict["memories"]} == {POOL_20, POOL_30}
    assert (conflict["kind"], conflict["age_days"], conflict["memories"][0]["approved"]) == (
        "conflict",
        3,
        False,
    )
    assert http.get(f"{WEB}/reviews").json()["reviews"] == [conflict]
    asked = {
        "json": {"resolution": "superseded", "winner": "thirty"},
        "headers": {"idempotency-key": "k"},
    }
    decided, again = (http.post(f"{WEB}/conflicts/{conflict['id']}/resolve", **asked) for _ in range(2))  # type: ignore[arg-type]
    assert decided.status_code == 200, decided.text
    assert (decided.json()["winner"], decided.json()["resolution"]) == ("thirty", "superseded")
    assert again.json() == decided.json()
    assert again.headers["idempotent-replayed"] == "true"
    assert POOL_20 not in decided.text
    assert http.get(f"{WEB}/memories/twenty").json()["superseded_by"] == "thirty"
    assert http.get(f"{WEB}/conflicts").json()["conflicts"] == []
    assert http.get(f"{WEB}/reviews").json()["reviews"] == []
    undone = http.post(f"{WEB}/memories/twenty/undo")
    assert undone.json()["status"] == "active"


def test_duplicates_come_page_by_page(serve: Serve, open_backend: Callable[..., EmbeddedBackend]) -> None:
    http = serve()
    add(http, "one", DEPLOY)
    add(http, "two", DEPLOY_TOO)
    add(http, "three", DEPLOY.replace("after", "right after"))
    assert swept(open_backend) == {"duplicates found": 3}
    found: list[str] = []
    cursor: str | None = None
    for _ in range(3):
        params: dict[str, Any] = {"limit": 1, **({"cursor": cursor} if cursor else {})}
        page = http.get(f"{WEB}/duplicates", params=params).json()
        found += [pair["id"] for pair in page["duplicates"]]
        cursor = page["next_cursor"]
    assert cursor is None
    assert len(set(found)) == 3
    merged = http.post(f"{WEB}/conflicts/{found[0]}/resolve", json={"resolution": "merge"})
    assert merged.status_code == 200, merged.text
    (left,) = http.get(f"{WEB}/duplicates").json()["duplicates"]
    said = {"resolution": "merge", "content": "It is said anew."}
    anew = http.post(f"{WEB}/conflicts/{left['id']}/resolve", json=said)
    assert http.get(f"{WEB}/memories/{anew.json()['winner']}").json()["content"] == "It is said anew."
    other = http.get(f"{WEB}/conflicts", params={"cursor": "bm9uZQ"})
    assert other.status_code == 400


def test_reviewers_decide_and_agents_see(
    serve: Serve, open_backend: Callable[..., EmbeddedBackend], tmp_path: Path
) -> None:
    http = serve(with_auth=True)
    agent, reviewer = (bearer(tmp_path, "acme", role) for role in ("agent", "reviewer"))
    add(http, "twenty", POOL_20, headers=agent)
    add(http, "thirty", POOL_30, headers=agent)
    swept(open_backend)
    (conflict,) = http.get(f"{WEB}/conflicts", headers=agent).json()["conflicts"]
    path, body = f"{WEB}/conflicts/{conflict['id']}/resolve", {"resolution": "kept_both"}
    assert http.post(path, json=body, headers=agent).status_code == 403
    assert http.get(f"{WEB}/conflicts", headers=bearer(tmp_path, "other", "admin")).json()["conflicts"] == []
    assert http.post(path, json=body, headers=bearer(tmp_path, "other", "admin")).status_code == 404
    assert http.post(path, json=body, headers=reviewer).status_code == 200


@pytest.mark.parametrize(
    ("id", "body", "status", "word"),
    [
        ("par_none", {"resolution": "kept_both"}, 422, "pattern"),
        ("par_" + "0" * 32, {"resolution": "kept_both"}, 404, "list conflicts or duplicates"),
        ("par_" + "0" * 32, {"resolution": "guess"}, 422, "kept_both"),
        ("par_" + "0" * 32, {"resolution": "merge", "loser": "x"}, 422, "loser"),
        ("par_" + "0" * 32, {}, 422, "resolution"),
        ("par_" + "0" * 32, {"resolution": "kept_both", "content": "x"}, 422, "content"),
    ],
)
def test_bad_decisions_are_refused_in_words(
    http: httpx2.Client, id: str, body: dict[str, Any], status: int, word: str
) -> None:
    refused = http.post(f"{WEB}/conflicts/{id}/resolve", json=body)
    assert refused.status_code == status, refused.text
    assert word in refused.text
