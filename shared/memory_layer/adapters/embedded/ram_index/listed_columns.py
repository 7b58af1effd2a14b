"""Columns of what lists and statistics of a project are counted and ordered by; they follow its log in SQLite."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index.listed_changes import NUMBERS, ChangedRows, changed_rows
from memory_layer.adapters.embedded.sqlite.project_rows import UNKNOWN_PROJECT, log_head, project_key
from memory_layer.adapters.project_index.coded_column import CodeDictionary
from memory_layer.adapters.project_index.column_statistics import GROUPS
from memory_layer.adapters.project_index.filter_columns import INSTANTS, SCORES, FilterColumns
from memory_layer.adapters.project_index.growing_array import GrowingArray
from memory_layer.adapters.project_index.id_column import IdColumn
from memory_layer.adapters.project_index.listed_rows import ListedRows
from memory_layer.adapters.project_index.slot_directory import ABSENT, SlotDirectory
from memory_layer.domain.memory import Scope

TEXTS: Final = (*GROUPS, "persona")

T = TypeVar("T")

_COMPACTED_LEAST: Final = 1_024
_CHUNK_RECORDS: Final = 4_096
_GONE: Final = "SELECT memory_key FROM tombstones WHERE project_key = ?1 AND log_position > ?2"


class ListedColumns:
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
        self._filters = FilterColumns(hides_failures=False)
        self._ids = IdColumn()
        self._directory = SlotDirectory()
        types = {name: of for name, (of, _) in NUMBERS.items()} | {"is_embedded": "?"}
        self._arrays: dict[str, GrowingArray[Any]] = {name: GrowingArray(of) for name, of in types.items()}

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Column of all records, texts as codes; those without `is_live` are gone."""
        if name in self._arrays:
            return self._arrays[name].rows
        if name in SCORES:
            return self._filters.score(name)
        if name in INSTANTS:
            return self._filters.instant(name)
        return self._filters.live if name == "is_live" else self._filters.text(name)[1]

    @property
    def texts(self) -> Mapping[str, CodeDictionary]:
        """Codes of the texts of each coded column."""
        return {name: self._filters.text(name)[0] for name in TEXTS}

    @property
    def listed(self) -> ListedRows:
        """Rows to list, as they are now."""
        return ListedRows(self._filters, self._ids.view, self["flags"], self["use_count"])

    @property
    def nbytes(self) -> int:
        arrays = sum(array.nbytes for array in self._arrays.values())
        return arrays + self._filters.nbytes + self._ids.nbytes + self._directory.nbytes

    def catch_up(self, connection: sqlite3.Connection, position: int) -> None:
        """Reads the log on; from the start where it is shorter, as after a restore.

        Args:
            position: of the log's head, read before: a commit in between is read twice, never missed.
        """
        if position == self.seen:
            return
        if position < self.seen:
            self._begin()
        for rows in changed_rows(connection, self.key, self.seen, _CHUNK_RECORDS):
            with self._empty_on_failure():
                self._put(rows)
        gone = connection.execute(_GONE, (self.key, self.seen)).fetchall()
        self._kill(np.array([key for (key,) in gone], np.int64))
        self.seen = position  # last: what failed half way is read again
        self._compact_if_due()

    @contextmanager
    def _empty_on_failure(self) -> Iterator[None]:
        """Drops all columns if some have rows that others lack; the next question reads them anew."""
        try:
            yield
        except BaseException:
            self._begin()
            raise

    def _compact_if_due(self) -> None:
        is_live = self["is_live"].copy()
        if len(is_live) > _COMPACTED_LEAST and 2 * np.count_nonzero(is_live) < len(is_live):
            self._compact(is_live)
        elif self._filters.is_mostly_dropped:
            self._filters.renumber(np.arange(len(is_live), dtype=np.int32))

    def _compact(self, is_live: NDArray[np.bool_]) -> None:
        for array in self._arrays.values():
            array.keep(is_live)
        self._ids.keep(is_live)
        self._filters.renumber(np.where(is_live, np.cumsum(is_live) - 1, ABSENT).astype(np.int32))
        self._directory.rebuild(self["key"])

    def _put(self, changed: ChangedRows) -> None:
        is_embedded = np.array([name == self._model for name in changed.models], np.bool_)
        numbers, filters = {**changed.numbers, "is_embedded": is_embedded}, changed.filters
        keys, first = numbers["key"], len(self["key"])
        slots = self._directory.find(keys)
        is_new = slots == ABSENT
        known, new = np.flatnonzero(~is_new), np.flatnonzero(is_new)
        for name, array in self._arrays.items():
            array.rows[slots[known]] = numbers[name][known]
            array.extend(numbers[name][new])
        if len(known):  # taking encodes the texts of all the rows
            self._filters.replace(slots[known], filters.take(known))
        self._filters.extend(filters if len(new) == len(keys) else filters.take(new))
        self._ids.extend([changed.ids[row] for row in new.tolist()])
        self._directory.assign(keys[new], np.arange(first, first + len(new), dtype=np.int32))

    def _kill(self, keys: NDArray[np.int64]) -> None:
        slots = self._directory.find(keys)
        self._filters.kill(slots[slots != ABSENT])
        self._directory.assign(keys, np.full(len(keys), ABSENT, np.int32))


class ListedProjects:
    """Columns of the projects whose lists or statistics were asked for, in the order in which they were.

    Args:
        max_bytes: columns least recently asked for are dropped beyond this; those in use always stay.
    """

    def __init__(self, reader: Callable[[], sqlite3.Connection], model: str, max_bytes: int) -> None:
        self._reader, self._model, self._max_bytes = reader, model, max_bytes
        self._projects: OrderedDict[Scope, ListedColumns] = OrderedDict()
        self._lock = threading.Lock()

    def answered(self, scope: Scope, answer: Callable[[ListedColumns], T]) -> T:
        """Answer from the columns of a project, with everything that was committed until now."""
        connection = self._reader()
        columns = self._columns(scope, project_key(connection, scope))
        try:
            with columns.lock:
                columns.catch_up(connection, log_head(connection, scope)[1])
                return answer(columns)
        finally:
            self._evict_beside(scope)

    def _columns(self, scope: Scope, key: int) -> ListedColumns:
        if key == UNKNOWN_PROJECT:
            return ListedColumns(key, self._model)
        with self._lock:
            columns = self._projects.get(scope)
            if columns is None or columns.key != key:
                columns = self._projects[scope] = ListedColumns(key, self._model)
            self._projects.move_to_end(scope)
            return columns

    def _evict_beside(self, scope: Scope) -> None:
        with self._lock:
            total = sum(columns.nbytes for columns in self._projects.values())
            for idle in [idle for idle in self._projects if idle != scope]:
                if total <= self._max_bytes:
                    return
                total -= self._projects.pop(idle).nbytes
