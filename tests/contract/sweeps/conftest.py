"""Sweeps of a small calendar, as a walk asks every shard of every day; tests/contract/ports asks all of them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory_layer.adapters.aws.table import lifecycle_keys
from tests.given import START


@pytest.fixture(autouse=True)
def _small_calendar(monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk that knows no better begins in the past: here not longer ago than needed, for an engine that is slow."""
    monkeypatch.setattr(lifecycle_keys, "DUE_EPOCH", START - timedelta(days=2))
    monkeypatch.setattr(lifecycle_keys, "DUE_SHARDS", 1)
