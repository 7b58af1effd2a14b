"""Seals of rows, and the cursor by which rows are read."""

import pytest

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.record_rows import seal_of
from memory_layer.errors import StoreUnavailable


def test_a_seal_is_the_same_in_every_version_of_python() -> None:
    """Falls where marshal writes its second format in another way: then every row would seem damaged."""
    cells = (1, None, "ä b", b"\x00\xff", 2**40, -7, "")
    assert seal_of(cells).hex() == "b319fc2181b1427e90782ca11479756f"


def test_rows_that_are_iterated_over_tell_what_is_wrong(empty_database: Database) -> None:
    """Falls without `_ReadingCursor.__next__`: the caller would see an error of SQLite's, and answer 500."""
    with empty_database.writing() as connection:
        connection.execute("INSERT INTO projects (tenant, project) VALUES ('acme', CAST(x'ff' AS TEXT))")
    rows = empty_database.reader().execute("SELECT project FROM projects")
    with pytest.raises(StoreUnavailable, match="mem doctor"):
        list(rows)
