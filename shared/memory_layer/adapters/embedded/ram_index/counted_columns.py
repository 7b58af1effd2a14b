"""Columns of what the statistics of a project count, of every record; they follow the project's log in SQLite."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index.change_feed import instants
from memory_layer.adapters.embedded.sqlite.project_rows import log_head, project_key
from memory_layer.adapters.project_index.coded_column import CodeDictionary
from memory_layer.adapters.project_index.column_statistics import GROUPS
from memory_layer.adapters.project_index.filter_columns import NO_SCORE
from memory_layer.adapters.project_index.growing_array import GrowingArray
from memory_layer.adapters.project_index.slot_directory import ABSENT, SlotDirectory
from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.facts import ALWAYS, NEVER

TEXTS: Final = (*GROUPS, "persona")
SCORES: Final = ("confidence", "success_rate", "outcome_score")
SIZES: Final = ("bytes", "body_bytes")

T = TypeVar("T")

_COMPACTED_LEAST: Final = 1_024
_CHUNK_RECORDS: Final = 4_096
_DTYPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(GROUPS, "<i2"),
    "persona": "<i4",
    **dict.fromkeys(SCORES, "<i2"),
    **dict.fromkeys(SIZES, "<i8"),
    **dict.fromkeys(("key", "updated_at", "expires_at"), "<i8"),
    "use_count": "<i4",
    **dict.fromkeys(("is_embedded", "is_live"), "?"),
}
_NAMES: Final = (
    "key",
    *TEXTS,
    *SCORES,
    *("use_count", "updated_at", "expires_at", "is_embedded", "bytes", "body_bytes"),
)
_CHANGED: Final = (
    f"SELECT key, {', '.join((*TEXTS, *SCORES))}, use_count, updated_at, expires_at, embedding_model IS ?3,"
    " coalesce(body_bytes, length(CAST(content AS BLOB))) + length(CAST(detail AS BLOB))"
    " + coalesce(length(CAST(context AS BLOB)), 0), coalesce(body_bytes, 0)"
    " FROM memories WHERE project_key = ?1 AND log_position > ?2"
)
_GONE: Final = "SELECT memory_key FROM tombstones WHERE project_key = ?1 AND log_position > ?2"


class CountedColumns:
    """Columns of one project, and how far into its log they have come; `lock` is held while they are used.

    Args:
        key: of the project.
        model: the model whose vectors count.
    """

    def __init__(self, key: int, model: str) -> None:
        self.key, self._model = key, model
        self.lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        self.seen = 0
        self.texts = {name: CodeDictionary() for name in TEXTS}
        self._directory = SlotDirectory()
        self._arrays: dict[str, GrowingArray[Any]] = {name: GrowingArray(of) for name, of in _DTYPES.items()}

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Column of all records; those without `is_live` are gone."""
        return self._arrays[name].rows

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self._arrays.values()) + self._directory.nbytes

    def catch_up(self, connection: sqlite3.Connection, position: int) -> None:
        """Reads the log on; from the start where it is shorter, as after a restore.

        Args:
            position: of the log's head, read before: a commit in between is read twice, never missed.
        """
        if position == self.seen:
            return
        if position < self.seen:
            self._begin()
        for chunk in self._changed(connection):
            self._put(chunk)
        gone = connection.execute(_GONE, (self.key, self.seen)).fetchall()
        self._kill(np.array([key for (key,) in gone], np.int64))
        self.seen = position  # last: what failed half way is read again
        self._compact_if_due()

    def _compact_if_due(self) -> None:
        is_live = self["is_live"]
        if len(is_live) > _COMPACTED_LEAST and 2 * np.count_nonzero(is_live) < len(is_live):
            for array in self._arrays.values():
                array.keep(is_live)
            self._directory.rebuild(self["key"])

    def _changed(self, connection: sqlite3.Connection) -> Iterator[dict[str, NDArray[Any]]]:
        cursor = connection.execute(_CHANGED, (self.key, self.seen, self._model))
        while chunk := cursor.fetchmany(_CHUNK_RECORDS):
            yield self._columns(dict(zip(_NAMES, zip(*chunk, strict=True), strict=True)))

    def _columns(self, found: Mapping[str, Sequence[Any]]) -> dict[str, NDArray[Any]]:
        columns: dict[str, Sequence[Any]] = {**found, "is_live": [True] * len(found["key"])}
        for name in TEXTS:
            columns[name] = list(map(self.texts[name].__getitem__, found[name]))
        for name in SCORES:
            columns[name] = [NO_SCORE if value is None else value for value in found[name]]
        moments = {
            "updated_at": instants(found["updated_at"], ALWAYS),
            "expires_at": instants(found["expires_at"], NEVER),
        }
        return {name: np.array(moments.get(name, columns[name]), of) for name, of in _DTYPES.items()}

    def _put(self, columns: Mapping[str, NDArray[Any]]) -> None:
        keys, first = columns["key"], len(self["key"])
        slots = self._directory.find(keys)
        is_new = slots == ABSENT
        known = slots[~is_new]
        for name, array in self._arrays.items():
            array.rows[known] = columns[name][~is_new]
            array.extend(columns[name][is_new])
        news = np.arange(first, first + np.count_nonzero(is_new), dtype=np.int32)
        self._directory.assign(keys[is_new], news)

    def _kill(self, keys: NDArray[np.int64]) -> None:
        slots = self._directory.find(keys)
        self["is_live"][slots[slots != ABSENT]] = False
        self._directory.assign(keys, np.full(len(keys), ABSENT, np.int32))


class CountedProjects:
    """Columns of the projects whose statistics were asked for, in the order in which they were.

    Args:
        max_bytes: columns least recently asked for are dropped beyond this; those in use always stay.
    """

    def __init__(self, reader: Callable[[], sqlite3.Connection], model: str, max_bytes: int) -> None:
        self._reader, self._model, self._max_bytes = reader, model, max_bytes
        self._projects: OrderedDict[Scope, CountedColumns] = OrderedDict()
        self._lock = threading.Lock()

    def counted(self, scope: Scope, answer: Callable[[CountedColumns], T]) -> T:
        """Answer from the columns of a project, with everything that was committed until now."""
        connection = self._reader()
        columns = self._columns(scope, project_key(connection, scope))
        try:
            with columns.lock:
                columns.catch_up(connection, log_head(connection, scope)[1])
                return answer(columns)
        finally:
            self._evict_beside(scope)

    def _columns(self, scope: Scope, key: int) -> CountedColumns:
        with self._lock:
            columns = self._projects.get(scope)
            if columns is None or columns.key != key:
                columns = self._projects[scope] = CountedColumns(key, self._model)
            self._projects.move_to_end(scope)
            return columns

    def _evict_beside(self, scope: Scope) -> None:
        with self._lock:
            total = sum(columns.nbytes for columns in self._projects.values())
            for idle in [idle for idle in self._projects if idle != scope]:
                if total <= self._max_bytes:
                    return
                total -= self._projects.pop(idle).nbytes
