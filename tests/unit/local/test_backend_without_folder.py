"""A backend without a data folder leaves nothing behind."""

import tempfile
from pathlib import Path

import pytest

from memory_layer.bootstrap.embedded import open_embedded
from tests.given import NoEmbedder


def test_nothing_outlasts_a_backend_without_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    backend = open_embedded(None, embedder=NoEmbedder())
    backend.ports.blobs.put("bodies/a", b"words")
    assert backend.ports.blobs.get("bodies/a") == b"words"
    assert any(tmp_path.iterdir())

    backend.close()

    assert list(tmp_path.iterdir()) == []
