"""Bad input gets a clear problem and loses nothing."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.given import StandingClock

MEMORIES = "/v1/projects/web/memories"
RECALL = "/v1/projects/web/recall"
KNOWN = {"content": "SQLite takes one writer at a time; readers go on beside it in WAL mode."}
AWS_KEY = "AKIA" + "Q3EGVXW7LDN5RTYB"


def problem(answer: httpx2.Response, status: int) -> dict[str, Any]:
    """The problem document, after checking what every problem must have."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert found["status"] == status
    assert found["request_id"] == answer.headers["x-request-id"]
    assert {"type", "title", "detail", "instance", "errors"} <= set(found)
    return found


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/content"),
        ({"content": 7}, "/content"),
        ({"content": ""}, "/content"),
        ({"content": "   "}, "/content"),
        ({"content": "x" * 32_769}, "/content"),
        ({"content": "é" * 20_000}, "/content"),
        ({"content": "a\x00b"}, "/content"),
        ({**KNOWN, "colour": "red"}, "/colour"),
        ({**KNOWN, "tags": "sqlite"}, "/tags"),
        ({**KNOWN, "tags": ["["]}, "/tags/0"),
        ({**KNOWN, "tags": ["{a,b,c}" * 10]}, "/tags/0"),
        ({**KNOWN, "tags": ["t"] * 65}, "/tags"),
        ({**KNOWN, "confidence": 1.5}, "/confidence"),
        ({**KNOWN, "confidence": "high"}, "/confidence"),
        ({**KNOWN, "expires_at": "tomorrow"}, "/expires_at"),
        ({**KNOWN, "expires_at": "2026-01-01T00:00:00"}, "/expires_at"),
        ({**KNOWN, "type": "rumour"}, "/type"),
        ({**KNOWN, "detail": {"k": "v" * 20_000}}, "/detail"),
        ({**KNOWN, "relations": [{"type": "a", "target": "b", "x": 1}]}, "/relations/0/x"),
        ({**KNOWN, "version": 3}, "/version"),
        ({**KNOWN, "tenant": "other"}, "/tenant"),
        ([KNOWN], ""),
    ],
)
def test_a_broken_memory_is_refused_with_a_pointer(http: httpx2.Client, body: Any, pointer: str) -> None:
    found = problem(http.post(MEMORIES, json=body), 422)
    assert pointer in [error["pointer"] for error in found["errors"]]
    assert http.get(MEMORIES).json()["memories"] == []


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b'{"content": "a\\ud800b"}', 422),
        (b'{"content": "x", ', 400),
        (b"\xff\xfe", 400),
        (b'{"content": "\xc3\x28"}', 400),
        (b"[" * 100_000, 400),
        (b'{"content": "x", "confidence": NaN}', 422),
        (b'{"content": "x", "position": ' + b"9" * 5_000 + b"}", 400),
        (b"", 422),
        (b"null", 422),
        (b'"text"', 422),
    ],
)
def test_an_unreadable_body_is_refused(http: httpx2.Client, raw: bytes, status: int) -> None:
    problem(http.post(MEMORIES, content=raw, headers={"content-type": "application/json"}), status)


@pytest.mark.parametrize("immutable", ["id", "created_at", "source_runs", "version"])
def test_what_is_immutable_cannot_be_patched(http: httpx2.Client, immutable: str) -> None:
    id = http.post(MEMORIES, json=KNOWN).json()["id"]
    problem(http.patch(f"{MEMORIES}/{id}", json={immutable: "1"}), 422)


@pytest.mark.parametrize("limit", ["0", "-1", "1000000000", "ten"])
def test_a_limit_out_of_range_is_refused(http: httpx2.Client, limit: str) -> None:
    problem(http.get(MEMORIES, params={"limit": limit}), 422)
    problem(http.post(RECALL, json={"query": "x", "limit": 10**9}), 422)
    problem(http.post(RECALL, json={"query": "x", "limit": 0}), 422)


def test_a_misspelt_filter_is_refused(http: httpx2.Client) -> None:
    found = problem(http.get(MEMORIES, params={"categroy": "gotcha"}), 422)
    assert "category" in found["errors"][0]["detail"]


def test_a_cursor_fits_its_own_query_only(http: httpx2.Client) -> None:
    for number in range(3):
        http.post(MEMORIES, json={"content": f"fact {number} of three", "on_duplicate": "create"})
    cursor = http.get(MEMORIES, params={"limit": 2}).json()["next_cursor"]
    assert len(http.get(MEMORIES, params={"limit": 2, "cursor": cursor}).json()["memories"]) == 1
    problem(http.get(MEMORIES, params={"category": "gotcha", "cursor": cursor}), 400)
    problem(http.get(MEMORIES, params={"cursor": "nonsense"}), 400)


def test_an_unknown_id_is_not_found(http: httpx2.Client) -> None:
    for method, path in [
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("PATCH", "/approve"),
        ("POST", "/outcome"),
        ("GET", "/history"),
    ]:
        body = {"result": "worked"} if path == "/outcome" else {} if method == "PATCH" and not path else None
        found = problem(http.request(method, f"{MEMORIES}/mem_none{path}", json=body), 404)
        assert "mem_none" in found["detail"]


