"""Queries of upkeep: coverage by vectors, records to embed, and records of a tier that have not changed for long."""

import sqlite3
from collections.abc import Iterator
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Final

from memory_layer.adapters.embedded.sqlite.record_rows import scalar
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.integrity.index_comparison import VectorCoverage
from memory_layer.domain.memory import AWAITING_STATUSES, Tier
from memory_layer.ports.index import ReviewBacklog

_COUNTS: Final = "SELECT count(*), coalesce(sum(embedding_model = ?), 0) FROM memories"
_BACKLOG: Final = (
    "SELECT count(*), min(created_at) FROM memories"
    f" WHERE status IN ({', '.join('?' * len(AWAITING_STATUSES))})"
)
_NEXT_MODEL: Final = "SELECT min(embedding_model) FROM memories WHERE project_key = ? AND embedding_model > ?"
_IDS: Final = (
    "SELECT id FROM memories INDEXED BY memories_by_model"
    " WHERE project_key = ? AND embedding_model IS ? AND id > ? ORDER BY id LIMIT ?"
)


def model_coverage(connection: sqlite3.Connection, model: str) -> VectorCoverage:
    """Counts the records of the file, and those with a vector of this model."""
    total, with_vector = connection.execute(_COUNTS, (model,)).fetchone()
    return VectorCoverage(total, with_vector)


def review_backlog(connection: sqlite3.Connection) -> ReviewBacklog:
    """Counts the records of the file that wait for a person, and the first creation of them."""
    total, oldest = connection.execute(_BACKLOG, AWAITING_STATUSES).fetchone()
    return ReviewBacklog(total, None if oldest is None else datetime.fromisoformat(oldest))


def unembedded_ids(
    connection: sqlite3.Connection, project_key: int, model: str, after: str, k: int
) -> list[str]:
    """The first `k` ids after this one, in order, of records that name another model, or none."""
    others = [None, *(name for name in _models(connection, project_key) if name != model)]
    found = [connection.execute(_IDS, (project_key, name, after, k)) for name in others]
    return list(islice(merge(*([id for (id,) in rows] for rows in found)), k))


def _models(connection: sqlite3.Connection, project_key: int) -> Iterator[str]:
    """Names of the models that records name, by a step in the index from each to the next."""
    name = ""
    while (found := scalar(connection, _NEXT_MODEL, (project_key, name))) is not None:
        name = str(found)
        yield name


def models_named(connection: sqlite3.Connection) -> set[str]:
    """Ids of the models that any record of the file names."""
    keys = [key for (key,) in connection.execute("SELECT key FROM projects")]
    return {name for key in keys for name in _models(connection, key)}


_SETTLED: Final = (
    "SELECT id FROM memories INDEXED BY memories_by_tier WHERE project_key = ? AND tier = ? AND pinned = 0"
    " AND id > ? AND updated_at >= ? AND updated_at < ? ORDER BY id LIMIT ?"
)


def settled_ids(
    connection: sqlite3.Connection,
    project_key: int,
    tier: Tier,
    since: datetime | None,
    until: datetime,
    after: str,
    k: int,
) -> list[str]:
    """Ids of settled records, as ports.index.SearchIndex.settled, from an index that has nothing else in it."""
    begin = "" if since is None else rfc3339(since)
    asked = (project_key, tier, after, begin, rfc3339(until), k)
    return [id for (id,) in connection.execute(_SETTLED, asked)]
