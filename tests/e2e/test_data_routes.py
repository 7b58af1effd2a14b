"""Export, import, merge and prune over HTTP: small ones at once, larger ones as operations with parts."""

from __future__ import annotations

import csv
import io
import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.domain.text.csv_cells import text_of_cell
from memory_layer.edge.http.request_bounds import MAX_BODY_BYTES
from memory_layer.edge.routes.imports import IMPORTED_AT_ONCE
from memory_layer.local.tokens import mint, secret_of
from memory_layer.settings import read_settings
from tests.contract.transfer.test_export_import import line, sealed
from tests.e2e.conftest import Serve, running
from tests.given import NoEmbedder, StandingClock

WEB, SHOP = "/v1/projects/web", "/v1/projects/shop"
NDJSON = {"content-type": "application/x-ndjson"}
LARGE = 1_001
"""One more than what is answered at once."""


def add(http: httpx2.Client, content: str, project: str = WEB, **fields: Any) -> dict[str, Any]:
    answer = http.post(f"{project}/memories", json={"content": content, "on_duplicate": "create", **fields})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def fill(http: httpx2.Client, count: int = LARGE, text: str = "", project: str = WEB) -> None:
    """Through batches of 50."""
    lines = [{"id": f"m{number:05}", "content": f"Fact {number}. {text}"} for number in range(count)]
    for start in range(0, count, 50):
        answer = http.post(f"{project}/memories:batch", json=lines[start : start + 50])
        assert {line["status"] for line in answer.json()["results"]} == {201}


def ended(http: httpx2.Client, accepted: httpx2.Response) -> dict[str, Any]:
    assert accepted.status_code == 202, accepted.text
    while (operation := http.get(accepted.headers["location"]).json())["status"] == "running":
        time.sleep(0.01)
    return dict(operation)


@pytest.fixture
def wordless(serve: Serve) -> httpx2.Client:
    """A server without a model: a thousand memories in no time."""
    return serve(embedder=NoEmbedder())


def test_there_and_back(http: httpx2.Client) -> None:
    add(http, "Said first.", tags=["a"])
    add(http, "=cmd|' /C calc'!A0", detail={"n": [1]})
    exported = http.get(f"{WEB}/export")
    assert exported.headers["content-type"] == "application/x-ndjson"
    assert exported.headers["content-disposition"] == 'attachment; filename="web.ndjson"'
    foreseen = http.post(f"{SHOP}/import?dry_run=true", content=exported.content, headers=NDJSON)
    assert (foreseen.status_code, foreseen.json()["imported"]) == (200, 2)
    assert http.get(f"{SHOP}/memories").json()["memories"] == []
    told = http.post(f"{SHOP}/import", content=exported.content, headers=NDJSON)
    assert told.json() == {**foreseen.json(), "dry_run": False}
    again = http.post(f"{SHOP}/import", content=exported.content, headers=NDJSON).json()
    assert (again["imported"], again["skipped"]) == (0, 2)
    moved = http.get(f"{SHOP}/export").text.replace('"project":"shop"', '"project":"web"')
    assert moved.splitlines()[:2] == exported.text.splitlines()[:2]


def test_a_spreadsheet_carries_nothing_out(http: httpx2.Client) -> None:
    """Falls without the guard in domain/text/csv_cells.py."""
    contents = ["=1+1", "  +1", "-1", "\t@x", "'quoted", 'a "b", c\r\nd', "plain"]
    for content in contents:
        add(http, content, detail={"n": 1}, expires_at=None)
    answer = http.get(f"{WEB}/export?format=csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="web.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.content.decode(), newline="")))
    shown = [row["content"] for row in rows]
    assert not [cell for cell in shown if cell.strip()[:1] in "=+-@"]
    assert [text_of_cell(cell) for cell in shown] == contents
    assert {(row["detail"], row["expires_at"], row["active"]) for row in rows} == {('{"n":1}', "", "true")}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"content": "no record"}\n', "lines with a member content for memories:batch"),
        (b'{"manifest": {}}\n', "line 1: /manifest must have format"),
        (b'[{"id": "m1"}]', "JSON of none of the systems that are known (it is a list)"),
        (b"", "no manifest"),
    ],
)
def test_a_file_that_is_wrong_is_refused(http: httpx2.Client, body: bytes, told: str) -> None:
    answer = http.post(f"{WEB}/import", content=body, headers=NDJSON)
    assert answer.status_code == 422, answer.text
    assert told in answer.json()["detail"]
    assert answer.json()["errors"][0]["pointer"].startswith(("/lines/", "/format"))


