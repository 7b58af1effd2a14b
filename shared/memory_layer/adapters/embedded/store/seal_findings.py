"""Records whose rows do not hold their seals, for a diagnosis of a file that no store has open."""

import sqlite3
from typing import Final

from memory_layer.adapters.embedded.sqlite.project_rows import printable_id
from memory_layer.adapters.embedded.sqlite.record_rows import SEALED_COLUMNS, seal_of

_ROWS: Final = (
    f"SELECT CAST(id AS BLOB), seal, {', '.join(SEALED_COLUMNS)} FROM memories NOT INDEXED"
    " WHERE seal IS NOT NULL"
)


def unsound_records(connection: sqlite3.Connection) -> list[str]:
    """Ids of records that are not as they were written.

    Args:
        connection: replaces what is no text any more, so that it stops nothing.
    """
    rows = connection.execute(_ROWS)
    return [printable_id(id) for id, seal, *cells in rows if seal != seal_of(tuple(cells))]
