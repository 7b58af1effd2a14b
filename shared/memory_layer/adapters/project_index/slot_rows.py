"""Rows of candidate tables that are slots of a project in RAM."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.filter_columns import StandingView
from memory_layer.adapters.project_index.hash_lists import HashListView
from memory_layer.adapters.project_index.id_column import IdView
from memory_layer.adapters.project_index.vector_matrix import VectorView
from memory_layer.domain.arrays import true_rows
from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.candidates import MentionHash, RecordTable

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.facts import Facts

_KEPT_STANDINGS: Final = 4
"""Masks whose slots in the best standing are kept: prompts ask for the same ones each time."""

_SORTED_TOGETHER: Final = 1024
"""Most slots of a group that are sorted whole; of a larger one the best are picked first."""


@dataclass(frozen=True, slots=True)
class SlotRows:
    """View of the columns that tell of records: appends and compactions leave it alone.

    Args:
        vectors: of the contents that have one.
    """

    scope: Scope
    keys: NDArray[np.int64]
    facts: Facts
    id_view: IdView
    mentions: HashListView
    vectors: VectorView
    _kept: dict[tuple[int, int], tuple[NDArray[np.bool_], NDArray[Any]]] = field(
        default_factory=dict, init=False, compare=False
    )

    def ids(self, handles: NDArray[np.int64]) -> list[str]:
        return self.id_view.of(handles)

    def places(self, handles: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        return self.id_view.places(handles)

    def mention_hashes(self, handles: NDArray[np.int64]) -> list[list[MentionHash]]:
        return [self.mentions.of(slot) for slot in handles.tolist()]

    def lack_vectors(self, handles: NDArray[np.int64]) -> NDArray[np.bool_]:
        embedded = self.vectors.slots
        if len(embedded) == len(self.keys):  # as nearly always
            return np.zeros(len(handles), np.bool_)
        at = np.searchsorted(embedded, handles)
        return np.asarray(np.append(embedded, -1)[at] != handles)

    def contents(self, handles: NDArray[np.int64]) -> NDArray[np.float64]:
        has_vector = true_rows(~self.lack_vectors(handles))
        stored = self.vectors.stored_rows(np.searchsorted(self.vectors.slots, handles[has_vector]))
        found = np.full((len(handles), stored.shape[1]), np.nan)
        found[has_vector] = stored
        return found

    def table(self, slots: NDArray[Any]) -> RecordTable:
        """Table of the records in these slots, in their order."""
        return RecordTable(
            (self.scope,),
            (self,),
            np.zeros(len(slots), np.int8),
            slots.astype(np.int64),
            self.keys[slots],
            self.facts.take(slots),
        )

    def first_in_standing(self, standing: StandingView, accepted: NDArray[np.bool_], k: int) -> NDArray[Any]:
        """`in_standing` of a mask that does not change, kept for as long as no record does.

        The mask is kept beside the slots: meanwhile no other has its id.
        """
        kept = self._kept.get((id(accepted), k))
        if kept is None:
            kept = accepted, self.in_standing(standing, np.flatnonzero(accepted), k)
            if len(self._kept) >= _KEPT_STANDINGS:
                self._kept.clear()
            self._kept[id(accepted), k] = kept
        return kept[1]

    def in_standing(self, standing: StandingView, slots: NDArray[Any], k: int) -> NDArray[Any]:
        """The `k` of these slots with the highest scores, best first, equal ones by id."""
        if k < 1 or not len(slots):
            return slots[:0]
        values = standing.of(slots)
        if len(slots) > k:
            worst = np.partition(values, -k)[-k]
            tied = self.id_view.first_slots(slots[values == worst], k - int(np.count_nonzero(values > worst)))
            slots = np.concatenate((slots[values > worst], tied))
            values = standing.of(slots)
        return slots[np.lexsort((self.id_view.places(slots), -values))]

    def best_of_each(
        self, standing: StandingView, groups: NDArray[np.int64], slots: NDArray[Any], k: int
    ) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """The `k` slots of each group with the highest scores, group after group; and these groups."""
        for large in true_rows(np.bincount(groups) > _SORTED_TOGETHER):
            is_in = groups == large
            best = self.in_standing(standing, slots[is_in], k)
            slots = np.concatenate((slots[~is_in], best))
            groups = np.concatenate((groups[~is_in], np.full(len(best), large)))
        order = np.lexsort((self.id_view.places(slots), -standing.of(slots), groups))
        groups, slots = groups[order], slots[order]
        is_best = np.arange(len(groups)) - np.searchsorted(groups, groups) < k
        return groups[is_best], slots[is_best]
