"""Runs and staging over HTTP: the answers, the refusals, one effect per run and per key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.domain.memory import Scope
from memory_layer.local.server import application
from memory_layer.ports.process import Embedder
from memory_layer.settings import read_settings
from tests.run_examples import event_of, loop

RUNS = "/v1/projects/shop/runs"
STAGING = "/v1/projects/shop/staging"
JSON = {"content-type": "application/json"}
COUNTS = {
    "extracted": 5,
    "staged": 5,
    "validated": 5,
    "rejected": 0,
    "promoted": 5,
    "merged": 0,
    "credited": 0,
}


def test_a_run_is_answered_with_what_became_of_it(http: httpx2.Client) -> None:
    first = http.post(RUNS, json=loop("r:1 é"))
    again = http.post(RUNS, json=loop("r:1 é"))
    told = first.json()
    assert (first.status_code, again.status_code) == (201, 201)
    assert {name: told[name] for name in COUNTS} == COUNTS
    assert again.json() == told
    assert again.headers["idempotent-replayed"] == "true"
    assert http.get(first.headers["location"]).json() == told
    assert [run["run_id"] for run in http.get(RUNS).json()["runs"]] == ["r:1 é"]


def test_ids_that_nobody_knows_are_told(http: httpx2.Client) -> None:
    report = {**loop("r1"), "memories_used": ["mem_wrong"], "recall_ids": ["rcl_wrong"]}
    first, again = http.post(RUNS, json=report), http.post(RUNS, json=report)
    assert first.status_code == 201
    assert first.json()["unknown"] == again.json()["unknown"] == ["mem_wrong", "rcl_wrong"]
    read = http.get(first.headers["location"]).json()
    assert (read["memories_used"], read["recall_ids"], "unknown" in read) == ([], [], False)


def test_an_event_says_the_same(http: httpx2.Client) -> None:
    assert http.post(RUNS, json=event_of(loop("r1"), "shop")).json()["promoted"] == 5
    elsewhere = http.post(RUNS, json=event_of(loop("r2"), "bakery"))
    assert (elsewhere.status_code, elsewhere.json()["errors"][0]["pointer"]) == (422, "/project")


def test_a_cloud_event_comes_with_its_own_content_type(http: httpx2.Client) -> None:
    event = {"specversion": "1.0", "id": "1", "type": "run.completed", "source": "ci", "data": loop("r1")}
    headers = {"content-type": "application/cloudevents+json; charset=utf-8"}
    assert http.post(RUNS, content=json.dumps(event), headers=headers).json()["promoted"] == 5


def test_a_judged_learning_may_be_anything(http: httpx2.Client) -> None:
    """Falls where a reason repeats what cannot be sent."""
    learning = {"type": "\ud800", "task_type": "x", "content": "x", "confidence": 1, "success_rate": 1}
    told = http.post(f"{STAGING}:validate", content=json.dumps({"learning": learning}), headers=JSON)
    assert (told.status_code, told.json()["reason"]) == (200, "Invalid type:  ")


def test_step_by_step(http: httpx2.Client) -> None:
    http.post(f"{RUNS}?mode=staged", json=loop("r1"))
    listed = http.get(STAGING).json()
    assert listed["counts"] == {"pending": 5, "validated": 0, "rejected": 0, "promoted": 0, "total": 5}
    ids = {item["learning"]["type"]: item["id"] for item in listed["staged"]}
    rejected = http.post(f"{STAGING}/{ids['estimate']}/reject", json={"reason": "chance"}).json()
    assert (rejected["status"], rejected["rejection_reason"]) == ("rejected", "chance")
    promoted = http.post(f"{STAGING}/{ids['strategy']}/promote").json()
    assert http.get(f"/v1/projects/shop/memories/{promoted['memory_id']}").json()["type"] == "strategy"
    assert http.post(f"{STAGING}:validate", json={}).json() == {"validated": 3, "rejected": 0}
    assert http.post(f"{STAGING}:promote").json() == {"promoted": 3, "merged": 0, "skipped": 0}
    assert len(http.get(f"{STAGING}?status=promoted").json()["staged"]) == 4
    assert http.delete(f"{STAGING}?status=promoted").json() == {"cleared": 4}
    assert http.delete(STAGING).json() == {"cleared": 1}


def test_a_posted_learning_is_judged_and_not_stored(http: httpx2.Client) -> None:
    learning = {
        "type": "strategy",
        "task_type": "feature",
        "content": "x",
        "confidence": 0.2,
        "success_rate": 1,
    }
    told = http.post(f"{STAGING}:validate", json={"learning": learning}).json()
    assert told == {"valid": False, "reason": "Confidence too low (< 0.3)"}
    good = {**learning, "confidence": 0.5}
    assert http.post(f"{STAGING}:validate", json={"learning": good}).json() == {"valid": True}
    assert http.get(STAGING).json()["counts"]["total"] == 0


@pytest.mark.parametrize("path", ["runs", "runs?mode=staged"])
def test_one_key_is_one_run(http: httpx2.Client, path: str) -> None:
    key = {"idempotency-key": "k"}
    first = http.post(f"/v1/projects/shop/{path}", json=loop("r1"), headers=key)
    again = http.post(f"/v1/projects/shop/{path}", json=loop("r1"), headers=key)
    other = http.post(f"/v1/projects/shop/{path}", json=loop("r2"), headers=key)
    assert again.json() == first.json()
    assert (other.status_code, len(http.get(RUNS).json()["runs"])) == (422, 1)


def test_another_report_of_a_known_run_is_refused(http: httpx2.Client) -> None:
    http.post(RUNS, json=loop("r1"))
    other = http.post(RUNS, json=loop("r1", status="failed"))
    assert other.status_code == 409
    assert "r1" in other.json()["detail"]


BAD: list[tuple[Any, int, str]] = [
    ('{"run_id": "r1", "objective"', 400, ""),
    ('{"run_id": NaN}', 400, ""),
    (loop("r1", status="exploded"), 422, "/status"),
    (
        loop("r1", iterations=[{"number": 1, "status": "completed", "duration": -5}]),
        422,
        "/iterations/0/duration",
    ),
    ({"run_id": "r1", "objective": "x", "status": "completed"}, 422, "/iterations"),
    (loop("r1", iterations=[{"number": 1, "status": "failed"}] * 10_001), 422, "/iterations"),
    (loop("r1", memories_used=["m"] * 501), 422, "/memories_used"),
    (loop("r/1"), 422, "/loopId"),
    ([], 422, ""),
]


@pytest.mark.parametrize(("body", "status", "pointer"), BAD)
def test_bad_input_leaves_nothing_behind(http: httpx2.Client, body: Any, status: int, pointer: str) -> None:
    headers = {"content-type": "application/json"}
    sent = (
        http.post(RUNS, content=body, headers=headers)
        if isinstance(body, str)
        else http.post(RUNS, json=body)
    )
    assert sent.status_code == status, sent.text
    if pointer:
        assert pointer in [error["pointer"] for error in sent.json()["errors"]]
    assert http.get(RUNS).json()["runs"] == []
    assert http.get(STAGING).json()["counts"]["total"] == 0


def test_a_million_iterations_are_too_much(http: httpx2.Client) -> None:
    body = '{"run_id":"r","objective":"x","status":"failed","iterations":[' + "{}," * 1_500_000 + "{}]}"
    sent = http.post(RUNS, content=body, headers={"content-type": "application/json"})
    assert sent.status_code == 413


def test_reviews_show_what_is_staged(http: httpx2.Client) -> None:
    http.post(f"{RUNS}?mode=staged", json=loop("r1"))
    waiting = http.get("/v1/projects/shop/reviews").json()["reviews"]
    assert {(item["kind"], item["age_days"]) for item in waiting} == {("staged", 0)}
    decisions = {"decisions": [{"id": item["id"], "decision": "approve"} for item in waiting]}
    done = http.post(
        "/v1/projects/shop/reviews:decide", json=decisions, headers={"idempotency-key": "d"}
    ).json()
    again = http.post("/v1/projects/shop/reviews:decide", json=decisions, headers={"idempotency-key": "d"})
    assert {line["status"] for line in done["results"]} == {200}
    assert again.json() == done
    assert http.get("/v1/projects/shop/reviews").json()["reviews"] == []


def test_the_schema_is_served(http: httpx2.Client) -> None:
    served = http.get("/schemas/run-completed.json")
    assert served.headers["content-type"] == "application/schema+json"
    assert set(served.json()["$defs"]) >= {"Run", "EventBridgeEvent", "CloudEvent"}


def test_a_reviewed_memory_is_shared(http: httpx2.Client) -> None:
    http.put(
        "/v1/projects/shop/memories/m1", json={"content": "The ledger locks the table while it compacts."}
    )
    key = {"idempotency-key": "k"}
    first = http.post("/v1/projects/shop/memories/m1/apply", json={"as": "property"}, headers=key)
    again = http.post("/v1/projects/shop/memories/m1/apply", json={"as": "property"}, headers=key)
    assert (first.status_code, first.json()["project"], again.json()) == (201, "_shared", first.json())
    assert http.get(first.headers["location"]).json()["detail"]["applied_as"] == "property"
    assert http.post("/v1/projects/shop/memories/m1/apply", json={"as": "poem"}).status_code == 422


def test_an_event_on_the_bus_of_the_process_is_learned_from(tmp_path: Path, embedder: Embedder) -> None:
    """Whom its source speaks for stands in the settings."""
    settings = read_settings({}, data_dir=tmp_path / "data", model_dir=tmp_path / "no-model")
    backend = open_embedded(settings, embedder=embedder)
    application(backend, tmp_path, with_auth=False, event_sources='{"ci": {"tenant": "acme", "sub": "ci"}}')
    for source in ("ci", "stranger"):
        backend.ports.bus.publish("run.completed", event_of(loop(f"by-{source}"), "shop", source))
    backend.drain()
    page = backend.ports.store.learnings.runs(Scope("acme", "shop"), after=None, limit=10)
    assert [run.run_id for run in page.runs] == ["by-ci"]
    backend.close()
