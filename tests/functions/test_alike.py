"""The laptop and the cloud answer alike: one conversation held with both, compared answer by answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.edge.api_gateway import HttpApi
from memory_layer.ports.process import Embedder
from memory_layer.settings import read_settings
from tests.answer_schemas import checked
from tests.e2e.conftest import running
from tests.functions.conftest import Shelf
from tests.functions.http_api import client_of
from tests.given import StandingClock

MEMORIES = "/v1/projects/web/memories"
COMPARED_HEADERS = (
    "content-type",
    "etag",
    "location",
    "retry-after",
    "idempotent-replayed",
    "preference-applied",
)
LOCAL = {"tenant": "local", "sub": "local", "roles": "[admin]"}
"""The principal of a laptop without authentication, as claims."""

CONVERSATION: list[tuple[str, str, dict[str, Any]]] = [
    (
        "POST",
        MEMORIES,
        {"json": {"content": "SQLite takes one writer at a time.", "tags": ["sqlite", "a,b"]}},
    ),
    ("POST", MEMORIES, {"json": {"content": "SQLite takes one writer at a time."}}),
    (
        "POST",
        MEMORIES,
        {"json": {"content": "Lambda keeps a sandbox warm."}, "headers": {"idempotency-key": "k, 1"}},
    ),
    (
        "POST",
        MEMORIES,
        {"json": {"content": "Lambda keeps a sandbox warm."}, "headers": {"idempotency-key": "k, 1"}},
    ),
    ("POST", MEMORIES, {"json": {"content": "Another body."}, "headers": {"idempotency-key": "k, 1"}}),
    ("POST", MEMORIES, {"json": {"content": ""}}),
    ("POST", MEMORIES, {"json": {"content": "x", "colour": "red"}}),
    ("POST", MEMORIES, {"content": b'{"content": ', "headers": {"content-type": "application/json"}}),
    ("POST", MEMORIES, {"content": b"\xff\xfe", "headers": {"content-type": "application/json"}}),
    ("POST", MEMORIES, {"content": b'{"content": "x"}', "headers": {"content-type": "text/plain"}}),
    (
        "POST",
        MEMORIES,
        {"content": b"x" * (4 * 1024 * 1024 + 1), "headers": {"content-type": "application/json"}},
    ),
    (
        "POST",
        f"{MEMORIES}:batch",
        {
            "content": '{"content": "Erste Zeile: Grüße."}\n{"content": ""}\n'.encode(),
            "headers": {"content-type": "application/x-ndjson"},
        },
    ),
    ("GET", MEMORIES, {}),
    ("GET", f"{MEMORIES}?limit=1", {}),
    ("GET", f"{MEMORIES}?limit=1&limit=2", {}),
    ("GET", f"{MEMORIES}?limit=none", {}),
    ("GET", f"{MEMORIES}?tags=sqlite,other", {}),
    ("GET", f"{MEMORIES}?tags=sqlite&tags=other", {}),
    ("GET", f"{MEMORIES}?created_by=local,other", {}),
    ("GET", f"{MEMORIES}?created_by=a%26b%3Dc&created_by=local", {}),
    ("GET", f"{MEMORIES}?dimension=&status=active", {}),
    ("GET", f"{MEMORIES}?colour=red", {}),
    ("GET", f"{MEMORIES}?cursor=%FF", {}),
    ("GET", f"{MEMORIES}?cursor=nonsense", {}),
    ("GET", f"{MEMORIES}/mem_00000001", {}),
    ("GET", f"{MEMORIES}/mem%5F00000001", {}),
    ("GET", f"{MEMORIES}/mem_none", {}),
    ("GET", f"{MEMORIES}/no%20slug", {}),
    ("GET", f"{MEMORIES}/%FF", {}),
    ("GET", "/v1/projects/no%20slug/memories", {}),
    ("GET", "/v1/nothing", {}),
    ("DELETE", f"{MEMORIES}/mem_none", {}),
    ("PATCH", f"{MEMORIES}/mem_00000001", {"json": {"tags": ["db"]}, "headers": {"if-match": '"9"'}}),
    (
        "PATCH",
        f"{MEMORIES}/mem_00000001",
        {"json": {"tags": ["db"]}, "headers": {"if-match": "nonsense, too"}},
    ),
    ("PATCH", f"{MEMORIES}/mem_00000001", {"json": {"tags": ["db"]}, "headers": {"if-match": '"1"'}}),
    ("PATCH", f"{MEMORIES}/mem_00000001", {"json": {"id": "other"}}),
    ("POST", f"{MEMORIES}/mem_00000001/outcome", {"json": {"result": "worked"}}),
    ("POST", f"{MEMORIES}/mem_00000001/outcome", {"json": {"result": "perhaps"}}),
    ("PATCH", f"{MEMORIES}/mem_00000001/approve", {}),
    ("PATCH", f"{MEMORIES}/mem_00000001/reject", {"json": {"reason": "no longer"}}),
    ("GET", f"{MEMORIES}/mem_00000001/history", {}),
    ("GET", "/v1/projects/web/reviews", {}),
    ("GET", "/v1/projects/web/settings", {}),
    ("GET", "/v1/projects/web/stats", {}),
    ("POST", "/v1/projects/web/recall", {"json": {"query": "is a sandbox kept warm?"}}),
    ("POST", "/v1/projects/web/recall", {"json": {"query": "  "}}),
    ("POST", "/v1/projects/web/prompt", {"json": {"task": "keep the sandbox warm"}}),
    ("POST", "/v1/projects/web/prompt", {"json": {"task": "fix a test", "format": "knowledge"}}),
    ("POST", "/v1/projects/web/prompt", {"json": {"task": "fix a test", "format": "poem"}}),
    (
        "POST",
        "/v1/projects/web/sessions/a%2525b%20c/turns",
        {"json": [{"content": "What is the limit?"}, {"content": "Six megabytes."}]},
    ),
    ("GET", f"{MEMORIES}?session_id=a%2525b%20c", {}),
    ("DELETE", f"{MEMORIES}/mem_00000001", {"params": {"hard": "true"}}),
    ("GET", f"{MEMORIES}/mem_00000001", {}),
    ("GET", "/healthz", {}),
    ("GET", "/readyz", {}),
    ("GET", "/version", {}),
    ("GET", "/openapi.json", {}),
]

Both = tuple[httpx2.Client, httpx2.Client]


class Numbered:
    """Ids counted by prefix, so that request ids of one face do not move the others."""

    def __init__(self) -> None:
        self._made: Counter[str] = Counter()

    def __call__(self, prefix: str) -> str:
        self._made[prefix] += 1
        return f"{prefix}{self._made[prefix]:08d}"


@pytest.fixture
def both(tmp_path: Path, embedder: Embedder) -> Iterator[Both]:
    """A laptop's server and a function, each over a store of its own."""

    def backend(name: str) -> EmbeddedBackend:
        settings = read_settings({}, data_dir=tmp_path / name, model_dir=tmp_path / "no-model")
        return open_embedded(settings, embedder=embedder, clock=StandingClock(), make_id=Numbered())

    with ExitStack() as stack:
        laptop, cloud = backend("laptop"), backend("cloud")
        stack.callback(laptop.close)
        stack.callback(cloud.close)
        url = stack.enter_context(running(laptop, tmp_path / "laptop", with_auth=False))
        function = HttpApi("memories", lambda: Shelf(cloud.ports))
        yield (
            checked(stack.enter_context(httpx2.Client(base_url=url, timeout=30.0))),
            stack.enter_context(client_of(function, LOCAL)),
        )


