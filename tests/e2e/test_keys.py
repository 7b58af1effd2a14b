"""Idempotency keys over HTTP: one effect each, told apart by kind, and nowhere to be read on the disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_layer.local.tokens import mint, secret_of
from tests.e2e.conftest import Serve
from tests.given import START

MEMORIES = "/v1/projects/web/memories"
DECIDE = "/v1/projects/web/reviews:decide"
KEY = "sk-ant-" + "k3y0f1demp0tency-4711"


def added(http: httpx2.Client, id: str) -> str:
    return str(http.put(f"{MEMORIES}/{id}", json={"content": f"Fact of {id}."}).json()["id"])


def decided(http: httpx2.Client, key: str | None, *decisions: dict[str, Any]) -> httpx2.Response:
    headers = {} if key is None else {"idempotency-key": key}
    return http.post(DECIDE, json={"decisions": decisions}, headers=headers)


def test_decisions_take_effect_once(http: httpx2.Client) -> None:
    """Falls without the answers kept with each decision."""
    ids = [added(http, id) for id in ("a", "b", "c")]
    asked = [
        {"id": id, "decision": what} for id, what in zip(ids, ("approve", "reject", "archive"), strict=True)
    ]
    first, again = decided(http, KEY, *asked), decided(http, KEY, *asked)
    assert [line["status"] for line in first.json()["results"]] == [200, 200, 200]
    assert again.json() == first.json()
    assert ("idempotent-replayed" in first.headers, again.headers["idempotent-replayed"]) == (False, "true")
    read = [http.get(f"{MEMORIES}/{id}").json() for id in ids]
    assert [record["status"] for record in read] == ["active", "rejected", "archived"]
    assert [record["version"] for record in read] == [2, 2, 2]


def test_a_key_of_other_decisions_carries_out_none(http: httpx2.Client) -> None:
    """Falls without the look at all keys before the first decision."""
    a, b = added(http, "a"), added(http, "b")
    decided(http, KEY, {"id": a, "decision": "approve"})
    refused = decided(http, KEY, {"id": a, "decision": "approve"}, {"id": b, "decision": "reject"})
    assert (refused.status_code, refused.json()["type"]) == (
        422,
        "urn:memory-layer:problem:idempotency_key_reused",
    )
    assert KEY in refused.json()["detail"]
    assert http.get(f"{MEMORIES}/{b}").json()["status"] == "active"


def test_a_decision_that_fails_does_so_alone(http: httpx2.Client) -> None:
    a = added(http, "a")
    asked = ({"id": "mem_none", "decision": "approve"}, {"id": a, "decision": "approve"})
    for attempt in (decided(http, KEY, *asked), decided(http, KEY, *asked)):
        assert [line["status"] for line in attempt.json()["results"]] == [404, 200]
    assert http.get(f"{MEMORIES}/{a}").json()["version"] == 2
    assert [line["status"] for line in decided(http, None, *asked).json()["results"]] == [404, 200]


def test_keys_of_different_kinds_do_not_collide(http: httpx2.Client) -> None:
    """Falls without the kind in `storage_key`."""
    lines = [{"content": "The first line."}, {"content": "The second line."}]
    batch = http.post(f"{MEMORIES}:batch", json=lines, headers={"idempotency-key": "bk"})
    assert [line["status"] for line in batch.json()["results"]] == [201, 201]
    for key in ("bk:1", "bk"):
        single = {"content": f"A single one, {key}."}
        assert http.post(MEMORIES, json=single, headers={"idempotency-key": key}).status_code == 201
    own = [{"content": "A line with a key of its own.", "idempotency_key": "bk"}]
    assert http.post(f"{MEMORIES}:batch", json=own).json()["results"][0]["status"] == 201


def test_a_key_is_nowhere_on_the_disk(http: httpx2.Client, tmp_path: Path) -> None:
    """Falls without the digest in `storage_key`: a caller's key may be a secret by mistake."""
    headers = {"idempotency-key": KEY}
    location = http.post(MEMORIES, json={"content": "One fact."}, headers=headers).headers["location"]
    http.post(f"{location}/outcome", json={"result": "worked"}, headers={"idempotency-key": f"{KEY}-outcome"})
    http.post(f"{MEMORIES}:batch", json=[{"content": "Another fact.", "idempotency_key": f"{KEY}-line"}])
    http.post(
        f"{MEMORIES}:batch", json=[{"content": "A third fact."}], headers={"idempotency-key": f"{KEY}-all"}
    )
    assert decided(
        http, f"{KEY}-decide", {"id": location.rpartition("/")[2], "decision": "approve"}
    ).is_success
    refused = http.post(MEMORIES, json={"content": "Something else."}, headers=headers)
    assert refused.status_code == 422
    assert KEY in refused.json()["detail"]
    files = [file for file in (tmp_path / "data").rglob("*") if file.is_file()]
    assert files
    assert not [file for file in files if KEY.encode() in file.read_bytes()]


@pytest.mark.parametrize(("role", "status"), [("agent", 403), ("reviewer", 403), ("admin", 200)])
def test_settings_are_for_admins(serve: Serve, tmp_path: Path, role: str, status: int) -> None:
    http = serve(with_auth=True)
    token = mint(
        secret_of(tmp_path / "data"),
        tenant="acme",
        principal="who",
        persona=None,
        roles=[role],
        now=START,
        lifetime=START.replace(year=2099) - START,
    )
    answer = http.get("/v1/projects/web/settings", headers={"authorization": f"Bearer {token}"})
    assert answer.status_code == status, answer.text


def test_a_turn_says_its_session_in_the_path_alone(http: httpx2.Client) -> None:
    """Falls with `session_id` among the fields of a turn."""
    answer = http.post("/v1/projects/web/sessions/s1/turns", json=[{"content": "Hello.", "session_id": "s2"}])
    (line,) = answer.json()["results"]
    assert (line["status"], line["problem"]["errors"][0]["pointer"]) == (422, "/session_id")


def test_an_outcome_of_a_page_takes_effect_once_on_each_of_its_memories(http: httpx2.Client) -> None:
    """Falls without the answers kept with each verdict, and without the look at all keys before the first."""
    for id in ("a", "b", "c"):
        added(http, id)
    page = http.post("/v1/projects/web/prompt", json={"task": "facts"}).json()

    def judged(*refs: int) -> httpx2.Response:
        asked = {"recall_id": page["recall_id"], "refs": refs, "result": "worked"}
        return http.post("/v1/projects/web/outcome", json=asked, headers={"idempotency-key": KEY})

    first, again = judged(1, 3), judged(1, 3)
    assert [(line["ref"], line["id"], line["status"]) for line in first.json()["results"]] == [
        (1, page["memory_ids"][0], 200),
        (3, page["memory_ids"][2], 200),
    ]
    assert again.json() == first.json()
    assert ("idempotent-replayed" in first.headers, again.headers["idempotent-replayed"]) == (False, "true")
    other = judged(2)
    assert (other.status_code, other.json()["type"]) == (
        422,
        "urn:memory-layer:problem:idempotency_key_reused",
    )
    counts = [http.get(f"{MEMORIES}/{id}").json()["worked"] for id in page["memory_ids"]]
    assert counts == [1, 0, 1]
