"""A folder that may only be read: what is there is recalled, and a write is refused in words that help."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

PROJECT = "/v1/projects/web"
MEMORIES = f"{PROJECT}/memories"

Serve = Callable[..., httpx2.Client]


@pytest.fixture
def reading(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> httpx2.Client:
    """A client of a server that may not write its folder, in which two memories lie."""
    http = serve()
    for number, content in enumerate(["Herons nest in April.", "Otters swim at night."]):
        assert http.put(f"{MEMORIES}/m{number}", json={"content": content}).status_code == 201
    http.post(f"{PROJECT}/recall", json={"query": "herons"})
    monkeypatch.setattr("memory_layer.adapters.embedded.sqlite.database.can_write", lambda _: False)
    return serve()


def test_what_is_there_is_read(reading: httpx2.Client) -> None:
    """Falls where a receipt of a recall waits for a disk that takes none."""
    for answer in (
        reading.get(MEMORIES),
        reading.get(f"{MEMORIES}/m0"),
        reading.get(f"{MEMORIES}/m0/history"),
        reading.get(f"{PROJECT}/stats"),
        reading.get(f"{PROJECT}/export"),
        reading.post(f"{PROJECT}/recall", json={"query": "When do herons nest?"}),
        reading.post(f"{PROJECT}/context", json={"intent": "When do herons nest?"}),
        reading.post(f"{PROJECT}/prompt", json={"task": "When do herons nest?"}),
    ):
        assert answer.status_code == 200, answer.text
    (found, *_) = reading.post(f"{PROJECT}/recall", json={"query": "When do herons nest?"}).json()["memories"]
    assert "Herons nest" in str(found)
    ready = reading.get("/readyz")
    assert (ready.status_code, ready.json()["writes"]) == (200, "refused: the data can only be read")


def test_a_write_is_refused_with_the_folder_and_the_remedy(reading: httpx2.Client, tmp_path: Path) -> None:
    for answer in (
        reading.post(MEMORIES, json={"content": "Bats sleep by day."}),
        reading.put(f"{MEMORIES}/m0", json={"content": "Herons nest in May."}),
        reading.patch(f"{MEMORIES}/m0", json={"tags": ["birds"]}),
        reading.delete(f"{MEMORIES}/m0"),
        reading.post(f"{MEMORIES}/m0/outcome", json={"result": "worked"}),
    ):
        told = answer.json()
        assert (answer.status_code, told["type"]) == (503, "urn:memory-layer:problem:read_only"), answer.text
        assert str(tmp_path / "data") in told["detail"]
        assert "chmod" in told["detail"]


def test_what_others_write_meanwhile_is_read(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    writing = serve()
    writing.put(f"{MEMORIES}/m0", json={"content": "Herons nest in April."})
    monkeypatch.setattr("memory_layer.adapters.embedded.sqlite.database.can_write", lambda _: False)
    reading = serve()
    assert reading.get(f"{MEMORIES}/m0").json()["content"] == "Herons nest in April."
    writing.put(f"{MEMORIES}/m0", json={"content": "Herons nest in May."})
    assert reading.get(f"{MEMORIES}/m0").json()["content"] == "Herons nest in May."
