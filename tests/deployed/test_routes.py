"""Every route of docs/openapi.json is deployed, reaches its function, and is answered by the product."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from tests.deployed.calls import created
from tests.deployed.deployment import ROOT

pytestmark = pytest.mark.engines

DOCUMENT = json.loads((ROOT / "docs" / "openapi.json").read_text("utf-8"))
ROUTES = [(method, path) for path, operations in DOCUMENT["paths"].items() for method in operations]

BODIES: dict[tuple[str, str], Any] = {
    ("post", "/memories"): {"content": "Every route is called once."},
    ("put", "/memories/{id}"): {"content": "Every route is called at least once."},
    ("patch", "/memories/{id}"): {"tags": ["routes"]},
    ("post", "/outcome"): {"result": "worked"},
    ("post", "/supersede"): {"content": "Every route is called, and answers."},
    ("post", "/memories:batch"): [{"content": "A line."}],
    ("post", "/prompt"): {"task": "call every route"},
    ("post", "/recall"): {"query": "which routes are called?"},
    ("post", "/turns"): [{"content": "A turn."}],
    ("put", "/settings"): {},
}
"""Valid input by method and the end of the path."""


def body_of(method: str, path: str, id: str) -> Any:
    if path.endswith("/reviews:decide"):
        return {"decisions": [{"id": id, "decision": "archive"}]}
    ends = [body for (its, end), body in BODIES.items() if its == method and path.endswith(end)]
    return ends[0] if ends else None


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=lambda part: part)
def test_a_route_is_answered_by_the_product(
    admin: httpx2.Client, project: str, method: str, path: str
) -> None:
    """No 5xx, no 404 of the gateway; 404 of an operation that there is not is the product's own."""
    id = (
        created(admin, project, "What the routes are called with.")["id"]
        if "memories/{id}" in path
        else "op_1"
    )
    body = body_of(method, path, id)
    url = path.format(project=project, id=id, session_id="a session")
    answer = admin.request(method.upper(), url, json=body) if body is not None else admin.request(method, url)
    assert answer.status_code < 500, answer.text
    assert answer.status_code in _told_by(method, path), answer.text


def _told_by(method: str, path: str) -> set[int]:
    """The statuses of success in the document; the operation asked for is not there."""
    told = {int(status) for status in DOCUMENT["paths"][path][method]["responses"] if status != "default"}
    return {404} if "/operations/" in path else told


def test_the_operation_that_is_not_there_is_refused_by_the_product(admin: httpx2.Client) -> None:
    answer = admin.get("/v1/operations/op_1")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("path", ["/v1/nothing", "/v2/projects/web/memories", "/"])
def test_what_is_no_route_reaches_no_function(admin: httpx2.Client, path: str) -> None:
    answer = admin.get(path)
    assert (answer.status_code, answer.json()) == (404, {"message": "Not Found"})
