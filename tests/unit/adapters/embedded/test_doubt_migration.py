"""Events from before it was kept who told keep sound digests, and damaged ones keep telling that they are."""

from __future__ import annotations

import sqlite3

from memory_layer.adapters.embedded.sqlite.database import migrate, migrations
from memory_layer.adapters.embedded.sqlite.mention_rows import add_mention_functions
from memory_layer.adapters.embedded.sqlite.row_digests import (
    DIGESTED_CELLS,
    add_digest_function,
    cells_digest,
)

AT = "2026-03-01T12:00:00.000000Z"
ADDED = ("by_agent", "persona")
COLUMNS = tuple(name for name in DIGESTED_CELLS["entity_events"] if name not in ADDED)


def test_sound_events_stay_sound_and_damaged_ones_damaged() -> None:
    """Falls without the UPDATE of the migration: every event of an older folder would be told as damaged."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    add_digest_function(connection)
    add_mention_functions(connection)
    for number, script in migrations():
        if number < 13:
            connection.executescript(script)
            connection.execute(f"PRAGMA user_version = {number}")
    connection.execute("INSERT INTO projects (key, tenant, project) VALUES (1, 'acme', 'web')")
    sound = (1, "e1", "urn:x", "removed", None, "{}", AT, AT, "agent-7", None, 0, None, 1)
    damaged = (1, "e2", *sound[2:])
    marks = ", ".join("?" * (len(COLUMNS) + 1))
    for row in (sound, damaged):
        sql = f"INSERT INTO entity_events ({', '.join(COLUMNS)}, digest) VALUES ({marks})"
        connection.execute(sql, (*row, cells_digest(sound)))
    migrate(connection)
    found = dict(connection.execute("SELECT id, digest FROM entity_events").fetchall())
    assert found == {"e1": cells_digest((*sound, None, None)), "e2": cells_digest(sound)}
    connection.close()