def told(answer: httpx2.Response) -> tuple[int, dict[str, str | None], Any]:
    """What has to be the same; a request's id is its own."""
    headers = {name: answer.headers.get(name) for name in COMPARED_HEADERS}
    if not answer.headers.get("content-type", "").endswith("json"):
        return answer.status_code, headers, answer.text
    return answer.status_code, headers, without_request_ids(answer.json())


def without_request_ids(document: Any) -> Any:
    if isinstance(document, dict):
        return {name: without_request_ids(part) for name, part in document.items() if name != "request_id"}
    if isinstance(document, list):
        return [without_request_ids(part) for part in document]
    return document


def test_every_answer_is_the_same(both: Both) -> None:
    laptop, cloud = both
    statuses = Counter[int]()
    for method, path, sent in CONVERSATION:
        expected, found = (told(client.request(method, path, **sent)) for client in (laptop, cloud))
        assert found == expected, (method, path)
        statuses[found[0]] += 1
    assert set(statuses) >= {200, 201, 204, 400, 404, 409, 412, 413, 415, 422}


def test_every_request_has_the_gateways_id_and_not_the_callers(
    cloud: Callable[..., httpx2.Client],
) -> None:
    found = cloud().get(f"{MEMORIES}/mem_none", headers={"x-request-id": "mine"})
    assert found.headers["x-request-id"] == found.json()["request_id"] == "req000000000001="
