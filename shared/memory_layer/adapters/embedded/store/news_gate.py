"""Gate for records that must be news: held, under the write lock, against what was committed since their search."""

import sqlite3
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.sqlite.recent_contents import contents_since
from memory_layer.domain.duplicates import DUPLICATE_COSINE
from memory_layer.errors import NearContentTaken
from memory_layer.ports.commit import Change


@dataclass(frozen=True, slots=True)
class _Contents:
    """Contents with their vectors. Args: vectors: float32, shape (n, dimensions)."""

    ids: tuple[str, ...]
    vectors: NDArray[np.float32]


class NewsGate:
    """Gate of one transaction; what others committed is read once, before the transaction writes a record."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._read: dict[tuple[object, ...], _Contents] = {}

    def refuse_near(self, key: int, change: Change) -> None:
        """Refuses a record that must be news if a near one was committed since it was searched for.

        One that the writer compared it with passes: within a long transaction the search sees what the index does not.

        Raises:
            NearContentTaken: an active record of the same persona says almost the same.
        """
        if not change.is_news or change.vectors is None or change.news_since is None:
            return
        recent, memory = self._recent(key, change, change.news_since), change.memory
        if not recent.ids:
            return
        for at in np.flatnonzero(recent.vectors @ change.vectors.content > DUPLICATE_COSINE):
            if recent.ids[at] not in (memory.id, memory.supersedes, *(change.beside or ())):
                raise NearContentTaken(recent.ids[at])

    def _recent(self, key: int, change: Change, since: int) -> _Contents:
        memory = change.memory
        asked = (key, since, memory.persona, memory.embedding_model)
        found = self._read.get(asked)
        if found is None:
            found = self._read[asked] = self._read_since(key, change, since)
        return found

    def _read_since(self, key: int, change: Change, since: int) -> _Contents:
        memory, dimensions = change.memory, len(change.vectors.content) if change.vectors else 0
        rows = contents_since(
            self._connection,
            key,
            since,
            persona=memory.persona,
            model=memory.embedding_model or "",
            dimensions=dimensions,
            now=change.at,
        )
        joined = np.frombuffer(b"".join(blob for _, blob in rows), "<f2")
        return _Contents(tuple(id for id, _ in rows), joined.reshape(-1, dimensions).astype(np.float32))
