"""numpy for the domain and the use cases, imported when the first of its names is used.

Reading or writing one record needs no array: a function of the cloud that does only that starts without numpy.
"""

from __future__ import annotations

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

__all__ = ["NDArray", "np"]
