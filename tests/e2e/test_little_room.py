"""A disk that is nearly full, or that lost writes, is told before anybody asks why."""

from __future__ import annotations

import shutil
from pathlib import Path

import httpx2
import pytest

from memory_layer.adapters.embedded.sqlite.kept_logs import log_of


@pytest.mark.parametrize(
    ("free", "told"),
    [
        (1_000_000_000, "ready"),
        (999_000_000, "999 MB are free, fewer than 1,000: make room before writes are refused"),
    ],
)
def test_a_nearly_full_disk_is_told(
    http: httpx2.Client, monkeypatch: pytest.MonkeyPatch, free: int, told: str
) -> None:
    usage = shutil._ntuple_diskusage(0, 0, free)
    monkeypatch.setattr("memory_layer.bootstrap.storage.shutil.disk_usage", lambda _: usage)
    ready = http.get("/readyz")
    assert (ready.status_code, ready.json()["disk"]) == (200, told)


def test_writes_that_a_damaged_log_lost_are_told_until_somebody_looks(
    http: httpx2.Client, tmp_path: Path
) -> None:
    assert http.get("/readyz").json()["lost"] == []
    log = log_of(tmp_path / "data" / "memory.sqlite3")
    kept = log.with_name(f"{log.name}.damaged-0123-4")
    kept.write_bytes(b"")
    (told,) = http.get("/readyz").json()["lost"]
    assert kept.name in told
    kept.unlink()
    assert http.get("/readyz").json()["lost"] == []