def test_a_larger_export_comes_in_parts_that_go_in_one_by_one(
    wordless: httpx2.Client, tmp_path: Path, clock: StandingClock
) -> None:
    fill(wordless, LARGE, "x" * 5_000)
    operation = ended(wordless, wordless.get(f"{WEB}/export"))
    assert (operation["status"], operation["kind"], operation["done"]) == ("succeeded", "export", LARGE)
    parts = operation["result"]["parts"]
    assert [part["n"] for part in parts] == list(range(1, len(parts) + 1))
    assert len(parts) > 1
    assert sum(part["records"] for part in parts) == operation["result"]["records"] == LARGE
    for part in parts:
        body = wordless.get(part["href"])
        assert (len(body.content), body.headers["content-type"]) == (part["bytes"], "application/x-ndjson")
        assert len(body.content) <= MAX_BODY_BYTES
        told = ended(wordless, wordless.post(f"{SHOP}/import", content=body.content, headers=NDJSON))
        assert told["result"]["imported"] == part["records"] > IMPORTED_AT_ONCE
    assert wordless.get(f"{WEB}/stats").json()["total"] == wordless.get(f"{SHOP}/stats").json()["total"]
    assert wordless.get(f"{operation_path(operation)}/parts/{len(parts) + 1}").status_code == 404
    clock.advance(days=7)
    assert wordless.get(parts[0]["href"]).status_code == 404
    clock.advance(days=1)
    ended(wordless, wordless.get(f"{WEB}/export?format=csv"))
    (kept,) = {file.parent.name for file in (tmp_path / "data").rglob("operations/exports/*/*/*/*")}
    assert operation["id"] not in kept


def operation_path(operation: dict[str, Any]) -> str:
    return f"/v1/operations/{operation['id']}"


def test_parts_of_a_spreadsheet_have_a_header_each(wordless: httpx2.Client) -> None:
    fill(wordless, LARGE, "x" * 5_000)
    parts = ended(wordless, wordless.get(f"{WEB}/export?format=csv"))["result"]["parts"]
    bodies = [wordless.get(part["href"]) for part in parts]
    assert {body.headers["content-type"] for body in bodies} == {"text/csv; charset=utf-8"}
    rows = [row for body in bodies for row in csv.DictReader(io.StringIO(body.text, newline=""))]
    assert [row["id"] for row in rows] == [f"m{number:05}" for number in range(LARGE)]


def test_a_larger_import_is_checked_at_once_and_written_behind(wordless: httpx2.Client) -> None:
    fill(wordless, LARGE)
    (part,) = ended(wordless, wordless.get(f"{WEB}/export"))["result"]["parts"]
    body = wordless.get(part["href"]).content
    broken = body.replace(b'"confidence":1.0', b'"confidence":7.0', 1)
    refused = wordless.post(f"{SHOP}/import", content=broken, headers=NDJSON)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "/lines/1/confidence")
    foreseen = wordless.post(f"{SHOP}/import?dry_run=true", content=body, headers=NDJSON)
    assert (foreseen.status_code, foreseen.json()["imported"]) == (200, LARGE)
    accepted = wordless.post(f"{SHOP}/import", content=body, headers={**NDJSON, "idempotency-key": "k"})
    operation = ended(wordless, accepted)
    assert (operation["kind"], operation["done"], operation["total"]) == ("import", LARGE, LARGE)
    assert operation["result"]["imported"] == LARGE
    again = wordless.post(f"{SHOP}/import", content=body, headers={**NDJSON, "idempotency-key": "k"})
    assert again.headers["location"] == accepted.headers["location"]
    other = wordless.post(f"{SHOP}/import", content=b"", headers={**NDJSON, "idempotency-key": "k"})
    assert other.status_code == 422


def test_merging_small_and_larger_projects(wordless: httpx2.Client) -> None:
    add(wordless, "Said by both.", project=WEB)
    add(wordless, "Said by both.", project=SHOP)
    told = wordless.post(f"{WEB}/merge-project", json={"from": "shop", "dry_run": True})
    assert (told.status_code, told.json()["dry_run"], told.json()["merged"]) == (200, True, 1)
    fill(wordless, LARGE, project=SHOP)
    accepted = wordless.post(f"{WEB}/merge-project", json={"from": "shop"})
    operation = ended(wordless, accepted)
    assert operation["kind"] == "merge-project"
    result = operation["result"]
    assert (result["from"], result["records"], result["copied"], result["merged"]) == (
        "shop",
        LARGE + 1,
        LARGE,
        1,
    )
    assert wordless.post(f"{WEB}/merge-project", json={"from": "web"}).status_code == 422
    assert wordless.post(f"{WEB}/merge-project", json={"from": "no slug"}).status_code == 422
    assert wordless.post(f"{WEB}/merge-project", json={}).status_code == 422


