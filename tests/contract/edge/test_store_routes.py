"""Routes of stores held against openapi.json, with tokens: whose rights they are, and how they refuse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.usecases.files import file_versions, read_files
from memory_layer.usecases.recall import compose_playbook
from tests.answer_schemas import checked
from tests.e2e.conftest import running

STORES = "/v1/memory_stores"


@pytest.fixture
def http(backend: EmbeddedBackend, tmp_path: Path) -> Iterator[httpx2.Client]:
    with (
        running(backend, tmp_path, with_auth=False) as url,
        httpx2.Client(base_url=url, timeout=30.0) as client,
    ):
        yield checked(client)


def done(answer: httpx2.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_every_answer_is_as_it_is_declared(http: httpx2.Client, backend: EmbeddedBackend) -> None:
    """Falls where a store, a file, a version or an error has a member that clients are not told of."""
    store = done(http.post(STORES, json={"name": "User notes"}))["id"]
    files = f"{STORES}/{store}/memories"
    file = done(
        http.post(files, params={"beta": "true", "view": "full"}, json={"path": "/a.md", "content": "one"})
    )
    assert file["content"] == "one"
    done(http.post(f"{files}/{file['id']}", json={"content": "two"}))
    versions = done(http.get(f"{STORES}/{store}/memory_versions", params={"view": "full"}))["data"]
    assert [one["content"] for one in versions] == ["two", "one"]
    redacted = done(http.post(f"{STORES}/{store}/memory_versions/{versions[1]['id']}/redact"))
    assert redacted["redacted_by"] == redacted["created_by"]
    assert [one["path"] for one in done(http.get(files, params={"depth": 1}))["data"]] == ["/a.md"]
    backend.drain()
    assert store in [one["id"] for one in done(http.get(STORES))["data"]]
    done(http.post(f"{STORES}/{store}", json={"metadata": {"team": "blue"}}))
    done(http.delete(f"{files}/{file['id']}"))
    assert done(http.post(f"{STORES}/{store}/archive"))["archived_at"] is not None
    done(http.delete(f"{STORES}/{store}"))


@pytest.mark.parametrize(
    "path",
    [
        f"{STORES}/memstore_web/memories",
        f"{STORES}/memstore_web/memory_versions",
        "/v1/projects/web/playbook",
        "/v1/projects/web/playbook/reorganisation",
    ],
)
def test_each_list_of_a_crowded_project_tells_what_it_leaves_out(
    http: httpx2.Client, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Falls where an answer has no `note`: a part would pass for all there is."""
    for number in (1, 2):
        said = {"content": f"Shelf {number} holds box {7 * number}.", "type": "strategy"}
        assert http.post("/v1/projects/web/memories", json=said).status_code == 201
    assert done(http.get(path)).get("note") is None
    monkeypatch.setattr(read_files, "FILES_MAX", 1)
    monkeypatch.setattr(file_versions, "FILES_MAX", 1)
    monkeypatch.setattr(compose_playbook, "BULLETS_MAX", 1)
    assert done(http.get(path))["note"].startswith("1 are shown, not shown are 1 that people vouch for")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "kind"),
    [
        ("GET", f"{STORES}/memstore_nothing", None, 404, "not_found_error"),
        ("GET", f"{STORES}/nothing", None, 400, "invalid_request_error"),
        ("GET", f"{STORES}?colour=red", None, 400, "invalid_request_error"),
        ("POST", STORES, {"name": ""}, 400, "invalid_request_error"),
        ("POST", STORES, {"name": "x", "colour": "red"}, 400, "invalid_request_error"),
        ("GET", f"{STORES}?page=nonsense", None, 400, "invalid_request_error"),
    ],
)
def test_a_refusal_is_in_the_words_of_that_api(
    http: httpx2.Client, method: str, path: str, body: Any, status: int, kind: str
) -> None:
    answer = http.request(method, path, **({} if body is None else {"json": body}))
    assert (answer.status_code, answer.json()["type"]) == (status, "error")
    assert answer.json()["error"]["type"] == kind
    assert answer.json()["error"]["message"]


def test_a_playbook_and_its_reorganisation_are_as_declared(http: httpx2.Client) -> None:
    project = "/v1/projects/web"
    http.post(f"{project}/memories", json={"content": "Write the test first.", "type": "strategy"})
    page = done(http.get(f"{project}/playbook"))
    assert [one["content"] for one in page["bullets"]] == ["Write the test first."]
    assert done(http.get(f"{project}/playbook", params={"since": page["as_of"]}))["total"] == 1
    assert done(http.get(f"{project}/playbook/reorganisation"))["id"] is None
    decision = {"id": f"reo_{32 * '0'}", "decision": "drop"}
    assert http.post(f"{project}/playbook/reorganisation", json=decision).status_code == 404
