"""Sample of memories by which a project's typical cosine is measured."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.growing_array import GrowingArray
from memory_layer.domain.retrieval.abstention import SAMPLE, sample_place

_ALL_PLACES = 2**32 - 1


class ProjectSample:
    """Places of the slots' records in the order by which samples are drawn.

    Args:
        seed: `domain.retrieval.abstention.sample_seed` of the project.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._places: GrowingArray[np.uint32] = GrowingArray(np.uint32)
        self._last = _ALL_PLACES
        self.is_known = False
        """True while the sample is the one that was drawn last, and measured."""

    @property
    def nbytes(self) -> int:
        return self._places.nbytes

    def reserve(self, records: int) -> None:
        self._places.reserve(records)

    def extend(self, ids: Sequence[str], with_vector: NDArray[np.intp]) -> None:
        """Appends records for the next slots. Args: with_vector: those with a vector; the others are in no sample."""
        places = np.array([sample_place(id, self._seed) for id in ids], np.uint32)
        self._places.extend(places)
        self._note_change(places[with_vector])

    def remove(self, slots: NDArray[Any]) -> None:
        self._note_change(self._places.rows[slots])

    def keep(self, kept: NDArray[np.bool_]) -> None:
        self._places.keep(kept)

    def draw(self, slots: NDArray[Any]) -> tuple[NDArray[np.intp], list[int]]:
        """The first of these slots in the order of places, with those that tie with the last; and their places."""
        places, self._last = self._places.rows[slots], _ALL_PLACES
        if len(slots) > SAMPLE:
            self._last = int(np.partition(places, SAMPLE - 1)[SAMPLE - 1])
        drawn = np.flatnonzero(places <= self._last)
        return drawn, places[drawn].tolist()

    def _note_change(self, places: NDArray[np.uint32]) -> None:
        """Marks the sample as unknown if one of these places is, or would be, in it."""
        if self.is_known and (places <= self._last).any():
            self.is_known = False
