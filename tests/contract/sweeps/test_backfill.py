"""Vectors that are missing, or another model's, are made later; the same on both backends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, Viewer
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.time.sweep_state import SweepReport
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Embedder
from memory_layer.usecases.ground.embed import stamped
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.write.put import put_memory
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import (
    PROJECT,
    SCOPE,
    NoEmbedder,
    StandingClock,
    a_memory,
    changed,
    created,
    read_back,
    some_vectors,
)

Open = Callable[..., EmbeddedBackend]


class OtherModel:
    """Another model: vectors of the same length that mean nothing to the one in use."""

    model = "other-model"
    dimensions = 384

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([some_vectors(seed).content for seed, _ in enumerate(texts)])


def sweep(backend: EmbeddedBackend, **asked: Any) -> SweepReport:
    report = run_sweep(backend.ports, "backfill", holder="test", seconds=60, **asked)
    backend.drain()
    return report


def tell(backend: EmbeddedBackend, admin: Principal, *ids: str) -> None:
    for id in ids:
        put_memory(backend.ports, admin, PROJECT, id, {"content": f"{id}: the deploy needs two approvals."})
    backend.drain()


def record(backend: EmbeddedBackend, id: str) -> Memory:
    return read_back(backend.ports.store, SCOPE, id)


def meant(backend: EmbeddedBackend, admin: Principal) -> set[str]:
    asked = RecallRequest(query="who has to agree before we ship?", strategy="semantic", limit=50)
    return {item.memory.id for item in recall(backend.ports, admin, PROJECT, asked).memories}


def test_what_came_without_the_model_is_found_by_its_meaning_later(
    open_backend: Open, admin: Principal, clock: StandingClock
) -> None:
    tell(open_backend(embedder=NoEmbedder()), admin, "b", "a", "c")
    backend = open_backend()
    tell(backend, admin, "whole")
    assert backend.ports.index.unembedded(SCOPE, after=None, k=2) == ["a", "b"]
    assert backend.ports.index.unembedded(SCOPE, after="b", k=2) == ["c"]
    coverage = backend.ports.index.coverage()
    assert (coverage.total, coverage.with_vector, coverage.ratio) == (4, 1, 0.25)
    before = record(backend, "a")
    clock.advance(days=1)
    report = sweep(backend)
    assert (report.is_complete, report.looked_at, dict(report.did), report.failed) == (
        True,
        3,
        {"embedded": 3},
        (),
    )
    after = record(backend, "a")
    assert after == replace(stamped(before, backend.ports.embedder.model), version=before.version + 1)
    assert after.updated_at == before.updated_at
    last = backend.ports.store.history.of(SCOPE, "a")[-1]
    assert (last.verb, last.by, last.memory.version) == ("embedded", "sweep backfill", 2)
    assert {"a", "b", "c", "whole"} == meant(backend, admin)
    assert backend.ports.index.coverage().ratio == 1.0
    again = sweep(backend)
    assert (again.looked_at, dict(again.did)) == (0, {})


def test_vectors_of_another_model_are_made_anew(open_backend: Open, admin: Principal) -> None:
    """They are no part of the coverage either: the stats name the model in use."""
    tell(open_backend(embedder=OtherModel()), admin, "m1", "m2")
    backend = open_backend()
    counted = backend.ports.index.stats(SCOPE, Viewer(sees_all_personas=True), now=backend.ports.clock.now())
    assert (counted.total, counted.with_vector, backend.ports.index.coverage().with_vector) == (2, 0, 0)
    assert dict(sweep(backend).did) == {"embedded": 2}
    assert meant(backend, admin) == {"m1", "m2"}
    counted = backend.ports.index.stats(SCOPE, Viewer(sees_all_personas=True), now=backend.ports.clock.now())
    assert counted.with_vector == 2


def test_without_the_model_nothing_is_written(open_backend: Open, admin: Principal) -> None:
    """The safeguard is `embed_or_fail`: with `embed_memories` records would go one version on for nothing."""
    backend = open_backend(embedder=NoEmbedder())
    tell(backend, admin, "m1")
    report = sweep(backend)
    assert (report.is_complete, dict(report.did)) == (False, {})
    assert "no model" in report.failed[0]
    assert record(backend, "m1").version == 1


def test_a_dry_run_counts_and_writes_nothing(open_backend: Open, admin: Principal) -> None:
    tell(open_backend(embedder=NoEmbedder()), admin, "m1", "m2")
    backend = open_backend()
    assert dict(sweep(backend, is_dry_run=True).did) == {"embedded": 2}
    assert record(backend, "m1").version == 1
    assert dict(sweep(backend).did) == {"embedded": 2}


def test_a_project_is_walked_page_by_page(open_backend: Open, admin: Principal) -> None:
    tell(open_backend(embedder=NoEmbedder()), admin, *(f"m{number}" for number in range(5)))
    report = sweep(open_backend(), page_records=2)
    assert (report.is_complete, report.looked_at, dict(report.did)) == (True, 5, {"embedded": 5})


def test_the_record_has_the_last_word(open_backend: Open, embedder: Embedder) -> None:
    """The index lags: what has been embedded since is not embedded again. The safeguard is `needs_vectors`."""
    backend = open_backend()
    memory = a_memory(SCOPE, "m1")
    backend.ports.store.writer.commit(Commit(scope=SCOPE, changes=(created(memory),)))
    backend.drain()
    listed = backend.ports.index.unembedded(SCOPE, after=None, k=10)
    done = stamped(memory, embedder.model)
    backend.ports.store.writer.commit(
        Commit(
            scope=SCOPE,
            changes=(
                changed(
                    done,
                    vectors=some_vectors(1),
                ),
            ),
        )
    )

    class Lagging:
        def unembedded(self, scope: Scope, *, after: str | None, k: int) -> list[str]:
            del scope, k
            return listed if after is None else []

    report = run_sweep(
        replace(backend.ports, index=Lagging()),  # type: ignore[arg-type]
        "backfill",
        holder="test",
        seconds=60,
    )
    assert (listed, report.looked_at, dict(report.did)) == (["m1"], 1, {})


def test_a_damaged_record_is_told_of_and_left(open_backend: Open) -> None:
    """A change would seal it anew."""
    backend = open_backend()
    damaged, sound = a_memory(SCOPE, "m1", content_hash="0" * 64), a_memory(SCOPE, "m2")
    for memory in (damaged, sound):
        backend.ports.store.writer.commit(Commit(scope=SCOPE, changes=(created(memory),)))
    backend.drain()
    report = sweep(backend)
    assert dict(report.did) == {"embedded": 1}
    assert "m1 is damaged" in report.failed[0]
    assert record(backend, "m1").version == 1


@EMBEDDED_ONLY
def test_damage_beside_the_content_is_told_of_as_well(open_backend: Open) -> None:
    """The safeguard is `_is_damaged`, which goes by the record's seal."""
    backend = open_backend()
    for id in ("m1", "m2"):
        backend.ports.store.writer.commit(Commit(scope=SCOPE, changes=(created(a_memory(SCOPE, id)),)))
    store: Any = backend.ports.store
    with store.memories._database.writing() as connection:
        connection.execute("UPDATE memories SET confidence = 7 WHERE id = 'm1'")
    report = sweep(backend)
    assert dict(report.did) == {"embedded": 1}
    assert "m1 is damaged" in report.failed[0]
    assert record(backend, "m1").version == 1