def test_pruning_small_and_larger_projects(wordless: httpx2.Client) -> None:
    doubted = add(wordless, "Doubted.", confidence=0.2)
    told = wordless.post(f"{WEB}/prune", json={"min_confidence": 0.3})
    assert told.json() == {"dry_run": False, "matched": 1, "archived": 1, "ids": [doubted["id"]]}
    fill(wordless, LARGE)
    operation = ended(wordless, wordless.post(f"{WEB}/prune", json={"unused": True}))
    assert operation["kind"] == "prune"
    assert (operation["result"]["archived"], len(operation["result"]["ids"])) == (LARGE, 1_000)
    assert wordless.get(f"{WEB}/memories").json()["memories"] == []


@pytest.mark.parametrize(
    "body", [{}, {"unused": False}, {"min_confidence": 2}, {"older_than_days": -1}, {"x": 1}]
)
def test_a_rule_has_to_say_something(wordless: httpx2.Client, body: dict[str, Any]) -> None:
    add(wordless, "Kept.")
    assert wordless.post(f"{WEB}/prune", json=body).status_code == 422
    assert len(wordless.get(f"{WEB}/memories").json()["memories"]) == 1


def test_one_key_is_one_effect(wordless: httpx2.Client) -> None:
    add(wordless, "Doubted.", confidence=0.2)
    key, rule = {"idempotency-key": "k"}, {"min_confidence": 0.3}
    first = wordless.post(f"{WEB}/prune", json=rule, headers=key)
    again = wordless.post(f"{WEB}/prune", json=rule, headers=key)
    assert (again.json(), again.headers["idempotent-replayed"]) == (first.json(), "true")
    assert wordless.post(f"{WEB}/prune", json={"unused": True}, headers=key).status_code == 422
    body = wordless.get(f"{WEB}/export").content
    path, headers = f"{SHOP}/import", {**NDJSON, "idempotency-key": "k2"}
    assert wordless.post(f"{path}?dry_run=true", content=body, headers=headers).json()["imported"] == 1
    assert (
        wordless.post(path, content=body, headers=headers).status_code == 422
    )  # a dry run is another request
    fill(wordless, LARGE)
    assert wordless.post(f"{WEB}/prune", json=rule, headers=key).json() == first.json()


def bearer(folder: Path, tenant: str, role: str) -> dict[str, str]:
    token = mint(
        secret_of(folder / "data"),
        tenant=tenant,
        principal=role,
        persona=None,
        roles=[role],
        now=datetime.now(UTC),
        lifetime=timedelta(hours=1),
    )
    return {"authorization": f"Bearer {token}"}


def test_who_may_do_what(serve: Serve, tmp_path: Path) -> None:
    http = serve(with_auth=True, embedder=NoEmbedder())
    body = json.dumps({"manifest": {}}).encode()

    def status(role: str, method: str, path: str, **sent: Any) -> int:
        headers = {**bearer(tmp_path, "acme", role), **sent.pop("headers", {})}
        return http.request(method, path, headers=headers, **sent).status_code

    for role, expected in (
        ("agent", (200, 403, 403, 403)),
        ("reviewer", (200, 403, 403, 200)),
        ("admin", (200, 422, 200, 200)),
    ):
        assert expected == (
            status(role, "GET", f"{WEB}/export"),
            status(role, "POST", f"{WEB}/import", content=body, headers=NDJSON),
            status(role, "POST", f"{WEB}/merge-project", json={"from": "shop"}),
            status(role, "POST", f"{WEB}/prune", json={"unused": True}),
        )


def test_an_operations_parts_are_its_callers(serve: Serve, tmp_path: Path) -> None:
    http = serve(with_auth=True, embedder=NoEmbedder())

    http.headers.update(bearer(tmp_path, "acme", "agent"))
    fill(http, LARGE)
    operation = ended(http, http.get(f"{WEB}/export"))
    href = operation["result"]["parts"][0]["href"]
    assert http.get(href).status_code == 200
    for tenant, role, expected in (
        ("acme", "reviewer", 404),
        ("acme", "admin", 200),
        ("other", "admin", 404),
    ):
        assert http.get(href, headers=bearer(tmp_path, tenant, role)).status_code == expected


def test_where_no_transaction_holds_a_small_import_it_is_an_operation(
    tmp_path: Path, clock: StandingClock
) -> None:
    """As in the cloud, where the bus brings it again until it is done; a dry run writes nothing, and is answered."""
    settings = read_settings({}, data_dir=tmp_path, model_dir=tmp_path)
    backend = open_embedded(settings, embedder=NoEmbedder(), clock=clock)
    bounded = replace(backend, ports=replace(backend.ports, transactions=None))
    body = "".join(sealed([line()])).encode()
    with running(bounded, tmp_path, with_auth=False) as url, httpx2.Client(base_url=url) as client:
        foreseen = client.post(f"{WEB}/import?dry_run=true", content=body, headers=NDJSON)
        accepted = client.post(f"{WEB}/import", content=body, headers=NDJSON)
        assert (foreseen.status_code, accepted.status_code) == (200, 202)
        assert ended(client, accepted)["result"]["imported"] == 1
    backend.close()
