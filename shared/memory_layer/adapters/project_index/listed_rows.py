"""Rows of a project, those out of recall among them, to be listed in an order and counted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.filter_columns import FilterColumns, Mask
from memory_layer.adapters.project_index.id_column import IdView
from memory_layer.adapters.project_index.order_column import order_column
from memory_layer.domain.filters import Filters
from memory_layer.domain.list_order import ListOrder, OrderedId
from memory_layer.domain.retrieval.facts import DAY_US, IS_APPROVED, IS_DOUBTED, IS_PINNED
from memory_layer.ports.index import ListQuery

_EPOCH: Final = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class ListedRows:
    """Columns of n records.

    Args:
        columns: filtered fields, whose outcomes hide none.
        flags: IS_APPROVED, IS_DOUBTED and IS_PINNED of domain.retrieval.facts, shape (n,).
        use_count: shape (n,).
    """

    columns: FilterColumns
    ids: IdView
    flags: NDArray[np.uint16]
    use_count: NDArray[Any]

    def count(self, query: ListQuery) -> int:
        """Number of records that pass the filters and that the viewer may see."""
        return int(np.count_nonzero(self._asked(query)))

    def created_by_day(self, query: ListQuery) -> dict[date, int]:
        """Number of these records by the day of their creation."""
        created = self.columns.instant("created_at")[self._asked(query)]
        days, counts = np.unique(created // DAY_US, return_counts=True)
        return {
            _EPOCH + timedelta(days=day): count
            for day, count in zip(days.tolist(), counts.tolist(), strict=True)
        }

    def ordered(self, query: ListQuery, order: ListOrder, after: OrderedId | None, k: int) -> list[OrderedId]:
        """The first `k` records behind a place, in an order; what has no key comes last.

        Raises:
            Malformed: the place belongs to another order.
        """
        column = order_column(order.field, self.columns, self.use_count)
        return column.page(np.flatnonzero(self._asked(query)), self.ids, order, after, k)

    def _asked(self, query: ListQuery) -> Mask:
        filters = query.filters
        accepted = self.columns.mask(filters, query.viewer, query.now)
        for flag, wanted in (
            (IS_APPROVED, filters.is_approved),
            (IS_DOUBTED, filters.is_doubted),
            (IS_PINNED, filters.pinned),
        ):
            if wanted is not None:
                accepted = accepted & (self._has(flag) == wanted)
        return accepted & self._stands_as(filters) if filters.standing else accepted

    def _stands_as(self, filters: Filters) -> Mask:
        is_trusted = self.columns.has_text("source", "human") | self._has(IS_APPROVED)
        return np.asarray(is_trusted == (filters.standing == "trusted"))

    def _has(self, flag: int) -> Mask:
        return np.asarray(self.flags & np.uint16(flag) != 0)
