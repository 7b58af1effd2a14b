"""A database that can no longer be read is said to be so, and a load balancer is told."""

from __future__ import annotations

import os
from pathlib import Path

import httpx2

MEMORIES = "/v1/projects/web/memories"


def test_what_cannot_be_read_is_unavailable(http: httpx2.Client, tmp_path: Path) -> None:
    """Falls without the read in /readyz, and without `_ReadingCursor` in adapters/embedded/sqlite/database.py."""
    assert http.get("/readyz").status_code == 200
    location = http.post(MEMORIES, json={"content": "Herons nest in April."}).headers["location"]
    for file in (tmp_path / "data").glob("memory.sqlite3*"):
        if not file.name.endswith("-shm"):
            with file.open("r+b") as damaged:
                damaged.write(os.urandom(file.stat().st_size))
    for answer in (
        http.get("/readyz"),
        http.get(MEMORIES),
        http.get(location),
        http.post("/v1/projects/web/recall", json={"query": "herons"}),
        http.get("/v1/projects/web/stats"),
        http.post(MEMORIES, json={"content": "Otters swim at night."}),
    ):
        assert answer.status_code == 503, answer.text
        assert "mem doctor" in answer.json()["detail"]
