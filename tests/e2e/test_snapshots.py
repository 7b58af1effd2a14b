"""Verify, snapshot and restore over HTTP; and what is said when the file itself is damaged."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.errors import StoreUnavailable
from memory_layer.local.doctor import diagnose
from memory_layer.settings import read_settings
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.transfer.restore_snapshot import LATEST, restore_snapshot
from memory_layer.usecases.transfer.take_snapshot import take_snapshot
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from tests.e2e.conftest import Serve
from tests.e2e.test_data_routes import bearer
from tests.given import NoEmbedder

WEB = "/v1/projects/web"
LARGE = 1_001
"""One more than what is answered at once."""


def add(http: httpx2.Client, id: str, content: str) -> None:
    assert http.post(f"{WEB}/memories", json={"id": id, "content": content}).status_code == 201


def ended(http: httpx2.Client, accepted: httpx2.Response) -> dict[str, Any]:
    assert accepted.status_code == 202, accepted.text
    while (operation := http.get(accepted.headers["location"]).json())["status"] == "running":
        time.sleep(0.01)
    assert operation["status"] == "succeeded", operation
    return dict(operation["result"])


def test_a_small_project_is_answered_at_once(http: httpx2.Client, tmp_path: Path) -> None:
    add(http, "pnpm", "This project uses pnpm.")
    add(http, "wal", "SQLite runs in WAL mode.")
    taken = http.post(f"{WEB}/snapshots").json()
    assert http.get(f"{WEB}/snapshots").json() == {"snapshots": [taken]}
    sound = http.post(f"{WEB}/verify").json()
    assert (sound["is_valid"], sound["checked"], sound["manifest"]) == (True, 2, taken["manifest"])
    with closing(sqlite3.connect(tmp_path / "data" / "memory.sqlite3")) as connection, connection:
        connection.execute("UPDATE memories SET content = 'This project uses yarn.' WHERE id = 'pnpm'")
    found = http.post(f"{WEB}/verify").json()
    assert (found["is_valid"], {one["id"] for one in found["broken"]}) == (False, {"pnpm"})
    planned = http.post(f"{WEB}/snapshots/latest/restore", json={"dry_run": True}).json()
    done = http.post(f"{WEB}/snapshots/{taken['id']}/restore").json()
    assert planned == {**done, "dry_run": True}
    assert (done["restored"], done["unchanged"]) == (1, 1)
    assert done["after"] == {"created": {"count": 0, "ids": []}, "changed": {"count": 1, "ids": ["pnpm"]}}
    assert http.get(f"{WEB}/memories/pnpm").json()["content"] == "This project uses pnpm."
    assert http.post(f"{WEB}/verify").json()["is_valid"]


def test_a_large_one_is_an_operation(serve: Serve) -> None:
    http = serve(embedder=NoEmbedder())
    lines = [{"id": f"m{number:05}", "content": f"Fact {number}."} for number in range(LARGE)]
    for start in range(0, LARGE, 250):
        http.post(f"{WEB}/memories:batch", json=lines[start : start + 250])
    taken = ended(http, http.post(f"{WEB}/snapshots", headers={"idempotency-key": "nightly"}))
    again = ended(http, http.post(f"{WEB}/snapshots", headers={"idempotency-key": "nightly"}))
    assert taken == again == http.get(f"{WEB}/snapshots").json()["snapshots"][0]
    assert ended(http, http.post(f"{WEB}/verify"))["checked"] == LARGE
    http.delete(f"{WEB}/memories/m00007")
    done = ended(http, http.post(f"{WEB}/snapshots/latest/restore"))
    assert (done["records"], done["restored"], done["unchanged"]) == (LARGE, 1, LARGE - 1)


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "verify"), ("GET", "snapshots"), ("POST", "snapshots"), ("POST", "snapshots/latest/restore")],
)
def test_all_of_it_is_an_admins(serve: Serve, tmp_path: Path, method: str, path: str) -> None:
    http = serve(with_auth=True)
    headers = bearer(tmp_path, "acme", "reviewer")
    answer = http.request(method, f"{WEB}/{path}", headers=headers)
    assert answer.status_code == 403, answer.text
    assert "admin" in answer.json()["detail"]


def test_a_snapshot_that_is_none_is_not_found(http: httpx2.Client) -> None:
    for id in ("latest", "snp_20260301T120000Z_00000001", "..%2F..%2Fother"):
        answer = http.post(f"{WEB}/snapshots/{id}/restore")
        assert answer.status_code == 404, answer.text


@pytest.mark.parametrize("kept_bytes", [0, 100, 5_000])
def test_a_file_that_does_not_open_names_the_way_back(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, tmp_path: Path, kept_bytes: int
) -> None:
    """Falls without `recovery_hints` in bootstrap.py; and the way leads back."""
    backend = open_backend()
    remember(
        backend.ports,
        admin,
        "web",
        RememberRequest(fields={"id": "pnpm", "content": "This project uses pnpm."}),
    )
    taken = take_snapshot(backend.ports, admin, "web").id
    backend.close()
    settings = read_settings({}, data_dir=tmp_path / "data", model_dir=tmp_path / "no-model")
    whole = settings.database.read_bytes()
    settings.database.write_bytes(whole[:kept_bytes] + b"\xa5" * (len(whole) - kept_bytes))
    with pytest.raises(
        StoreUnavailable, match=rf"{taken}, 1 records.*aside.*mem restore latest --project web"
    ):
        open_backend()
    if kept_bytes:
        assert any(taken in (finding.what_to_do or "") for finding in diagnose(settings))
    settings.database.rename(tmp_path / "aside")
    backend = open_backend()
    assert restore_snapshot(backend.ports, admin, "web", LATEST).recreated == 1
    assert get_memory(backend.ports, admin, "web", "pnpm").content == "This project uses pnpm."


def test_a_body_without_effect_is_refused(http: httpx2.Client) -> None:
    """Falls where a misspelt dry run writes."""
    http.post(f"{WEB}/memories", json={"content": "SQLite has a WAL."})
    http.post(f"{WEB}/snapshots")
    for path in ("verify", "snapshots", "snapshots/latest/restore"):
        assert http.post(f"{WEB}/{path}", json={"dryrun": True}).status_code == 422
