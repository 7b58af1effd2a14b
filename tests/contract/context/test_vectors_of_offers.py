"""Vectors of what a context compares: the index's own, and the record store's of what the index has not seen."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Scope
from tests.contract.conftest import EMBEDDED_ONLY
from tests.contract.context.test_contexts import IndexBehind, context, store

SAID = "The queue keeps messages for {} days."


@pytest.fixture
def read(backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of the records whose vectors are read from the store."""
    read: list[str] = []
    memories = backend.ports.store.memories
    stored = memories.vectors

    def vectors(scope: Scope, ids: Collection[str]) -> object:
        read.extend(ids)
        return stored(scope, ids)

    monkeypatch.setattr(memories, "vectors", vectors)
    return read


@EMBEDDED_ONLY
def test_vectors_that_the_index_has_compared_are_not_read_again(
    backend: EmbeddedBackend, admin: Principal, read: list[str]
) -> None:
    known = [store(backend, admin, SAID.format(days)) for days in ("four", "five")]
    backend.drain()
    found = context(backend, admin, tokens_max=400).assembled
    assert {part.id for part in found.fragments} == {one.id for one in known}
    assert found.coherence < 1.0
    assert read == []


@EMBEDDED_ONLY
def test_what_the_index_has_not_seen_is_compared_by_the_vectors_of_the_store(
    backend: EmbeddedBackend, admin: Principal, read: list[str]
) -> None:
    known = [store(backend, admin, SAID.format(days)) for days in ("four", "five")]
    backend.drain()
    seen = context(backend, admin, tokens_max=400).assembled
    behind = replace(backend, ports=replace(backend.ports, index=IndexBehind(backend.ports.index, [])))
    found = context(behind, admin, tokens_max=401).assembled
    assert set(read) == {one.id for one in known}
    assert found.coherence == seen.coherence
