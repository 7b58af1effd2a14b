"""Catalogue of a project: all its records, those out of recall among them, to be listed in an order and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.aws.segments.segment_rows import SegmentRows
from memory_layer.adapters.aws.table.keys import DAY_MICROSECONDS, EPOCH
from memory_layer.adapters.project_index.coded_column import CodeDictionary, CodedValues
from memory_layer.adapters.project_index.column_statistics import GROUPS, project_stats
from memory_layer.adapters.project_index.filter_columns import NO_SCORE, FilterColumns
from memory_layer.domain.access import Viewer
from memory_layer.domain.list_order import ListOrder, OrderedId, OrderKey, worth
from memory_layer.domain.memory import Tier
from memory_layer.domain.retrieval.facts import IS_PINNED, NEVER, is_trusted, microseconds, pinned_as
from memory_layer.ports.index import ListQuery, ProjectStats

_TEXTS: Final = (*GROUPS, "persona")

Mask = NDArray[np.bool_]


class ProjectCatalog:
    """Catalogue of the rows of a project. Args: model: whose vectors count."""

    def __init__(self, rows: SegmentRows, model: str) -> None:
        self._rows = rows
        self._model = model
        self._columns = FilterColumns()
        self._columns.extend(_as_listed(rows))

    def count(self, query: ListQuery) -> int:
        """Number of records that pass the filters and that the viewer may see."""
        return int(np.count_nonzero(self._asked(query)))

    def created_by_day(self, query: ListQuery) -> dict[date, int]:
        """Number of these records by the day of their creation."""
        created = self._rows.batch.filters.instants["created_at"][self._asked(query)]
        days, counts = np.unique(created // DAY_MICROSECONDS, return_counts=True)
        return {
            (EPOCH + timedelta(days=day)).date(): count
            for day, count in zip(days.tolist(), counts.tolist(), strict=True)
        }

    def ordered(self, query: ListQuery, order: ListOrder, after: OrderedId | None, k: int) -> list[OrderedId]:
        """The first `k` records behind a place, in an order; what has no key comes last."""
        rows = np.flatnonzero(self._asked(query)).tolist()
        keys = self._order_keys(order.field)
        places = [OrderedId(keys[row], self._rows.batch.ids[row]) for row in rows]
        known = sorted((place for place in places if place.key is not None), key=lambda place: place.id)
        known.sort(key=lambda place: place.key, reverse=order.is_descending)  # type: ignore[arg-type,return-value]
        unknown = sorted((place for place in places if place.key is None), key=lambda place: place.id)
        listed = [*known, *unknown]
        return [place for place in listed if after is None or _is_behind(place, after, order)][:k]

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

    def _asked(self, query: ListQuery) -> Mask:
        filters, facts = query.filters, self._rows.batch.facts
        accepted = self._columns.mask(filters, query.viewer, query.now)
        if filters.standing is not None:
            accepted = accepted & (is_trusted(facts) == (filters.standing == "trusted"))
        return accepted if filters.pinned is None else accepted & pinned_as(facts, filters.pinned)

    def _order_keys(self, field: str) -> Sequence[OrderKey]:
        filters, facts = self._rows.batch.filters, self._rows.batch.facts
        if field in filters.texts:
            texts = filters.texts[field]
            return [texts.values[row] for row in texts.rows.tolist()]
        if field in filters.scores:
            return [None if score == NO_SCORE else score for score in filters.scores[field].tolist()]
        if field in filters.instants:
            return [None if moment == NEVER else moment for moment in filters.instants[field].tolist()]
        uses = facts["use_count"].tolist()
        return uses if field == "use_count" else self._worth(uses)

    def _worth(self, uses: Sequence[int]) -> list[float]:
        scores = self._rows.batch.filters.scores
        return [
            worth(confidence / 1000, None if success == NO_SCORE else success / 1000, used)
            for confidence, success, used in zip(
                scores["confidence"].tolist(), scores["success_rate"].tolist(), uses, strict=True
            )
        ]

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


def _as_listed(rows: SegmentRows) -> Any:
    """Filtered fields of rows, whose outcomes hide none: they keep records from recalls, not from lists."""
    filters = rows.batch.filters
    return replace(filters, scores={**filters.scores, "outcome_score": np.zeros(len(rows), np.int16)})


def _coded(column: CodedValues[str | None]) -> tuple[CodeDictionary, NDArray[np.int64]]:
    dictionary = CodeDictionary()
    codes = np.array([dictionary[value] for value in column.values], np.int64)
    return dictionary, codes[column.rows]


def _is_behind(place: OrderedId, after: OrderedId, order: ListOrder) -> bool:
    if place.key is None or after.key is None:
        return place.key is None and (after.key is not None or place.id > after.id)
    if place.key == after.key:
        return place.id > after.id
    return bool((place.key < after.key) == order.is_descending)  # type: ignore[operator]
