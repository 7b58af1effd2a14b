"""Which records have no vectors of the model in use: asked of an index by model, none of the others is looked at."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from heapq import merge
from itertools import islice
from typing import Final

from memory_layer.adapters.embedded.sqlite.record_rows import scalar
from memory_layer.domain.integrity.index_comparison import Coverage

_COUNTS: Final = "SELECT count(*), coalesce(sum(embedding_model = ?), 0) FROM memories"
_NEXT_MODEL: Final = "SELECT min(embedding_model) FROM memories WHERE project_key = ? AND embedding_model > ?"
_IDS: Final = (
    "SELECT id FROM memories INDEXED BY memories_by_model"
    " WHERE project_key = ? AND embedding_model IS ? AND id > ? ORDER BY id LIMIT ?"
)


def coverage(connection: sqlite3.Connection, model: str) -> Coverage:
    total, with_vector = connection.execute(_COUNTS, (model,)).fetchone()
    return Coverage(total, with_vector)


def unembedded(connection: sqlite3.Connection, project_key: int, model: str, after: str, k: int) -> list[str]:
    """The first `k` ids after this one, in order, of records that name another model, or none."""
    others = [None, *(name for name in _models(connection, project_key) if name != model)]
    found = [connection.execute(_IDS, (project_key, name, after, k)) for name in others]
    return list(islice(merge(*([id for (id,) in rows] for rows in found)), k))


def _models(connection: sqlite3.Connection, project_key: int) -> Iterator[str]:
    """Each that records name, by a step in the index from one to the next."""
    name = ""
    while (found := scalar(connection, _NEXT_MODEL, (project_key, name))) is not None:
        name = str(found)
        yield name
