"""A write and a recall read what they name, however large the project is."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember

GOES_THROUGH_ALL = re.compile(r"^SCAN (?!CONSTANT|json_each)|\((?:project_key|tenant)=\?\)$")
"""A step of a plan that has no more to go by than whose the rows are."""


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Whatever any connection is asked from now on, with its values."""
    seen: list[str] = []
    connect = Database._connect

    def traced(database: Database, *kind: Any) -> sqlite3.Connection:
        connection = connect(database, *kind)
        connection.set_trace_callback(seen.append)
        return connection

    monkeypatch.setattr(Database, "_connect", traced)
    return seen


def test_nothing_is_found_by_going_through_its_project(
    statements: list[str],
    open_backend: Callable[..., EmbeddedBackend],
    empty_database: Database,
    admin: Principal,
) -> None:
    """Without the plus in `same_content`, every write reads its whole project: 9 ms among 5,000 records."""
    ports = open_backend().ports
    for content in ("the deploy waits for green tests", "the cache is cleared on Mondays"):
        del statements[:]  # the first one loads the project
        remember(ports, admin, "shop", RememberRequest(fields={"content": content}))
        recall(ports, admin, "shop", RecallRequest(query=f"when is it that {content}?"))
    asked = {sql for sql in statements if sql.startswith(("SELECT", "UPDATE", "DELETE"))}
    empty = empty_database.reader()
    plans = {sql: [step for *_, step in empty.execute(f"EXPLAIN QUERY PLAN {sql}")] for sql in asked}
    assert any("content_hash=?" in step for steps in plans.values() for step in steps)
    assert {sql: steps for sql, steps in plans.items() if any(map(GOES_THROUGH_ALL.search, steps))} == {}
