"""Decisions on what was looked at, on either backend: what somebody has changed since is refused, and stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.errors import StaleVersion
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.review import resolve_pair as resolving
from memory_layer.usecases.review.resolve_pair import PairResolution, resolve_pair
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.write.revise import revise
from tests.answer_schemas import checked
from tests.e2e.conftest import running
from tests.run_examples import run_of

BOT = Principal("local", "bot-1")
ADA = Principal("local", "ada", email="ada@acme.test", roles=frozenset({"admin"}))
ROOT = "/v1/projects/web"
SAID = {"twenty": "The pool holds 20 connections.", "thirty": "The pool holds 30 connections."}
DECISIONS: dict[str, dict[str, Any]] = {
    "superseded": {"winner": "thirty"},
    "merge": {"winner": "thirty", "content": "The pool holds 20 connections, and 30 at night."},
    "kept_both": {},
}
STALE = "urn:memory-layer:problem:stale_version"


@pytest.fixture
def http(backend: EmbeddedBackend, tmp_path: Path) -> Iterator[httpx2.Client]:
    with (
        running(backend, tmp_path, with_auth=False) as url,
        httpx2.Client(base_url=url, timeout=30.0) as client,
    ):
        yield checked(client)


def store(http: httpx2.Client, **said: str) -> None:
    for id, content in said.items():
        body = {"id": id, "content": content, "category": "convention", "on_duplicate": "create"}
        assert http.post(f"{ROOT}/memories", json=body).status_code == 201


def read(http: httpx2.Client, id: str) -> dict[str, Any]:
    found: dict[str, Any] = http.get(f"{ROOT}/memories/{id}").json()
    return found


def change(http: httpx2.Client, id: str) -> None:
    answer = http.patch(f"{ROOT}/memories/{id}", json={"tags": ["changed"]})
    assert answer.status_code == 200, answer.text


def is_stale(answer: httpx2.Response) -> bool:
    return (answer.status_code, answer.json().get("type")) == (412, STALE)


def conflict_of(http: httpx2.Client, backend: EmbeddedBackend) -> dict[str, Any]:
    store(http, **SAID)
    backend.drain()
    run_sweep(backend.ports, "consolidate", holder="a test", seconds=60.0)
    (pair,) = http.get(f"{ROOT}/conflicts").json()["conflicts"]
    found: dict[str, Any] = pair
    return found


@pytest.mark.parametrize(
    ("said", "status"), [({"content": "A lift holds eight."}, 201), ({"id": "other"}, 200)]
)
def test_a_correction_of_what_was_changed_since_is_refused(
    http: httpx2.Client, said: dict[str, str], status: int
) -> None:
    store(http, first="The lift holds seven people.", other="The lift was built in 1960.")
    etag = http.get(f"{ROOT}/memories/first").headers["etag"]
    change(http, "first")
    asked = {"json": said, "headers": {"if-match": etag}}
    assert is_stale(http.post(f"{ROOT}/memories/first/supersede", **asked))  # type: ignore[arg-type]
    assert (read(http, "first")["status"], read(http, "other")["supersedes"]) == ("active", None)
    etag = http.get(f"{ROOT}/memories/first").headers["etag"]
    answer = http.post(f"{ROOT}/memories/first/supersede", json=said, headers={"if-match": etag})
    assert answer.status_code == status, answer.text
    assert read(http, "first")["superseded_by"] == answer.json()["id"]


@pytest.mark.parametrize("changed", SAID)
@pytest.mark.parametrize("resolution", DECISIONS)
def test_a_decision_on_a_pair_of_which_one_was_changed_since_is_refused(
    http: httpx2.Client, backend: EmbeddedBackend, resolution: str, changed: str
) -> None:
    pair = conflict_of(http, backend)
    said = {"resolution": resolution, **DECISIONS[resolution]}
    path = f"{ROOT}/conflicts/{pair['id']}/resolve"
    change(http, changed)
    assert is_stale(http.post(path, json=said, headers={"if-match": pair["etag"]}))
    assert [read(http, id)["status"] for id in SAID] == ["active", "active"]
    (again,) = http.get(f"{ROOT}/conflicts").json()["conflicts"]
    decided = http.post(path, json=said, headers={"if-match": again["etag"]})
    assert decided.status_code == 200, decided.text
    repeated = http.post(path, json=said, headers={"if-match": again["etag"]})
    assert repeated.json() == decided.json()


@pytest.mark.parametrize("if_match", ['"3"', "3.1", '"3.1.1"', '"a.b"'])
def test_what_is_no_etag_of_a_pair_is_told(
    http: httpx2.Client, backend: EmbeddedBackend, if_match: str
) -> None:
    pair = conflict_of(http, backend)
    path, said = f"{ROOT}/conflicts/{pair['id']}/resolve", {"resolution": "kept_both"}
    refused = http.post(path, json=said, headers={"if-match": if_match})
    assert refused.status_code == 400
    assert "`etag` of a pair" in refused.json()["detail"]
    assert http.post(path, json=said, headers={"if-match": "*"}).status_code == 200


@pytest.mark.parametrize("resolution", ["superseded", "merge"])
def test_what_is_changed_between_the_look_and_the_write_is_not_decided_on(
    http: httpx2.Client,
    backend: EmbeddedBackend,
    monkeypatch: pytest.MonkeyPatch,
    resolution: Any,
) -> None:
    """Falls where only the versions that are read first are compared."""
    pair = conflict_of(http, backend)
    expected = (pair["memories"][0]["version"], pair["memories"][1]["version"])
    others = {"superseded": "thirty", "merge": "twenty"}
    name = {"superseded": "supersede_memory", "merge": "merge_memories"}[resolution]
    carried_out = getattr(resolving, name)

    def after_a_change(*asked: Any, **named: Any) -> Any:
        if len(changed) == 0:
            changed.append(revise(backend.ports, ADA, "web", others[resolution], {"tags": ["changed"]}))
        return carried_out(*asked, **named)

    changed: list[object] = []
    monkeypatch.setattr(resolving, name, after_a_change)
    said = PairResolution(resolution=resolution, **DECISIONS[resolution])
    with pytest.raises(StaleVersion, match=others[resolution]):
        resolve_pair(backend.ports, ADA, "web", pair["id"], said, expected=expected)
    assert [read(http, id)["status"] for id in SAID] == ["active", "active"]


@pytest.mark.parametrize("decided", ["changed", "confirmed"])
def test_a_proposal_takes_no_place_of_what_was_changed_since(
    http: httpx2.Client, backend: EmbeddedBackend, decided: str
) -> None:
    """Falls where `seen` is left out: newer words go out of use unseen, or both stand where the doubt is settled."""
    store(http, first="The lift holds seven people.")
    revise(backend.ports, BOT, "web", "first", {"content": "The lift holds eight people."})
    doubted = read(http, "first")
    (proposal,) = doubted["doubted"]["proposals"]
    seen = {"seen": [{"id": "first", "version": doubted["version"]}]}
    if decided == "changed":
        change(http, "first")
    else:
        assert http.post(f"{ROOT}/memories/first/confirm").status_code == 200
    refused = http.patch(f"{ROOT}/memories/{proposal}/approve", json=seen)
    assert is_stale(refused) if decided == "changed" else refused.status_code == 409
    assert (read(http, "first")["superseded_by"], read(http, proposal)["approved_by"]) == (None, None)


def test_a_proposal_takes_the_place_that_was_looked_at_and_no_other(
    http: httpx2.Client, backend: EmbeddedBackend
) -> None:
    store(http, first="The lift holds seven people.", other="The lift was built in 1960.")
    revise(backend.ports, BOT, "web", "first", {"content": "The lift holds eight people."})
    (proposal,) = read(http, "first")["doubted"]["proposals"]
    path = f"{ROOT}/memories/{proposal}/approve"
    assert is_stale(http.patch(path, json={"seen": [{"id": "other", "version": 1}]}))
    seen = {"seen": [{"id": "first", "version": read(http, "first")["version"]}]}
    assert http.patch(path, json=seen).status_code == 200
    assert read(http, "first")["superseded_by"] == proposal


@pytest.mark.parametrize("is_batch", [False, True])
@pytest.mark.parametrize("seen", ["unnamed", "earlier", "now"])
def test_an_approval_that_tells_what_was_looked_at_takes_no_other_place(
    http: httpx2.Client, backend: EmbeddedBackend, seen: str, is_batch: bool
) -> None:
    """Falls where a batch sends no places, or a place that nobody has looked at is taken."""
    store(http, first="The lift holds seven people.")
    revise(backend.ports, BOT, "web", "first", {"content": "The lift holds eight people."})
    doubted = read(http, "first")
    (proposal,) = doubted["doubted"]["proposals"]
    change(http, "first")
    version = {"unnamed": None, "earlier": doubted["version"], "now": doubted["version"] + 1}[seen]
    places = [] if version is None else [{"id": "first", "version": version}]
    status = approved(http, proposal, places, is_batch=is_batch)
    assert status == (200 if seen == "now" else 412)
    assert read(http, "first")["superseded_by"] == (proposal if seen == "now" else None)


def approved(http: httpx2.Client, id: str, places: list[dict[str, Any]], *, is_batch: bool) -> int:
    """Approves, telling what was looked at. Returns the status."""
    if not is_batch:
        return http.patch(f"{ROOT}/memories/{id}/approve", json={"seen": places}).status_code
    asked = {"decisions": [{"id": id, "decision": "approve", "seen": places}]}
    (result,) = http.post(f"{ROOT}/reviews:decide", json=asked).json()["results"]
    status: int = result["status"]
    return status


def test_doubts_are_shown_and_settled_as_one(http: httpx2.Client, backend: EmbeddedBackend) -> None:
    store(http, first="The lift holds seven people.", second="The stairs are closed.")
    run = run_of("r1", status="failed", memories_used=["first", "second"])
    learn_from_run(backend.ports, BOT, "web", run, "staged")
    (group,) = http.get(f"{ROOT}/reviews").json()["groups"]
    asked = {"principal": group["principal"], "kind": group["kind"]}
    assert http.get(f"{ROOT}/reviews", params=asked).json()["groups"] == [group]
    assert (group["runs"], group["count"], group["kind"]) == (["r1"], 2, "doubted")
    decided = {**asked, "decision": "confirm", "seen": group["seen"]}
    results = http.post(f"{ROOT}/reviews:decide", json={"group": decided}).json()["results"]
    assert [one["status"] for one in results] == [200, 200]
    assert http.get(f"{ROOT}/reviews").json()["groups"] == []
    assert http.get(f"{ROOT}/reviews", params={"kind": "doubted"}).status_code == 422


@pytest.mark.parametrize("is_named", [False, True])
def test_a_group_takes_the_places_that_were_looked_at_alone(
    http: httpx2.Client, backend: EmbeddedBackend, is_named: bool
) -> None:
    store(http, first="The lift holds seven people.")
    http.patch(f"{ROOT}/settings", json={"review_sources": ["human", "run"]}).raise_for_status()
    revise(backend.ports, BOT, "web", "first", {"content": "The lift holds eight people."})
    doubted = read(http, "first")
    (proposal,) = doubted["doubted"]["proposals"]
    held = read(http, proposal)
    seen = [{"id": one["id"], "version": one["version"]} for one in (held, *([doubted] if is_named else []))]
    group = {"principal": held["created_by"], "kind": held["status"], "decision": "approve", "seen": seen}
    (result,) = http.post(f"{ROOT}/reviews:decide", json={"group": group}).json()["results"]
    assert result["status"] == (200 if is_named else 412)
    assert read(http, "first")["superseded_by"] == (proposal if is_named else None)


@pytest.mark.parametrize("decision", ["reject", "archive"])
def test_places_are_named_with_an_approval_alone(http: httpx2.Client, decision: str) -> None:
    store(http, first="The lift holds seven people.")
    asked = {"decisions": [{"id": "first", "decision": decision, "seen": []}]}
    answer = http.post(f"{ROOT}/reviews:decide", json=asked)
    assert answer.status_code == 422
    assert "leave it out" in answer.text
