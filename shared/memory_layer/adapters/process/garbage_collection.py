"""Pace of Python's garbage collection: slower, as long as a backend is open.

A context holds some thousand records, offers and entries while it is made, and hardly a cycle among them. By itself
Python looks through them four times, and every so often through all that is kept besides: a tenth of the processor
time of a context, in which nothing is found. Counting references frees what is no longer used, as ever.
"""

import gc
import threading
from collections.abc import Callable
from typing import Final

COLLECTED_AFTER: Final = 10_000
"""Containers that are new and in use when a collection begins; Python's own number is 700 to 2,000."""


class SlowerWhileOpen:
    """Pace that all open backends of a process hold together. Python's own comes back with the last release."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._before: tuple[int, int, int] | None = None

    def hold(self) -> Callable[[], None]:
        """Has collections begin later, unless they begin later still, or not at all; returns the release."""
        with self._lock:
            self._holders += 1
            first, *others = before = gc.get_threshold()
            if self._holders == 1 and 0 < first < COLLECTED_AFTER:
                self._before = before
                gc.set_threshold(COLLECTED_AFTER, *others)
        return self._release

    def _release(self) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0 and self._before is not None:
                if gc.get_threshold()[0] == COLLECTED_AFTER:  # else somebody has set their own meanwhile
                    gc.set_threshold(*self._before)
                self._before = None


slower_collections: Final = SlowerWhileOpen()
