"""Catalogue of a project: all its records, those out of recall among them, to be listed in an order and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.aws.segments.segment_rows import SegmentRows
from memory_layer.adapters.project_index.coded_column import CodeDictionary, CodedValues
from memory_layer.adapters.project_index.column_statistics import GROUPS, project_stats
from memory_layer.adapters.project_index.filter_columns import FilterColumns
from memory_layer.adapters.project_index.id_column import IdColumn
from memory_layer.adapters.project_index.listed_rows import ListedRows
from memory_layer.domain.access import Viewer
from memory_layer.domain.list_order import ListOrder, OrderedId
from memory_layer.domain.memory import Tier
from memory_layer.domain.retrieval.facts import IS_PINNED, microseconds
from memory_layer.ports.index import ListQuery, ProjectStats

_TEXTS: Final = (*GROUPS, "persona")

Mask = NDArray[np.bool_]


class ProjectCatalog:
    """Catalogue of the rows of a project. Args: model: whose vectors count."""

    def __init__(self, rows: SegmentRows, model: str) -> None:
        self._rows = rows
        self._model = model
        self._listed = _listed(rows)

    def count(self, query: ListQuery) -> int:
        """Number of records that pass the filters and that the viewer may see."""
        return self._listed.count(query)

    def created_by_day(self, query: ListQuery) -> dict[date, int]:
        """Number of these records by the day of their creation."""
        return self._listed.created_by_day(query)

    def ordered(self, query: ListQuery, order: ListOrder, after: OrderedId | None, k: int) -> list[OrderedId]:
        """The first `k` records behind a place, in an order; what has no key comes last."""
        return self._listed.ordered(query, order, after, k)

    def stats(self, viewer: Viewer, now: datetime) -> ProjectStats:
        """Statistics of the records that a viewer sees."""
        return project_stats(self._counted, self._ids_of, viewer, now)

    def unembedded(self, after: str, k: int) -> list[str]:
        """The first `k` ids after this one, in order, of records that name no model, or another one."""
        return self._first(~self._rows.is_of(self._model), after, k)

    def settled(self, tier: Tier, since: datetime | None, until: datetime, after: str, k: int) -> list[str]:
        """The first `k` ids after this one of unpinned records of a tier, since <= updated_at < until."""
        batch = self._rows.batch
        updated = batch.filters.instants["updated_at"]
        tiers = batch.filters.texts["tier"]
        is_of = np.array([name == tier for name in tiers.values], np.bool_)[tiers.rows]
        is_due = is_of & (updated < microseconds(until)) & (batch.facts["flags"] & IS_PINNED == 0)
        return self._first(is_due if since is None else is_due & (updated >= microseconds(since)), after, k)

    def _first(self, wanted: Mask, after: str, k: int) -> list[str]:
        ids = self._rows.batch.ids
        return sorted(id for row in np.flatnonzero(wanted).tolist() if (id := ids[row]) > after)[:k]

    def _ids_of(self, keys: Sequence[int]) -> list[tuple[int, str]]:
        batch = self._rows.batch
        rows = np.flatnonzero(np.isin(batch.keys, np.array(keys, np.int64))).tolist()
        return [(int(batch.keys[row]), batch.ids[row]) for row in rows]

    @cached_property
    def _counted(self) -> _CountedColumns:
        batch, texts = self._rows.batch, dict[str, CodeDictionary]()
        columns: dict[str, NDArray[Any]] = {
            "key": batch.keys,
            **batch.filters.scores,
            **batch.filters.instants,
            **self._rows.sizes,
            "use_count": batch.facts["use_count"],
            "is_embedded": self._rows.is_of(self._model),
            "is_live": np.ones(len(batch.keys), np.bool_),
        }
        for name in _TEXTS:
            texts[name], columns[name] = _coded(batch.filters.texts[name])
        texts["status"]["archived"]  # expired records count as such, whether or not one is stored so
        return _CountedColumns(texts, columns)


@dataclass(frozen=True, slots=True)
class _CountedColumns:
    texts: Mapping[str, CodeDictionary]
    columns: Mapping[str, NDArray[Any]]

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]


def _listed(rows: SegmentRows) -> ListedRows:
    columns, ids = FilterColumns(hides_failures=False), IdColumn()
    columns.extend(rows.batch.filters)
    ids.extend(rows.batch.ids)
    return ListedRows(columns, ids.view, rows.batch.facts["flags"], rows.batch.facts["use_count"])


def _coded(column: CodedValues[str | None]) -> tuple[CodeDictionary, NDArray[np.int64]]:
    dictionary = CodeDictionary()
    codes = np.array([dictionary[value] for value in column.values], np.int64)
    return dictionary, codes[column.rows]
