"""Threads of numpy's BLAS: one, as long as a backend is open.

By itself it takes all cores for a product of 100 vectors with each other, and then keeps them busy waiting for the
next one: half the processor time of a context, in which nothing is done. Its number of threads belongs to the whole
process, not to a thread, so that a limit around each product would take effect on the products of others at moments
nobody foresees; this one begins with the first backend, ends with the last, and costs a product nothing.
"""

import os
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from memory_layer.manifest import env

SAID_BY: Final = (env.BLAS_THREADS, "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""Variables by which somebody has said how many; then that counts."""

BLAS: Final = "blas"


class OneThreadWhileOpen:
    """Limit that all open backends of a process hold together. Its threads come back with the last release."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._limit: Any = None

    def hold(self, environ: Mapping[str, str] = os.environ) -> Callable[[], None]:
        """Limits BLAS to one thread, unless the environment says how many; returns the release."""
        if any(environ.get(name) for name in SAID_BY):
            return _nothing
        with self._lock:
            self._holders += 1
            if self._limit is None:
                self._limit = _limited()
        return self._release

    def _release(self) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                self._limit.restore_original_limits()
                self._limit = None


def _limited() -> Any:
    import numpy  # noqa: F401 its BLAS has to be there to be limited
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, user_api=BLAS)


def _nothing() -> None:
    """Releases what was not held."""


one_blas_thread: Final = OneThreadWhileOpen()