def test_a_stale_if_match_changes_nothing(http: httpx2.Client) -> None:
    created = http.post(MEMORIES, json=KNOWN)
    location, tag = created.headers["location"], created.headers["etag"]
    changed = http.patch(location, json={"content": "changed once"}, headers={"if-match": tag})
    assert changed.status_code == 200
    problem(http.patch(location, json={"content": "changed twice"}, headers={"if-match": tag}), 412)
    problem(http.patch(location, json={"content": "x"}, headers={"if-match": "seven"}), 400)
    assert http.get(location).json()["content"] == "changed once"


def test_an_idempotency_key_answers_once(http: httpx2.Client) -> None:
    headers = {"idempotency-key": "k1"}
    first = http.post(MEMORIES, json=KNOWN, headers=headers)
    again = http.post(MEMORIES, json=KNOWN, headers=headers)
    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["idempotent-replayed"] == "true"
    found = problem(http.post(MEMORIES, json={"content": "else"}, headers=headers), 422)
    assert found["type"].endswith("idempotency_key_reused")
    problem(http.post(MEMORIES, json=KNOWN, headers={"idempotency-key": "k" * 256}), 422)
    assert len(http.get(MEMORIES).json()["memories"]) == 1


def test_a_broken_line_fails_alone(http: httpx2.Client) -> None:
    lines = [
        json.dumps({"content": "first good line"}),
        '{"content": ',
        json.dumps({"content": "another one"}),
        '{"content": ' + "[" * 100_000,
    ]
    answer = http.post(
        f"{MEMORIES}:batch", content="\n".join(lines), headers={"content-type": "application/x-ndjson"}
    )
    assert [line["status"] for line in answer.json()["results"]] == [201, 400, 201, 400]
    assert answer.json()["results"][1]["line"] == 2
    assert len(http.get(MEMORIES).json()["memories"]) == 2


def test_the_fourth_failed_of_an_hour_has_to_wait(http: httpx2.Client, clock: StandingClock) -> None:
    location = http.post(MEMORIES, json=KNOWN).headers["location"]
    failed = {"result": "failed", "session_id": "s1"}
    for _ in range(3):
        assert http.post(f"{location}/outcome", json=failed).status_code == 200
    before = http.get(location).json()
    refused = http.post(f"{location}/outcome", json=failed)
    problem(refused, 429)
    assert 0 < int(refused.headers["retry-after"]) <= 3600
    assert http.get(location).json() == before
    assert http.post(f"{location}/outcome", json={"result": "worked"}).status_code == 200
    clock.advance(seconds=3601)
    assert http.post(f"{location}/outcome", json=failed).status_code == 200


def test_a_duplicate_names_its_twin(http: httpx2.Client) -> None:
    first = http.post(MEMORIES, json=KNOWN).json()
    twin = problem(http.post(MEMORIES, json=KNOWN), 409)["duplicate_of"]
    assert (twin["id"], twin["similarity"], twin["content"]) == (first["id"], 1.0, KNOWN["content"])
    assert twin["standing"] == "trusted"
    near = {"content": f"**Note:** {KNOWN['content']}"}
    assert problem(http.post(MEMORIES, json=near), 409)["duplicate_of"]["similarity"] > 0.92
    assert http.post(MEMORIES, json={**KNOWN, "on_duplicate": "create"}).status_code == 201


def test_a_correction_is_told_with_the_point_and_what_to_do(http: httpx2.Client) -> None:
    first = http.post(MEMORIES, json={"content": "The nightly backup of orders starts at 02:00."}).json()
    correction = {"content": "The nightly backup of orders starts at 03:30."}
    for asked in (correction, {**correction, "on_duplicate": "merge"}):
        told = problem(http.post(MEMORIES, json=asked), 409)
        assert told["type"] == "urn:memory-layer:problem:contradicts"
        assert told["contradicts"]["id"] == first["id"]
        assert told["contradicts"]["content"] == "The nightly backup of orders starts at 02:00."
        assert told["contradicts"]["differs_in"] == "this says 03:30 where the known one says 02:00"
        assert "on_duplicate: supersede" in told["detail"]
    stored = http.post(MEMORIES, json={**correction, "on_duplicate": "supersede"})
    assert (stored.status_code, stored.json()["supersedes"]) == (201, first["id"])


def test_what_is_near_and_differs_is_stored_and_the_receipt_names_it(http: httpx2.Client) -> None:
    first = http.post(MEMORIES, json={"content": "Run the unit tests with the response cache."}).json()
    beside = {"content": "Run the unit tests without the response cache."}
    stored = http.post(MEMORIES, json=beside, headers={"Idempotency-Key": "once"})
    assert stored.status_code == 201
    (near,) = stored.json()["receipt"]["similar"]
    assert near["standing"] == "trusted"
    assert (near["id"], near["content"]) == (first["id"], "Run the unit tests with the response cache.")
    replayed = http.post(MEMORIES, json=beside, headers={"Idempotency-Key": "once"})
    assert "with the response cache" not in str(replayed.json()["receipt"])


