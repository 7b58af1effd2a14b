"""Column that lists are ordered by: numbers that sort as the keys do, and the page that follows a place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.filter_columns import NO_SCORE, FilterColumns
from memory_layer.adapters.project_index.id_column import IdView
from memory_layer.domain.list_order import ListOrder, OrderedId, OrderField, OrderKey, worth
from memory_layer.domain.retrieval.facts import NEVER
from memory_layer.errors import Malformed

_LAST: Final = 2**63 - 1
_NO_TEXT: Final = -1
_HALF_WORD: Final = 2**15


@dataclass(frozen=True, slots=True)
class OrderColumn:
    """Column of n records that a list is ordered by.

    Args:
        numbers: integers or floats that sort as the keys do, shape (n,); of texts their places in `texts`.
        absent: number of what has no key.
        texts: in order; None: the numbers are the keys.
    """

    numbers: NDArray[Any]
    absent: int | None = None
    texts: Sequence[str] | None = None

    def page(
        self, rows: NDArray[Any], ids: IdView, order: ListOrder, after: OrderedId | None, k: int
    ) -> list[OrderedId]:
        """The first `k` of these rows behind a place; equal keys by id, what has no key last, either way.

        An order that is read from its end has all of that backwards.

        Raises:
            Malformed: the place belongs to another order.
        """
        ids = ids.backwards if order.is_from_end else ids
        places = self._places(rows, order)
        if after is not None:
            behind = self._behind(rows, places, ids, order, after)
            rows, places = rows[behind], places[behind]
        if len(rows) > k:
            rows, places = _first(rows, places, ids, k)
        rows = rows[np.lexsort((ids.places(rows), places))]
        keys = map(self._key, self.numbers[rows].tolist())
        return [OrderedId(key, id) for key, id in zip(keys, ids.of(rows), strict=True)]

    def _places(self, rows: NDArray[Any], order: ListOrder) -> NDArray[Any]:
        """Numbers that sort as the list does, but for equal keys."""
        numbers = self.numbers[rows]
        places = np.asarray(-numbers if order.goes_down else numbers)
        if self.absent is None:
            return places
        return np.where(numbers == self.absent, _place_of_none(order), places)

    def _behind(
        self, rows: NDArray[Any], places: NDArray[Any], ids: IdView, order: ListOrder, after: OrderedId
    ) -> NDArray[np.intp]:
        place = self._place_of(after.key, order)
        tied = np.flatnonzero(places == place)
        tied = tied[ids.are_behind(rows[tied], after.id)]
        return np.concatenate((np.flatnonzero(places > place), tied))

    def _place_of(self, key: OrderKey, order: ListOrder) -> float:
        if key is None:
            return _place_of_none(order)
        number = self._number_of(key)
        return -number if order.goes_down else number

    def _number_of(self, key: str | float) -> float:
        """Number of a key; of a text that no record has any more, one between its neighbours."""
        if isinstance(key, str) is (self.texts is None):
            raise Malformed("the cursor belongs to another order; start again without one")
        if not isinstance(key, str) or self.texts is None:
            return key  # type: ignore[return-value]
        at = bisect_left(self.texts, key)
        return at if self.texts[at : at + 1] == [key] else at - 0.5

    def _key(self, number: float) -> OrderKey:
        if number == self.absent:
            return None
        return number if self.texts is None else self.texts[int(number)]


def _place_of_none(order: ListOrder) -> int:
    """Place of what has no key."""
    return -_LAST if order.is_from_end else _LAST


def _first(
    rows: NDArray[Any], places: NDArray[Any], ids: IdView, k: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The first `k` rows with their places, unordered."""
    last = np.partition(places, k - 1)[k - 1]
    is_sure = places < last
    tied = ids.first_slots(rows[places == last], k - int(np.count_nonzero(is_sure)))
    first = np.concatenate((places[is_sure], np.full(len(tied), last)))
    return np.concatenate((rows[is_sure], tied)), first


def order_column(field: OrderField, columns: FilterColumns, use_count: NDArray[Any]) -> OrderColumn:
    """Column that an order needs, of every slot. Args: use_count: shape (n,)."""
    if field == "worth":
        return OrderColumn(_worths(columns.score("confidence"), columns.score("success_rate"), use_count))
    if field == "use_count":
        return OrderColumn(use_count.astype(np.int64))
    if columns.is_text(field):
        names, codes = columns.text(field)
        return _text_column(list(names), codes)
    if columns.is_score(field):
        return OrderColumn(columns.score(field).astype(np.int64), NO_SCORE)
    return OrderColumn(columns.instant(field), NEVER)


def _text_column(names: Sequence[str | None], codes: NDArray[Any]) -> OrderColumn:
    texts = sorted(name for name in names if name is not None)
    places = {text: place for place, text in enumerate(texts)}
    numbers = np.array([_NO_TEXT if name is None else places[name] for name in names], np.int64)
    return OrderColumn(numbers[codes], _NO_TEXT, texts)


def _worths(
    confidence: NDArray[np.int16], success: NDArray[np.int16], use_count: NDArray[Any]
) -> NDArray[np.float64]:
    """Worth of every record, in floats of the domain's own making: worked out once for all that are alike."""
    packed = use_count.astype(np.int64) << 32
    packed |= (success.astype(np.int64) + _HALF_WORD) << 16
    packed |= confidence.astype(np.int64) + _HALF_WORD
    distinct, rows = np.unique(packed, return_inverse=True)
    return np.fromiter(map(_worth, distinct.tolist()), np.float64, len(distinct))[rows]


@lru_cache(65_536)
def _worth(packed: int) -> float:
    success = (packed >> 16 & 0xFFFF) - _HALF_WORD
    confidence = (packed & 0xFFFF) - _HALF_WORD
    return worth(confidence / 1000, None if success == NO_SCORE else success / 1000, packed >> 32)
