"""Contents written after a position of a project's log: few rows, which no index need know yet."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from typing import Final

from memory_layer.domain.fields import rfc3339

_SINCE: Final = (
    "SELECT m.id, s.content_vector FROM memories m JOIN search_rows s ON s.memory_key = m.key"
    " WHERE m.project_key = ? AND m.log_position > ? AND m.status = 'active' AND (? OR m.persona IS ?)"
    " AND m.embedding_model = ? AND length(s.content_vector) = ? AND (m.expires_at IS NULL OR m.expires_at > ?)"
)
_VALUE_BYTES: Final = 2


def contents_since(
    connection: sqlite3.Connection,
    project_key: int,
    position: int,
    *,
    persona: str | None,
    model: str,
    dimensions: int,
    now: datetime,
    is_of_all: bool = False,
) -> list[tuple[str, bytes]]:
    """Ids and float16 vectors of the persona's active records that were written after this position.

    Args:
        is_of_all: of every persona's.
    """
    values = (project_key, position, is_of_all, persona, model, _VALUE_BYTES * dimensions, rfc3339(now))
    return connection.execute(_SINCE, values).fetchall()
