"""Changed records of lists: what is written while a project is read, and cells that are not as they were written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory_layer.adapters.embedded.ram_index.listed_changes import changed_rows
from memory_layer.adapters.embedded.sqlite.project_rows import project_key
from memory_layer.errors import StoreUnavailable
from tests.index_examples import SCOPE, memory
from tests.unit.adapters.embedded.test_embedded_index import VECTORS, Backend


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[Backend]:
    opened = Backend(tmp_path / "memories.db")
    for number in range(9):
        opened.write(memory(f"m{number}", f"words {number}"), vector=VECTORS[0])
    yield opened
    opened.store.close()


def test_a_record_that_is_written_meanwhile_is_read(backend: Backend) -> None:
    """Falls where the last chunk ends at what was the head of the log when the first one was read."""
    connection = backend.database.reader()
    found: list[str] = []
    for number, rows in enumerate(changed_rows(connection, project_key(connection, SCOPE), 0, 3)):
        found += rows.ids
        if number == 0:
            moved = replace(memory("m8", "other words"), version=2)
            backend.write(moved, before=1, vector=VECTORS[1])
    assert found == [f"m{number}" for number in range(9)]


@pytest.mark.parametrize("chunk_records", [1, 3, 4, 9, 10])
def test_chunks_of_any_size_hold_each_record_once(backend: Backend, chunk_records: int) -> None:
    connection = backend.database.reader()
    key = project_key(connection, SCOPE)
    chunks = [rows.ids for rows in changed_rows(connection, key, 0, chunk_records)]
    assert [id for ids in chunks for id in ids] == [f"m{number}" for number in range(9)]
    assert max(map(len, chunks)) <= chunk_records


@pytest.mark.parametrize(
    "damage",
    [
        "tags = '[]' || char(10) || '[]'",
        "entities = '[\"urn:file'",
        "confidence = 70000",
        "embedding_model = 'one' || x'ff'",
    ],
)
def test_a_cell_that_is_not_as_it_was_written_is_no_answer(backend: Backend, damage: str) -> None:
    """Falls where the length of a column, or the range of a number, is not held against what was read."""
    with backend.database.writing() as connection:
        connection.execute(f"UPDATE memories SET {damage} WHERE id = 'm4'")
    connection = backend.database.reader()
    with pytest.raises((ValueError, StoreUnavailable)):
        list(changed_rows(connection, project_key(connection, SCOPE), 0, 4))
