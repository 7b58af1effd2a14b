"""Presence of the index before anything is written: a deployment's first, or an empty one where it was lost.

A mark in the table says that there was one. Without it a lost domain that comes back empty would look like a new
deployment, and recalls would miss, without a word, all that is older.
"""

from collections.abc import Callable
from typing import Any

from memory_layer.adapters.aws.integrity.rebuild import first_index
from memory_layer.adapters.aws.search.aliases import IndexNames, WriteTarget
from memory_layer.adapters.aws.search.opensearch_client import IndexMissing
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.records_table import RecordsTable


class IndexMark:
    """Mark that the records of this table once were in an index."""

    def __init__(self, table: RecordsTable) -> None:
        self._table = table

    def is_there(self) -> bool:
        """Reads the mark. Raises: StoreUnavailable."""
        return self._table.get(keys.index_mark_key()) is not None

    def leave(self) -> None:
        """Writes the mark. Raises: StoreUnavailable."""
        self._table.put({**keys.index_mark_key(), "kind": {"S": "index mark"}})


class WrittenIndexes:
    """Indexes that the projector writes to.

    Args:
        body: of the first index, `manifest.index.index_body`.
    """

    def __init__(self, names: IndexNames, body: Callable[[], dict[str, Any]], mark: IndexMark) -> None:
        self._names = names
        self._body = body
        self._mark = mark
        self._is_marked = False

    def ensure(self) -> str:
        """Returns the index that is searched, or that will be once a rebuild has filled it.

        Raises:
            IndexUnavailable, StoreUnavailable
        """
        name = first_index(self._names, self._body(), was_built=self._mark.is_there())
        self._mark.leave()
        self._is_marked = True
        return name

    def targets(self) -> list[WriteTarget]:
        """Indexes that are written to now; the first one where there is none.

        Raises:
            IndexUnavailable: the domain does not answer, or the table, which knows whether there was one.
        """
        try:
            found = self._names.targets()
        except IndexMissing:
            self.ensure()
            return self._names.targets()
        if not self._is_marked:
            self._mark.leave()
            self._is_marked = True
        return found
