"""Progress bar on stderr for work that takes over a second, if somebody is looking."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

SHOWN_AFTER_S = 1.0


class Gauge:
    """Progress of a piece of work, shown once that takes long.

    Args:
        what: name of the work on the bar.
        shows: there is a terminal to show it on.
    """

    def __init__(self, what: str, *, shows: bool) -> None:
        self._what = what
        self.shows = shows
        self._began_s = monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __call__(self, done: int, total: int) -> None:
        if not self.shows or (self._bar is None and monotonic() - self._began_s < SHOWN_AFTER_S):
            return
        if self._bar is None or self._task is None:
            self._bar = _bar()
            self._task = self._bar.add_task(self._what, total=None)
            self._bar.start()
        self._bar.update(self._task, completed=done, total=total if total > done else None)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


@contextmanager
def progress(what: str) -> Iterator[Gauge]:
    """Callback through which a use case reports its progress. The bar is gone when the work is done."""
    gauge = Gauge(what, shows=sys.stderr.isatty())
    try:
        yield gauge
    finally:
        gauge.close()
