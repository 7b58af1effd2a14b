"""Feed of the RAM index: what is found by is held against its digest, and chunks of any size make the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_layer.adapters.embedded.ram_index import change_feed
from memory_layer.adapters.embedded.sqlite.project_rows import project_key
from memory_layer.domain.retrieval.vector_layout import VectorLayout
from tests.index_examples import SCOPE, memory
from tests.unit.adapters.embedded.test_embedded_index import VECTORS, Backend

LAYOUT = VectorLayout({"test": len(VECTORS[0])})


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[Backend]:
    opened = Backend(tmp_path / "memories.db")
    for number in range(5):
        opened.write(memory(f"m{number}", f"words {number}"), vector=VECTORS[number % 2])
    yield opened
    opened.store.close()


def found(backend: Backend) -> list[str]:
    """Ids of what the feed reads."""
    connection = backend.database.reader()
    chunks = change_feed.changed_chunks(connection, project_key(connection, SCOPE), 0)
    return [id for chunk in chunks for id in change_feed.batch_of_chunk(chunk, SCOPE.project, LAYOUT).ids]


@pytest.mark.parametrize(
    "damage",
    [
        "content_vector = zeroblob(length(content_vector))",
        "content_vector = NULL",
        "context_vector = x''",
        "content_terms = CAST(content_terms || x'0000000001' AS BLOB)",
        "context_terms = content_terms, content_terms = x''",
        "digest = zeroblob(32)",
        "digest = x''",
    ],
)
def test_what_is_found_by_is_as_it_was_written(backend: Backend, damage: str) -> None:
    """Falls where a part, its size or an empty digest is not looked at."""
    with backend.database.writing() as connection:
        connection.execute(
            f"UPDATE search_rows SET {damage} WHERE memory_key = (SELECT key FROM memories WHERE id = 'm3')"
        )
    with pytest.raises(ValueError, match="what m3 is found by"):
        found(backend)


def test_a_row_of_a_release_without_digests_is_read(backend: Backend) -> None:
    with backend.database.writing() as connection:
        connection.execute("UPDATE search_rows SET digest = NULL")
    assert found(backend) == [f"m{number}" for number in range(5)]


@pytest.mark.parametrize("chunk_records", [1, 2, 5])
def test_chunks_of_any_size_hold_each_record_once(
    backend: Backend, monkeypatch: pytest.MonkeyPatch, chunk_records: int
) -> None:
    monkeypatch.setattr(change_feed, "_CHUNK_RECORDS", chunk_records)
    assert found(backend) == [f"m{number}" for number in range(5)]
