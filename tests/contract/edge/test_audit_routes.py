"""The routes of the audit log as a client meets them, with what a refused write leaves there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from tests.answer_schemas import checked
from tests.e2e.conftest import running

PROJECT = "/v1/projects/web"
ADVICE = "Run the importer with mode=ro, or it takes the write lock."


@pytest.fixture
def http(backend: EmbeddedBackend, tmp_path: Path) -> Iterator[httpx2.Client]:
    with (
        running(backend, tmp_path, with_auth=False) as url,
        httpx2.Client(base_url=url, timeout=30.0) as client,
    ):
        yield checked(client)


def test_a_write_and_a_refusal_are_told_with_their_requests(
    http: httpx2.Client, backend: EmbeddedBackend
) -> None:
    """Falls without the signature of a caller's ports, and without `note_refused_write`."""
    stored = http.post(f"{PROJECT}/memories", json={"id": "m1", "content": ADVICE})
    again = http.post(f"{PROJECT}/memories", json={"content": ADVICE})
    assert (stored.status_code, again.status_code) == (201, 409)
    backend.drain()
    answer = http.get(f"{PROJECT}/audit").json()
    told = {entry["what"]: entry for entry in answer["entries"]}
    assert told["created"]["about"] == "m1"
    assert told["created"]["request_id"]
    assert told["refused"]["detail"] == "POST memories: 409 duplicate"
    assert told["refused"]["request_id"] == again.json()["request_id"]
    assert answer["next_cursor"] is None


def test_pages_go_by_cursor_and_a_verification_tells_the_head(
    http: httpx2.Client, backend: EmbeddedBackend
) -> None:
    for number in range(3):
        said = {"id": f"m{number}", "content": f"Rule {number}: close file {number} after use."}
        assert http.post(f"{PROJECT}/memories", json=said).status_code == 201
    backend.drain()
    first = http.get(f"{PROJECT}/audit", params={"limit": 2, "what": "created"}).json()
    rest = http.get(
        f"{PROJECT}/audit", params={"limit": 2, "what": "created", "cursor": first["next_cursor"]}
    ).json()
    assert [entry["about"] for entry in (*first["entries"], *rest["entries"])] == ["m2", "m1", "m0"]
    foreign = http.get(f"{PROJECT}/audit", params={"cursor": first["next_cursor"]})
    assert foreign.status_code == 400
    verified = http.get(f"{PROJECT}/audit/verify").json()
    assert (verified["is_valid"], verified["entries"]) == (True, 3)
    assert verified["head"] == first["entries"][0]["digest"]
