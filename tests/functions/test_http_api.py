"""A function behind API Gateway: who calls, what cannot be carried, what went wrong, and what the logs say of it."""

from __future__ import annotations

import base64
import json
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest

from memory_layer.edge.api_gateway import HttpApi
from memory_layer.edge.http.large_answers import MAX_ANSWER_BYTES, offloaded_if_large
from memory_layer.errors import IndexUnavailable, StoreUnavailable
from memory_layer.manifest import metrics
from memory_layer.ports.index import SearchIndex
from memory_layer.ports.process import Ports
from tests.functions.conftest import Shelf
from tests.functions.http_api import ADMIN, AGENT, Context, client_of, event_of
from tests.given import each_part

Cloud = Callable[..., httpx2.Client]
MEMORIES = "/v1/projects/web/memories"
RECALL = "/v1/projects/web/recall"
MARKER = "zanzibar-marker-7731"


class Broken:
    """A part that fails as nobody foresaw, with what was asked in its message."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        def fail(*_: Any, **__: Any) -> None:
            raise self._error

        return fail


def with_store(ports: Ports, part: Any) -> Ports:
    """The ports over a store all of whose parts are this one."""
    return replace(ports, store=each_part(ports.store, lambda _: part))


def answer_of(handler: HttpApi, method: str, path: str, **sent: Any) -> Any:
    request = httpx2.Request(method, f"https://api.example{path}", **sent.pop("request", {}))
    return handler(event_of(request, **sent), Context())


# ---- who calls


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        (None, "no token"),
        ({}, "no token"),
        (
            {name: value for name, value in AGENT.items() if name != "tenant"},
            "client 4kq2f0example belongs to no",
        ),
        ({**AGENT, "tenant": "../other"}, "names no tenant"),
        ({name: value for name, value in AGENT.items() if name != "sub"}, "names no subject"),
    ],
)
def test_a_token_without_tenant_or_subject_is_refused(cloud: Cloud, claims: Any, told: str) -> None:
    answer = cloud(claims).get(MEMORIES)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert told in answer.json()["detail"]


@pytest.mark.parametrize("roles", ["[agent reviewer]", "[agent, reviewer]", "reviewer", "[reviewer]"])
def test_roles_arrive_as_text(cloud: Cloud, roles: str) -> None:
    id = cloud().post(MEMORIES, json={"content": "a fact to approve"}).json()["id"]
    assert cloud({**AGENT, "roles": roles}).patch(f"{MEMORIES}/{id}/approve").status_code == 200


@pytest.mark.parametrize(
    "roles", ["[agent]", "", "[reviewers]", "[non-reviewer admin-reader]", "[billing admin viewer]"]
)
def test_a_word_that_only_looks_like_a_role_is_none(cloud: Cloud, roles: str) -> None:
    """The last one was `["billing admin", "viewer"]` in the token; falls where single words count."""
    id = cloud().post(MEMORIES, json={"content": "a fact to approve"}).json()["id"]
    assert cloud({**AGENT, "roles": roles}).patch(f"{MEMORIES}/{id}/approve").status_code == 403


def test_an_address_that_nobody_proved_names_nobody(cloud: Cloud) -> None:
    """Safeguard: principals._proved_email; without it anybody is ada to an issuer that asks for no proof."""
    claimed = {**AGENT, "email": "ada@acme.test"}
    for number, verified in enumerate(({}, {"email_verified": "false"}, {"email_verified": "True"})):
        said = {"content": f"fact number {number}"}
        created = cloud({**claimed, **verified}).post(MEMORIES, json=said).json()
        assert (created["created_by"], created["source"]) == (AGENT["sub"], "run")
    proved = (
        cloud({**claimed, "email_verified": "true"}).post(MEMORIES, json={"content": "something else"}).json()
    )
    assert proved["created_by"] == "ada@acme.test"


def test_claims_that_arrive_as_text_give_personas_and_the_right_to_speak_for_users(cloud: Cloud) -> None:
    """Safeguards: `_listed`, `_is_true`, `speaking_for`; API Gateway makes a text of every claim."""
    several = cloud({**AGENT, "personas": "[ops team]"})
    assert several.post(MEMORIES, json={"content": "The ops fact.", "persona": "ops"}).status_code == 201
    assert several.post(MEMORIES, json={"content": "No fact.", "persona": "web"}).status_code == 403
    user, said = {"memory-user": "clara"}, {"content": "Clara's own fact."}
    created = cloud({**AGENT, "acts_for": "true"}).post(MEMORIES, json=said, headers=user).json()
    assert (created["created_by"], created["persona"]) == ("clara", "clara")
    for claimed in ({}, {"acts_for": "false"}, {"acts_for": "[true]"}):
        assert cloud({**AGENT, **claimed}).post(MEMORIES, json=said, headers=user).status_code == 403


def test_tenants_do_not_meet(cloud: Cloud) -> None:
    id = cloud().post(MEMORIES, json={"content": "ours alone"}).json()["id"]
    assert cloud({**ADMIN, "tenant": "other"}).get(f"{MEMORIES}/{id}").status_code == 404


def test_health_and_documents_need_no_token(cloud: Cloud) -> None:
    for path in ("/healthz", "/readyz", "/version", "/openapi.json", "/docs"):
        assert cloud(None).get(path).status_code == 200, path


# ---- how it is sent


def test_a_stage_in_the_path_is_no_part_of_it(function: HttpApi) -> None:
    assert answer_of(function, "GET", "/version", stage="prod")["statusCode"] == 200


def test_a_body_in_base64_is_a_body(function: HttpApi) -> None:
    event = event_of(httpx2.Request("POST", f"https://api.example{MEMORIES}", json={"content": "Grüße"}))
    event |= {"body": base64.b64encode(event["body"].encode()).decode(), "isBase64Encoded": True}
    assert json.loads(function(event, Context())["body"])["content"] == "Grüße"


@pytest.mark.parametrize("body", ["%%%", "/v8="])
def test_a_body_that_is_no_text_is_refused(function: HttpApi, body: str) -> None:
    event = event_of(httpx2.Request("POST", f"https://api.example{MEMORIES}", json={}))
    event |= {"body": body, "isBase64Encoded": True}
    answer = function(event, Context())
    assert (answer["statusCode"], json.loads(answer["body"])["type"]) == (
        400,
        "urn:memory-layer:problem:malformed",
    )


# ---- what Lambda cannot carry


def test_a_caller_without_a_tenant_is_refused_before_the_body_is_read(function: HttpApi) -> None:
    """Falls where the body is judged first: who may not call would learn what a good body is."""
    claims = {name: value for name, value in AGENT.items() if name != "tenant"}
    for body in (b"\xff", b"{", b"x" * 5_000_000):
        request = httpx2.Request("POST", f"https://a.test{MEMORIES}", content=body)
        assert function(event_of(request, claims=claims), Context())["statusCode"] == 401


def test_an_answer_too_large_for_lambda_is_fetched_elsewhere(shelf: Shelf, cloud: Cloud) -> None:
    # Within a page's limit, but Lambda escapes each quotation mark of the body once more.
    lines = [{"content": f"{number} " + '"' * 32_000, "on_duplicate": "create"} for number in range(50)]
    stored = cloud().post(f"{MEMORIES}:batch", json=lines).json()["results"]
    assert {line["status"] for line in stored} == {201}
    listed = cloud().get(MEMORIES, params={"limit": 200})
    assert listed.status_code == 303
    told, (request_id,) = listed.json(), shelf.kept
    assert listed.headers["location"] == told["location"] == f"https://blobs.example/{request_id}?signature=1"
    assert told["bytes"] == len(shelf.kept[request_id])
    assert told["expires_in_s"] == 900
    assert len(json.loads(shelf.kept[request_id])["memories"]) == 50


@pytest.mark.parametrize(("text", "is_carried"), [("x", True), ("é", False), ('"', False), ("\u0001", False)])
def test_what_counts_is_the_answer_as_lambda_sends_it(text: str, is_carried: bool) -> None:
    kept: list[bytes] = []

    def offload(_: str, body: bytes) -> str:
        kept.append(body)
        return "https://blobs.example/1"

    body = text * (MAX_ANSWER_BYTES - 200)
    answer = {"statusCode": 200, "headers": {}, "body": body, "isBase64Encoded": False}
    carried = offloaded_if_large(answer, "r1", offload)
    assert (carried is answer) is is_carried
    assert kept == ([] if is_carried else [body.encode()])
    assert len(json.dumps(carried, ensure_ascii=False).encode()) <= MAX_ANSWER_BYTES


def test_a_large_answer_that_cannot_be_kept_is_a_problem(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_layer.edge.http.large_answers.MAX_ANSWER_BYTES", 10)
    bucket = Broken(StoreUnavailable("the bucket cannot be written"))
    backend = SimpleNamespace(ports=shelf.ports, offload=bucket.put)
    with client_of(HttpApi("memories", lambda: backend)) as client:
        answer = client.get(MEMORIES)
    assert (answer.status_code, answer.json()["detail"]) == (503, "the bucket cannot be written")


# ---- what nobody foresaw


def test_an_unforeseen_error_is_a_problem_with_the_requests_id(shelf: Shelf) -> None:
    broken = Shelf(with_store(shelf.ports, Broken(RuntimeError(MARKER))))
    with client_of(HttpApi("memories", lambda: broken)) as client:
        answer = client.get(MEMORIES)
    found = answer.json()
    assert (answer.status_code, found["type"]) == (500, "urn:memory-layer:problem:internal")
    assert found["request_id"] == answer.headers["x-request-id"]
    assert MARKER not in answer.text


def test_a_backend_that_cannot_be_wired_is_tried_again(shelf: Shelf) -> None:
    attempts: list[int] = []

    def wire() -> Shelf:
        attempts.append(1)
        if len(attempts) == 1:
            raise LookupError(MARKER)
        return shelf

    with client_of(HttpApi("memories", wire), ADMIN) as client:
        assert [client.get(MEMORIES).status_code for _ in range(2)] == [500, 200]


# ---- what is logged and measured


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def metrics_of(text: str) -> list[dict[str, Any]]:
    return [line for line in lines_of(text) if "_aws" in line]


def test_no_line_holds_what_was_said_or_asked(shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> None:
    """Safeguards: TextFreeFormatter, routes named by template, facts that no caller wrote."""
    text = {"content": f"the {MARKER} rule", "tags": [MARKER], "detail": {"k": MARKER}}
    headers = {"authorization": f"Bearer {MARKER}", "idempotency-key": MARKER, "cookie": f"s={MARKER}"}
    broken = Shelf(with_store(shelf.ports, Broken(RuntimeError(MARKER))))
    with client_of(HttpApi("memories", lambda: shelf), ADMIN) as client:
        statuses = [
            client.post(MEMORIES, json=text, headers=headers).status_code,
            client.post(MEMORIES, json=text).status_code,
            client.post(MEMORIES, json={**text, "colour": MARKER}).status_code,
            client.post(RECALL, json={"query": MARKER}).status_code,
            client.post("/v1/projects/web/prompt", json={"task": MARKER}).status_code,
            client.get(f"{MEMORIES}/{MARKER}").status_code,
            client.get(MEMORIES, params={"tags": MARKER}).status_code,
            client.get(MEMORIES, params={MARKER: MARKER}).status_code,
            client.post(f"/v1/projects/web/sessions/{MARKER}/turns", json=[text]).status_code,
            client.post(f"{MEMORIES}:batch", content=f"{MARKER}").status_code,
        ]
    with client_of(HttpApi("memories", lambda: broken), ADMIN) as client:
        statuses.append(client.post(MEMORIES, json=text).status_code)
    shown = capsys.readouterr()
    assert statuses == [201, 409, 422, 200, 200, 404, 200, 422, 200, 415, 500]
    assert len([line for line in lines_of(shown.out) if line.get("message") == "answered"]) == len(statuses)
    assert MARKER not in shown.out + shown.err


def test_a_line_says_who_was_served_how_and_how_long(
    shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    ticks = iter(range(100))
    with client_of(HttpApi("memories", lambda: shelf, timer=lambda: float(next(ticks))), ADMIN) as client:
        client.get(MEMORIES)
        client.get(MEMORIES)
    first, second = lines_of(capsys.readouterr().out)
    assert first["request_id"] == "req000000000001="
    assert first["lambda_request_id"] == Context().aws_request_id
    assert (first["service"], first["level"], first["status"]) == ("memories", "INFO", 200)
    assert first["route"] == "GET /v1/projects/{project}/memories"
    assert first["operation"] == "list_memories"
    assert set(first["stages"]) <= {"embed", "search", "read", "write"}
    assert "read" in first["stages"]
    assert first["duration_ms"] == 2_000  # handler's start, then the use case's, then the end
    assert (first["cold_start"], second["cold_start"]) == (True, False)


def test_a_refusal_is_told_by_its_code(shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> None:
    with client_of(HttpApi("memories", lambda: shelf), ADMIN) as client:
        for _ in range(2):
            client.post(MEMORIES, json={"content": "The queue keeps messages for four days."})
    first, second = [line for line in lines_of(capsys.readouterr().out) if line.get("message") == "answered"]
    assert "refused" not in first
    assert (second["operation"], second["refused"]) == ("create_memory", "duplicate")


def test_an_error_is_logged_by_kind_and_place(shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> None:
    broken = Shelf(with_store(shelf.ports, Broken(RuntimeError(MARKER))))
    with client_of(HttpApi("memories", lambda: broken), ADMIN) as client:
        client.get(MEMORIES)
    (line,) = [line for line in lines_of(capsys.readouterr().out) if line.get("level") == "ERROR"]
    assert line["exception_name"] == "RuntimeError"
    assert "test_http_api.py" in line["exception"]
    assert line["request_id"] == "req000000000001="


def test_a_librarys_warning_tells_no_more(shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> None:
    """Safeguard: the root logger's handler is ours; Lambda's own prints what an error says."""

    class Index:
        def __getattr__(self, name: str) -> Any:
            logging.getLogger("opensearch").warning("POST failed", exc_info=RuntimeError(MARKER))
            logging.getLogger("opensearch").info("POST %s", MARKER)
            raise IndexUnavailable("no index")

    root = logging.getLogger()
    root.handlers[:] = [logging.StreamHandler(sys.stdout)]
    with client_of(HttpApi("recall", lambda: Shelf(replace(shelf.ports, index=Index()))), ADMIN) as client:
        assert client.post(RECALL, json={"query": "anything"}).json()["degraded"]
    shown = capsys.readouterr().out
    assert MARKER not in shown
    assert [line["message"] for line in lines_of(shown) if line.get("level") == "WARNING"] == ["POST failed"]


def test_recalls_are_measured(shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> None:
    ticks = iter(range(100))
    with client_of(HttpApi("recall", lambda: shelf, timer=lambda: float(next(ticks))), ADMIN) as client:
        client.post(MEMORIES, json={"content": "The queue keeps messages for four days."})
        client.post(RECALL, json={"query": "how long does the queue keep messages?"})
        client.post(RECALL, json={"query": "colour of the sky"})
    found, absent = metrics_of(capsys.readouterr().out)
    for measured, abstained in ((found, 0.0), (absent, 1.0)):
        assert measured["service"] == "recall"
        assert measured[metrics.RECALL_LATENCY] == [1_000.0]
        assert measured[metrics.RECALL_DEGRADED] == [0.0]
        assert measured[metrics.RECALL_ABSTAINED] == [abstained]
        (declared,) = measured["_aws"]["CloudWatchMetrics"]
        assert (declared["Namespace"], declared["Dimensions"]) == (
            "MemoryLayer",
            [["deployment", "service"]],
        )


def test_a_degraded_recall_and_a_failure_are_counted(
    shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    class Down:
        def __getattr__(self, name: str) -> Any:
            return Broken(IndexUnavailable("no index")).search

    index: SearchIndex = Down()
    degraded, broken = (
        replace(shelf.ports, index=index),
        with_store(shelf.ports, Broken(RuntimeError("x"))),
    )
    with client_of(HttpApi("recall", lambda: Shelf(degraded)), ADMIN) as client:
        assert client.post(RECALL, json={"query": "anything"}).json()["degraded"]
    with client_of(HttpApi("recall", lambda: Shelf(broken)), ADMIN) as client:
        client.post(RECALL, json={"query": "anything"})
    recall, failure = metrics_of(capsys.readouterr().out)
    assert recall[metrics.RECALL_DEGRADED] == [1.0]
    assert failure[metrics.SERVER_ERRORS] == [1.0]


@pytest.fixture(autouse=True)
def _nothing_on_stderr(capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("indexes_later", [True, False])
def test_a_receipt_says_indexed_of_what_the_index_has(shelf: Shelf, indexes_later: bool) -> None:
    """Falls if it tells of the vectors alone: in the cloud the index has nothing yet when it is given."""
    ports = replace(shelf.ports, indexes_later=indexes_later)
    with client_of(HttpApi("memories", lambda: Shelf(ports))) as client:
        receipt = client.post(MEMORIES, json={"content": "The cache holds a thousand plans."}).json()[
            "receipt"
        ]
    assert (receipt["durable"], receipt["indexed"]) == (True, not indexes_later)
