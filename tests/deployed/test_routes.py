"""Every route of docs/openapi.json is deployed, reaches its function, and is answered by the product."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from tests.deployed.calls import created
from tests.deployed.deployment import Deployed
from tests.given import REPOSITORY
from tests.run_examples import loop

pytestmark = pytest.mark.engines

DOCUMENT = json.loads((REPOSITORY / "docs" / "openapi.json").read_text("utf-8"))
ROUTES = [(method, path) for path, operations in DOCUMENT["paths"].items() for method in operations]

BODIES: dict[tuple[str, str], Any] = {
    ("post", "/memories"): {"content": "Every route is called once."},
    ("put", "/memories/{id}"): {"content": "Every route is called at least once."},
    ("patch", "/memories/{id}"): {"tags": ["routes"]},
    ("post", "/outcome"): {"result": "worked"},
    ("post", "/supersede"): {"content": "Every route is called, and answers."},
    ("post", "/memories:batch"): [{"content": "A line."}],
    ("post", "/prompt"): {"task": "call every route"},
    ("post", "/enrich"): {"payload": {"changed": ["urn:file:routes.py"]}},
    ("post", "/recall"): {"query": "which routes are called?"},
    ("post", "/context"): {"intent": "call every route"},
    ("post", "/feedback"): {"completeness": 0.9},
    ("post", "/turns"): [{"content": "A turn."}],
    ("put", "/settings"): {},
    ("patch", "/settings"): {},
    ("post", "/webhooks"): {"url": "https://hooks.example.com/"},
    ("post", "/apply"): {"as": "property"},
    ("post", "/merge-project"): {"from": "another"},
    ("post", "/prune"): {"unused": True},
    ("post", "/runs"): loop("posted"),
    ("post", "/reject"): {"reason": "chance"},
    ("post", "/staging:promote"): {},
    ("post", "/staging:validate"): {},
    ("post", "/entity-events"): {"urn": "urn:file:routes.py", "event": "content_changed"},
    ("post", "/erase"): {"entity": "urn:file:routes.py"},
    ("post", "/memories/{id}/restore"): {"version": 1},
    ("post", "/resolve"): {"resolution": "kept_both"},
    ("post", "/rollback"): {"principal": "nobody-7"},
}
"""Valid input by method and the end of the path."""

STORE = "/v1/memory_stores/{memory_store_id}"
STORE_BODIES: dict[str, Any] = {
    "/v1/memory_stores": {"name": "Every route"},
    STORE: {"description": "Every route is called once."},
    f"{STORE}/memories": {"path": "/routes.md", "content": "Every route is called once."},
    f"{STORE}/memories/{{id}}": {"content": "Every route is called again."},
}
"""Valid input of the routes of stores."""


def judged_author(http: httpx2.Client, project: str) -> str:
    id = created(http, project, "A line of an agent is judged.", source="run")["id"]
    assert http.patch(f"/v1/projects/{project}/memories/{id}/reject", json={}).status_code == 200
    return str(http.get(f"/v1/projects/{project}/authors").json()["authors"][0]["id"])


def target_of(http: httpx2.Client, project: str, path: str) -> str:
    """The id of something that the route is about, made for it."""
    if path.startswith(STORE):
        id = str(created(http, project, "What a store has as a file.")["id"])
        words = {"content": "What a store has as a file now."}
        assert http.patch(f"/v1/projects/{project}/memories/{id}", json=words).status_code == 200
        return id
    if "/authors/{author}" in path:
        return judged_author(http, project)
    if "/rollback/{id}" in path:
        return str(http.post(f"/v1/projects/{project}/rollback", json={"principal": "nobody-7"}).json()["id"])
    if path.endswith("/undo"):
        id = str(created(http, project, "What is put aside, and not for long.")["id"])
        assert http.delete(f"/v1/projects/{project}/memories/{id}").status_code == 200
        return id
    if "/webhooks/{id}" in path:
        return "whk_1"
    if "/conflicts/{id}" in path:
        return f"par_{'0' * 32}"
    if any(part in path for part in ("/memories/{id}", "/reviews/{id}", "/reviews:decide")):
        return str(created(http, project, "What the routes are called with.")["id"])
    if "/staging/{id}" in path:
        runs = f"/v1/projects/{project}/runs"
        assert http.post(runs, params={"mode": "staged"}, json=loop("staged")).status_code == 201
        return str(http.get(f"/v1/projects/{project}/staging").json()["staged"][0]["id"])
    if "/snapshots/{id}" in path:
        return str(http.post(f"/v1/projects/{project}/snapshots").json()["id"])
    if "/runs/{run_id}" in path:
        assert http.post(f"/v1/projects/{project}/runs", json=loop("told")).status_code == 201
        return "told"
    if "/context/" in path:
        created(http, project, "A context begins with what is known.")
        answer = http.post(f"/v1/projects/{project}/context", json={"intent": "call every route"})
        return str(answer.json()["request_id"])
    return "op_1"


def body_of(http: httpx2.Client, project: str, method: str, path: str, id: str) -> Any:
    if path.startswith("/v1/memory_stores"):
        return STORE_BODIES.get(path) if method == "post" else None
    if path.endswith("/reorganisation"):
        return {"id": f"reo_{'0' * 32}", "decision": "drop"} if method == "post" else None
    if path.endswith("/reviews:decide"):
        return {"decisions": [{"id": id, "decision": "archive"}]}
    if path.endswith("/merge"):
        return {"ids": [created(http, project, "Gateways answer what no function does.")["id"]]}
    if path.endswith("{project}/outcome"):
        created(http, project, "Verdicts are told by the numbers of a page.")
        page = http.post(f"/v1/projects/{project}/prompt", json={"task": "tell verdicts"}).json()
        return {"recall_id": page["recall_id"], "refs": [1], "result": "worked"}
    if path.endswith("/import"):
        return http.get(f"/v1/projects/{project}/export").text
    ends = [body for (its, end), body in BODIES.items() if its == method and path.endswith(end)]
    return ends[0] if ends else None


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=lambda part: part)
def test_a_route_is_answered_by_the_product(
    admin: httpx2.Client, project: str, method: str, path: str
) -> None:
    """No 5xx, no 404 of the gateway; 404 of an operation that there is not is the product's own."""
    id = target_of(admin, project, path)
    body = body_of(admin, project, method, path, id)
    store = {"memory_store_id": f"memstore_{project}", "memory_version_id": f"memver_1_{id}"}
    url = path.format(
        project=project,
        id=id,
        author=id,
        session_id="a session",
        run_id=id,
        request_id=id,
        n=1,
        name="start.js",
        **store,
    )
    answer = admin.request(method.upper(), url, params=_query_of(method, path), **_sent(body))
    assert answer.status_code < 500, answer.text
    assert answer.status_code in _told_by(method, path), answer.text


