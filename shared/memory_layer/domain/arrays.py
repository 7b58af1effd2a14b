"""numpy for the domain and the use cases, imported when the first of its names is used.

Reading or writing one record needs no array: a function of the cloud that does only that starts without numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:

    class _LateNumpy:
        """Stands for the module; a name is looked up there once and kept here."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            value = getattr(numpy, name)
            setattr(self, name, value)
            return value

    np: Final = _LateNumpy()
    NDArray = Any  # in annotations only, which are never evaluated

__all__ = ["NDArray", "joined_rows", "kth_highest", "np", "places_of", "true_rows"]


def joined_rows(tables: Sequence[NDArray[np.void]]) -> NDArray[np.void]:
    """Rows of several tables of one structured dtype, end to end; as bytes, since numpy would compare every field."""
    row = np.dtype((np.void, tables[0].dtype.itemsize))
    return np.concatenate([table.view(row) for table in tables]).view(tables[0].dtype)


def places_of(keys: Sequence[Any]) -> NDArray[np.intp]:
    """Place of each key in the order of all of them; shape (len(keys),)."""
    places = np.empty(len(keys), np.intp)
    places[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return places


def kth_highest(values: NDArray[Any], k: int) -> Any:
    """The `k`-th highest of n values; 1 <= k <= n. `numpy.partition` takes longer to find its way than to do it."""
    ordered = values.copy()
    ordered.partition(-k)
    return ordered[-k]


def true_rows(mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Rows where a mask is true, ascending; `numpy.flatnonzero` takes twice as long for some hundreds."""
    return mask.nonzero()[0]