def test_our_own_words_are_no_news_from_a_run(http: httpx2.Client) -> None:
    http.post(MEMORIES, json=KNOWN)
    other = {"content": "Lambda keeps a warm sandbox for a few minutes after each call."}
    http.post(MEMORIES, json=other)
    http.post(RECALL, json={"query": "SQLite writer and Lambda sandbox"})
    echo = {"content": f"{KNOWN['content']} {other['content']}", "source": "run"}
    found = problem(http.post(MEMORIES, json=echo), 409)
    assert found["type"].endswith("recalled_text")


def test_a_web_page_cannot_write(http: httpx2.Client) -> None:
    for headers in (
        {"origin": "https://evil.example"},
        {"host": "evil.example"},
        {"sec-fetch-site": "cross-site"},
    ):
        problem(http.post(MEMORIES, json=KNOWN, headers=headers), 403)
    plain = http.post(MEMORIES, content=json.dumps(KNOWN), headers={"content-type": "text/plain"})
    problem(plain, 415)
    assert http.get(MEMORIES).json()["memories"] == []


def test_a_secret_reaches_no_file(http: httpx2.Client, tmp_path: Path) -> None:
    stored = http.post(
        MEMORIES,
        json={
            "content": f"deploys use {AWS_KEY} from the vault",
            "detail": {"note": f"key {AWS_KEY}"},
            "tags": [AWS_KEY],
        },
    ).json()
    assert stored["receipt"]["redacted"]
    http.post(f"{MEMORIES}/{stored['id']}/outcome", json={"result": "worked", "note": f"used {AWS_KEY}"})
    files = list((tmp_path / "data").iterdir())
    assert files
    assert not [file for file in files if AWS_KEY.encode() in file.read_bytes()]


@pytest.mark.parametrize(
    "query",
    [
        '"unclosed AND (OR NOT',
        "writer* OR title:x",
        "'; DROP TABLE memories; --",
        "数据库 写入",
        "🦆" * 50,
        "a" * 8_000,
    ],
)
def test_any_text_is_a_query(http: httpx2.Client, query: str) -> None:
    http.post(MEMORIES, json=KNOWN)
    http.post(MEMORIES, json={"content": "数据库一次只能有一个写入者"})
    answer = http.post(RECALL, json={"query": query})
    assert answer.status_code == 200
    assert answer.json()["ranking"] == "hybrid"
    if "数据库" in query:
        assert answer.json()["memories"][0]["content"].startswith("数据库")


def test_a_blank_query_is_refused(http: httpx2.Client) -> None:
    for query in ("", "  \n"):
        problem(http.post(RECALL, json={"query": query}), 422)


def test_an_oversized_body_is_refused(http: httpx2.Client) -> None:
    """Falls where the whole body has no bound, and where its lines have none."""
    long = problem(http.post(f"{MEMORIES}:batch", json=[{"content": "x" * 30_000}] * 150), 413)
    assert "4,194,304 bytes" in long["detail"]
    many = problem(http.post(f"{MEMORIES}:batch", json=[{"content": "x"}] * 1_001), 413)
    assert "1,000" in many["detail"]


def test_an_unknown_project_is_empty(http: httpx2.Client) -> None:
    assert http.get("/v1/projects/nothing/memories").json() == {"memories": [], "next_cursor": None}
    answer = http.post("/v1/projects/nothing/recall", json={"query": "anything"}).json()
    assert (answer["memories"], answer["abstained"]) == ([], True)
    problem(http.get("/v1/projects/no%20slug/memories"), 422)


def test_a_batch_can_be_done_behind(http: httpx2.Client) -> None:
    lines = [{"content": "accepted line one"}, {"content": ""}, {"content": "a second accepted fact"}]
    accepted = http.post(f"{MEMORIES}:batch", json=lines, headers={"prefer": "respond-async"})
    assert (accepted.status_code, accepted.json()["total"]) == (202, 3)
    while (operation := http.get(accepted.headers["location"]).json())["status"] == "running":
        time.sleep(0.01)
    assert operation["done"] == 3
    assert [line["status"] for line in operation["result"]["results"]] == [201, 422, 201]
    assert len(http.get(MEMORIES).json()["memories"]) == 2
    problem(http.get("/v1/operations/op_none"), 404)


def test_turns_can_be_done_behind(http: httpx2.Client) -> None:
    url = "/v1/projects/web/sessions/talk/turns"
    lines = {"turns": [{"content": "Shall we meet?"}, {"content": "On Friday."}]}
    accepted = http.post(url, json=lines, headers={"prefer": "respond-async"})
    assert (accepted.status_code, accepted.json()["total"]) == (202, 2)
    assert accepted.headers["preference-applied"] == "respond-async"
    while (operation := http.get(accepted.headers["location"]).json())["status"] == "running":
        time.sleep(0.01)
    assert [line["status"] for line in operation["result"]["results"]] == [201, 201]
