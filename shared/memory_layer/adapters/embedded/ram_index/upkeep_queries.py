"""Which records of a tier have not changed for how long: asked of an index that has nothing else in it."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from typing import Final

from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Tier

_SETTLED: Final = (
    "SELECT id FROM memories INDEXED BY memories_by_tier WHERE project_key = ? AND tier = ? AND pinned = 0"
    " AND id > ? AND updated_at >= ? AND updated_at < ? ORDER BY id LIMIT ?"
)


def settled(
    connection: sqlite3.Connection,
    project_key: int,
    tier: Tier,
    since: datetime | None,
    until: datetime,
    after: str,
    k: int,
) -> list[str]:
    """As ports.SearchIndex.settled."""
    begin = "" if since is None else rfc3339(since)
    asked = (project_key, tier, after, begin, rfc3339(until), k)
    return [id for (id,) in connection.execute(_SETTLED, asked)]
