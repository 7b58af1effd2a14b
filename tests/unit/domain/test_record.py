"""The record is declared once: columns, JSON and the declaration agree."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.record_rows import ACCESS_COLUMNS, STORED_COLUMNS
from memory_layer.domain.fields import memory_from_json, memory_to_json, record_fields
from memory_layer.domain.memory import Memory, Relation, content_hash

NOW = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)
MEMORY = Memory(
    id="m1",
    tenant="acme",
    project="web",
    content="Use WAL.",
    content_hash=content_hash("Use WAL."),
    created_by="ada",
    tags=("sqlite", "src/**"),
    relations=(Relation("about", "urn:tech:sqlite"),),
    detail={"complexity": "low", "n": [1, {"x": None}]},
    success_rate=0.857,
    expires_at=NOW,
    created_at=NOW,
    updated_at=NOW,
)


def test_every_field_has_a_column_and_every_column_a_field(empty_database: Database) -> None:
    connection = empty_database.reader()
    columns = {row[1] for row in connection.execute("PRAGMA table_info(memories)")}
    of_the_row = {"key", "project_key", "log_position", "due_at", "body_bytes", "digest", "seal"}
    assert columns - of_the_row == set(STORED_COLUMNS)
    assert {field.name for field in fields(Memory)} == {"tenant", "project", *STORED_COLUMNS, *ACCESS_COLUMNS}


def test_nullable_columns_are_those_of_nullable_fields(empty_database: Database) -> None:
    connection = empty_database.reader()
    required = {row[1] for row in connection.execute("PRAGMA table_info(memories)") if row[3]}
    for field in record_fields():
        if field.name in STORED_COLUMNS:
            assert (field.name in required) != field.is_nullable, field.name


def test_a_record_survives_json() -> None:
    assert memory_from_json(json.loads(json.dumps(memory_to_json(MEMORY)))) == MEMORY


def test_active_says_whether_the_status_is_active() -> None:
    assert memory_to_json(MEMORY)["active"] is True
    assert memory_to_json(replace(MEMORY, status="stale"))["active"] is False
