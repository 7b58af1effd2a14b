"""Statistics counted on columns are those of the rows, whatever was written in between and by whom."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_layer.adapters.embedded.ram_index import listed_columns
from memory_layer.adapters.embedded.ram_index.listed_columns import ListedProjects
from memory_layer.adapters.embedded.sqlite.project_rows import project_key
from memory_layer.domain.access import Viewer
from memory_layer.domain.memory import Doubt, Memory, Scope
from memory_layer.errors import IndexUnavailable
from tests.index_examples import MODEL, NOW, SCOPE, memory
from tests.unit.adapters.embedded.statistics_by_sql import project_stats as counted_by_sql
from tests.unit.adapters.embedded.test_embedded_index import VECTORS, Backend

VIEWERS = (
    Viewer(),
    Viewer.of("qa"),
    Viewer.of("qa", "dev"),
    Viewer.of("nobody"),
    Viewer(sees_all_personas=True),
)
MOMENTS = (NOW, NOW + timedelta(hours=5), NOW + timedelta(days=400))


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[Backend]:
    opened = Backend(tmp_path / "memories.db")
    yield opened
    opened.store.close()


def drawn(randomness: random.Random) -> dict[str, Any]:
    one = randomness.choice
    return {
        "type": one(("pattern", "warning", "learning")),
        "category": one(("general", "gotcha", "todo")),
        "task_type": one((None, "feature", "bug-fix")),
        "source": one(("human", "run")),
        "status": one(("active", "stale", "archived", "rejected")),
        "tier": one(("hot", "warm", "cold", "frozen")),
        "persona": one((None, None, "qa", "dev")),
        "detail": one(({}, {"steps": [1, 2]}, {"said": "é"}, {"complexity": "high"}, {"complexity": 3})),
        "tags": one(((), ("red",), ("red", "green"), ("blue",))),
        "entities": one(((), ("urn:file:a",), ("urn:file:b",))),
        "session_id": one((None, "s1", "s2")),
        "created_by": one(("ann", "bob")),
        "approved_by": one((None, None, "ann")),
        "doubted": one((None, None, Doubt(since=NOW))),
        "pinned": one((False, False, True)),
        "relevance_score": one((0.2, 0.5, 1.0)),
        "context": one((None, "around it: é")),
        "confidence": one((0.333, 0.5, 1.0)),
        "success_rate": one((None, 0.1, 0.667)),
        "outcome_score": one((-1.0, -0.501, -0.5, 0.0, 0.5, 0.501, 1.0)),
        "use_count": one((0, 0, 1, 2, 3)),
        "embedding_model": one((None, MODEL, "another")),
        "expires_at": one((None, None, NOW + timedelta(hours=5), NOW + timedelta(hours=9))),
        "updated_at": NOW + timedelta(microseconds=randomness.randrange(10**9)),
    }


class Writer:
    """Writer of random changes through one of several processes."""

    def __init__(self, seed: int, *backends: Backend) -> None:
        self.randomness, self.backends = random.Random(seed), backends
        self.kept: dict[str, Memory] = {}
        self.number = 0

    def write(self) -> None:
        backend = self.randomness.choice(self.backends)
        happens = self.randomness.random()
        if happens < 0.5 or not self.kept:
            self.number += 1
            new = memory(f"m{self.number}", f"words {self.number} é", **drawn(self.randomness))
            self.kept[new.id] = new
            backend.write(new, vector=VECTORS[0] if new.embedding_model else None)
            return
        old = self.randomness.choice(list(self.kept.values()))
        if happens < 0.8:
            self.kept[old.id] = replace(old, version=old.version + 1, **drawn(self.randomness))
            backend.write(self.kept[old.id], before=old.version, vector=VECTORS[1])
        else:
            backend.erase(self.kept.pop(old.id).id, before=old.version)


def assert_as_the_rows_have_it(backend: Backend) -> None:
    connection = backend.database.reader()
    key = project_key(connection, SCOPE)
    for viewer in VIEWERS:
        for now in MOMENTS:
            expected = counted_by_sql(connection, key, viewer, now, MODEL)
            found = backend.index.stats(SCOPE, viewer, now=now)
            assert found == expected
            assert [list(found.by[name].items()) for name in found.by] == [
                list(expected.by[name].items()) for name in expected.by
            ]


@pytest.mark.parametrize("seed", range(6))
def test_columns_count_as_the_rows(
    backend: Backend, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After every few writes of this process and of another; among them erasures, until columns are compacted."""
    monkeypatch.setattr(listed_columns, "_COMPACTED_LEAST", 8)
    monkeypatch.setattr(listed_columns, "_CHUNK_RECORDS", 7)
    other = Backend(tmp_path / "memories.db")
    writer = Writer(seed, backend, other)
    assert_as_the_rows_have_it(backend)
    for _ in range(12):
        for _ in range(writer.randomness.randrange(1, 9)):
            writer.write()
        assert_as_the_rows_have_it(backend)
    for old in list(writer.kept.values())[:-2]:
        backend.erase(old.id, before=old.version)
    assert_as_the_rows_have_it(backend)
    other.store.close()


def test_a_shorter_log_is_read_from_its_start(backend: Backend) -> None:
    """As after a restore: falls where `catch_up` reads on from where it was."""
    writer = Writer(3, backend)
    for _ in range(20):
        writer.write()
    assert_as_the_rows_have_it(backend)
    with backend.database.writing() as connection:
        connection.execute("UPDATE projects SET position = 5")
        connection.execute("DELETE FROM mentions WHERE memory_key IN (SELECT key FROM memories)")
        connection.execute("DELETE FROM search_rows WHERE memory_key IN (SELECT key FROM memories)")
        connection.execute("DELETE FROM memories WHERE log_position > 5")
        connection.execute("DELETE FROM tombstones WHERE log_position > 5")
    assert_as_the_rows_have_it(backend)


def test_columns_least_recently_asked_for_are_dropped(backend: Backend) -> None:
    """Safeguard: `_evict_beside`; the project in use stays whatever it takes."""
    scopes = [Scope("acme", f"p{number}") for number in range(4)]
    for scope in scopes:
        backend.write(replace(memory("m1", "words"), project=scope.project))
    counted = ListedProjects(backend.database.reader, MODEL, max_bytes=1)
    for scope in (*scopes, scopes[0]):
        assert counted.answered(scope, lambda columns: columns["is_live"].sum()) == 1
        assert list(counted._projects) == [scope]


def test_columns_that_could_not_be_read_are_read_anew(backend: Backend) -> None:
    """Safeguard: `seen` is moved last; else what was read before the failure would be counted as all there is."""
    writer = Writer(4, backend)
    for _ in range(10):
        writer.write()
    with backend.database.writing() as connection:
        connection.execute("UPDATE memories SET updated_at = 'soon' WHERE id = ?", (next(iter(writer.kept)),))
    with pytest.raises(IndexUnavailable):
        backend.index.stats(SCOPE, VIEWERS[-1], now=NOW)
    with backend.database.writing() as connection:
        connection.execute(
            "UPDATE memories SET updated_at = '2026-01-01T00:00:00.000000Z' WHERE updated_at = 'soon'"
        )
    assert_as_the_rows_have_it(backend)
