"""The routes of corrections as a client meets them, on either backend: a chain, looked at from all sides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from tests.answer_schemas import checked
from tests.e2e.conftest import running
from tests.given import StandingClock

PROJECT = "/v1/projects/web"
MEMORIES = f"{PROJECT}/memories"
WRONG = "A DynamoDB transaction holds at most 25 actions."
RIGHT = "A DynamoDB transaction holds at most 100 actions."
QUERY = {"query": "How many actions does a DynamoDB transaction hold?"}


@pytest.fixture
def http(backend: EmbeddedBackend, tmp_path: Path) -> Iterator[httpx2.Client]:
    with (
        running(backend, tmp_path, with_auth=False) as url,
        httpx2.Client(base_url=url, timeout=30.0) as client,
    ):
        yield checked(client)


def store(http: httpx2.Client, id: str, content: str) -> None:
    assert http.post(MEMORIES, json={"id": id, "content": content}).status_code == 201


def recalled(http: httpx2.Client, **asked: str) -> set[str]:
    answer = http.post(f"{PROJECT}/recall", json={**QUERY, **asked})
    assert answer.status_code == 200, answer.text
    return {memory["id"] for memory in answer.json()["memories"]}


def pointers(answer: httpx2.Response) -> list[str]:
    assert answer.status_code == 422, answer.text
    return [error["pointer"] for error in answer.json()["errors"]]


def test_a_superseded_memory_is_out_of_recall_and_reachable_and_undo_restores_it(
    http: httpx2.Client, clock: StandingClock
) -> None:
    """SPEC 2.17: the chain from both ends, the past, and the way back."""
    store(http, "old", WRONG)
    written = "2026-03-01T12:00:00Z"
    clock.advance(days=1)
    said = {"content": RIGHT, "id": "new", "reason": "the limit was raised"}
    assert http.post(f"{MEMORIES}/old/supersede", json=said).status_code == 201
    assert recalled(http) == {"new"}
    assert recalled(http, as_of=written) == {"old"}
    for end in ("old", "new"):
        versions = http.get(f"{MEMORIES}/{end}/history").json()["versions"]
        told = {(version["memory"]["id"], version["verb"]) for version in versions}
        assert told == {("old", "created"), ("old", "superseded"), ("new", "supersedes")}
        assert versions[0]["memory"]["id"] == "old"
    listed = http.get(MEMORIES, params={"as_of": written}).json()
    assert [memory["id"] for memory in listed["memories"]] == ["old"]
    assert http.get(f"{MEMORIES}/old", params={"as_of": written}).json()["status"] == "active"
    assert http.get(f"{MEMORIES}/new", params={"as_of": written}).status_code == 404
    then = http.get(f"{MEMORIES}/old/history", params={"as_of": written}).json()["versions"]
    assert [version["version"] for version in then] == [1]

    undone = http.post(f"{MEMORIES}/old/undo", json={"reason": "both hold"})
    assert undone.status_code == 200, undone.text
    assert undone.headers["etag"] == '"3"'
    assert (undone.json()["status"], undone.json()["superseded_by"]) == ("active", None)
    assert http.get(f"{MEMORIES}/new").json()["supersedes"] is None
    assert recalled(http) == {"old", "new"}


def test_every_correction_takes_effect_once_per_key(http: httpx2.Client) -> None:
    store(http, "a", WRONG)
    store(http, "b", "Otters sleep by day.")
    http.delete(f"{MEMORIES}/a")
    for number, (path, body) in enumerate(
        (("undo", {}), ("confirm", {}), ("restore", {"version": 1}), ("merge", {"ids": ["b"]}))
    ):
        key = {"idempotency-key": f"k{number}"}
        first = http.post(f"{MEMORIES}/a/{path}", json=body, headers=key)
        assert first.status_code == 200, first.text
        again = http.post(f"{MEMORIES}/a/{path}", json=body, headers=key)
        assert again.headers["idempotent-replayed"] == "true"
        assert again.json() == first.json()
        other = http.post(f"{MEMORIES}/a/{path}", json={**body, "reason": "else"}, headers=key)
        assert other.status_code == 422
    assert http.get(f"{MEMORIES}/b").json()["superseded_by"] == "a"


def test_bad_input_gets_clear_words(http: httpx2.Client) -> None:
    store(http, "a", WRONG)
    later = {"as_of": "2099-01-01T00:00:00Z"}
    for path in (MEMORIES, f"{MEMORIES}/a", f"{MEMORIES}/a/history"):
        assert pointers(http.get(path, params=later)) == ["/query/as_of"]
        assert pointers(http.get(path, params={"as_of": "yesterday"})) == ["/query/as_of"]
    answer = http.post(f"{PROJECT}/recall", json={**QUERY, **later})
    assert pointers(answer) == ["/as_of"]
    assert "lies in the future" in answer.json()["detail"]
    itself = http.post(f"{MEMORIES}/a/supersede", json={"id": "a"})
    assert (itself.status_code, itself.json()["detail"]) == (
        409,
        "a cannot supersede itself; write the correction as a memory of its own",
    )
    assert pointers(http.post(f"{MEMORIES}/a/merge", json={"ids": ["a"]})) == ["/ids"]
    assert pointers(http.post(f"{MEMORIES}/a/merge", json={"ids": []})) == ["/ids"]
    assert pointers(http.post(f"{MEMORIES}/a/merge", json={"ids": [f"m{n}" for n in range(21)]})) == ["/ids"]
    assert pointers(http.post(f"{MEMORIES}/a/restore", json={"version": 0})) == ["/version"]
    assert pointers(http.post(f"{MEMORIES}/a/restore", json={"version": 2})) == ["/version"]
    assert pointers(http.post(f"{MEMORIES}/a/restore", json={})) == ["/version"]
    nothing = http.post(f"{MEMORIES}/a/undo")
    assert (nothing.status_code, nothing.json()["type"]) == (409, "urn:memory-layer:problem:conflict")
    assert http.post(f"{MEMORIES}/a/undo", headers={"if-match": '"9"'}).status_code == 412
    assert http.get(f"{PROJECT}/stale", params={"cursor": "x"}).status_code == 400


def test_before_a_project_began_nothing_was_there(http: httpx2.Client) -> None:
    past = {"as_of": "2020-01-01T00:00:00Z"}
    assert http.get(MEMORIES, params=past).json() == {"memories": [], "next_cursor": None}
    assert recalled(http, **past) == set()
    assert http.get(f"{PROJECT}/stale").json() == {"stale": [], "next_cursor": None}
    assert http.get(f"{MEMORIES}/a", params=past).status_code == 404


def test_a_cursor_of_one_time_is_none_of_another(http: httpx2.Client, clock: StandingClock) -> None:
    """Falls where the cursor is not bound to `as_of`."""
    for number, animal in enumerate(("Herons", "Otters", "Badgers")):
        store(http, f"m{number}", f"{animal} are seen near the mill.")
    clock.advance(days=1)
    then = {"as_of": "2026-03-01T12:00:00Z", "limit": "2"}
    page = http.get(MEMORIES, params=then).json()
    assert len(page["memories"]) == 2
    following = {"cursor": page["next_cursor"]}
    assert len(http.get(MEMORIES, params={**then, **following}).json()["memories"]) == 1
    other = {"as_of": "2026-03-01T13:00:00Z", "limit": "2"}
    assert http.get(MEMORIES, params={**other, **following}).status_code == 400
