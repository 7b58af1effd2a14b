"""Records older than the list of what is due are on it after the migration, when the rule says."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import get_args

from memory_layer.adapters.embedded.sqlite.database import Database, migrations
from memory_layer.adapters.embedded.store.record_store import open_record_store
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Memory, Status
from memory_layer.domain.time.decay import due_at
from memory_layer.ports.commit import Commit
from tests.given import SCOPE, START, BlobsInMemory, a_memory, created

USED = START + timedelta(days=3, microseconds=7)
END = START + timedelta(days=40)


def examples() -> list[Memory]:
    said = product(
        get_args(Status), (0.0, 0.4, -0.5, -0.501), (0.2, 0.199), (None, USED), (None, END), (0.0, 0.3)
    )
    return [
        a_memory(
            SCOPE,
            f"m{number}",
            status=status,
            outcome_score=score,
            confidence=confidence,
            last_used_at=used,
            expires_at=end,
            unseconded=unseconded,
        )
        for number, (status, score, confidence, used, end, unseconded) in enumerate(said)
    ]


def test_old_rows_are_due_when_the_rule_says() -> None:
    database, memories = Database(None), examples()
    store = open_record_store(database, Bodies(BlobsInMemory()))
    commits = [
        Commit(scope=SCOPE, changes=(replace(created(memory), at=memory.created_at),)) for memory in memories
    ]
    assert not any(store.writer.commit_each(commits))
    connection = database.reader()
    written = dict(connection.execute("SELECT id, due_at FROM memories").fetchall())
    (script,) = (script for number, script in migrations() if number == 6)
    (update,) = (part for part in script.split(";") if "UPDATE memories SET due_at" in part)
    connection.execute("UPDATE memories SET due_at = NULL")
    connection.execute(update)
    migrated = dict(connection.execute("SELECT id, due_at FROM memories").fetchall())
    expected = {memory.id: (at := due_at(memory)) and rfc3339(at) for memory in memories}
    assert migrated == written == expected
    assert len(set(migrated.values())) >= 5
    store.close()


def test_a_walk_reads_what_is_due_by_its_index(empty_database: Database) -> None:
    """The safeguard is the partial index: without it every sweep reads every record."""
    from memory_layer.adapters.embedded.store import sweep_schedule

    asked = f"EXPLAIN QUERY PLAN {sweep_schedule._DUE}"
    plan = empty_database.reader().execute(asked, ("9", "", 0, 100)).fetchall()
    assert any("memories_by_due" in row[3] for row in plan)
    assert not any(row[3].startswith("SCAN") or "TEMP B-TREE" in row[3] for row in plan)