def _query_of(method: str, path: str) -> dict[str, str]:
    """What the route cannot do without."""
    if path.endswith("/graph"):
        return {"entity": "urn:file:routes.py"}
    return (
        {"urn": "urn:file:routes.py"} if (method, path.rpartition("/")[2]) == ("get", "entity-events") else {}
    )


def _sent(body: Any) -> dict[str, Any]:
    if isinstance(body, str):
        return {"content": body, "headers": {"content-type": "application/x-ndjson"}}
    return {} if body is None else {"json": body}


def _told_by(method: str, path: str) -> set[int]:
    """The statuses of success in the document; the operation and the pair asked for are not there, nor are webhooks."""
    if "/webhooks" in path:
        return {409}  # a laptop's: here are a bus and its rules
    told = {int(status) for status in DOCUMENT["paths"][path][method]["responses"] if status != "default"}
    is_of_nothing = method == "post" and path.endswith("/reorganisation")
    return {404} if is_of_nothing or "/operations/" in path or "/conflicts/" in path else told


def test_the_operation_that_is_not_there_is_refused_by_the_product(admin: httpx2.Client) -> None:
    answer = admin.get("/v1/operations/op_1")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("path", ["/v1/nothing", "/v2/projects/web/memories", "/"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_is_no_route_is_told_so_by_the_product(admin: httpx2.Client, method: str, path: str) -> None:
    answer = admin.request(method, path)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert answer.json()["instance"] == path


def test_a_route_spelt_otherwise_lets_nobody_in(deployed: Deployed, project: str) -> None:
    """Past the authorizer, by the route for what is no route: the product itself asks who it is."""
    with deployed.caller(None) as nobody:
        for method, path in (("GET", "memories/"), ("POST", "recall/"), ("PUT", "memories")):
            answer = nobody.request(method, f"/v1/projects/{project}/{path}", json={"query": "x"})
            assert answer.status_code in (401, 404, 405), answer.text
            assert answer.headers["content-type"] == "application/problem+json"
