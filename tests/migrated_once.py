"""Migration of new databases by a copy of one that was migrated before: some thousand tests open a new one each."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from functools import cache

from memory_layer.adapters.embedded.sqlite import migration
from memory_layer.adapters.embedded.sqlite.mention_rows import add_mention_functions
from memory_layer.adapters.embedded.sqlite.row_digests import add_digest_function

_one_at_a_time = threading.Lock()


def migrated_by_copy(
    connection: sqlite3.Connection, keep_copy: Callable[[int], None] = lambda _: None
) -> None:
    """Does what `migration.migrate` does, which migrates every file that is not new."""
    with _one_at_a_time:
        if connection.execute("SELECT * FROM pragma_schema_version, pragma_user_version").fetchone() == (
            0,
            0,
        ):
            _newest().backup(connection)
    migration.migrate(connection, keep_copy)


@cache
def _newest() -> sqlite3.Connection:
    """A database in memory with the newest schema, and no rows."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    add_digest_function(connection)
    add_mention_functions(connection)
    migration.migrate(connection)
    return connection
