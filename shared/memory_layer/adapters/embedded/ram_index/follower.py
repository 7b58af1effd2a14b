"""Follower of this process's writes: brings projects in RAM up to date behind them, before the next search does.

It reads the log as a search does, which stays the only way into the index: what a writer says is a hint of where to
look, never what is there. To bring the index up to date by one record takes as long as ten records, most of it in
building columns and a tenth in reading the rows back.
"""

import logging
import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

from memory_layer.domain.memory import Scope

QUIET_S: Final = 0.002
"""Seconds without a write after which it begins: writes that come one after the other are taken together."""

LATEST_S: Final = 0.05
"""Seconds after which it begins though writes go on, and between two beginnings: writes in a row are taken together."""

CLOSE_S: Final = 1.0
"""Seconds that the end of the process waits for a project that is being brought up to date."""

_log = logging.getLogger(__name__)


class Follower:
    """Thread that follows the log of projects that somebody has searched.

    Args:
        follow: brings a project up to date, if it is in RAM.
    """

    def __init__(self, follow: Callable[[Scope], None]) -> None:
        self._follow = follow
        self._changed = threading.Condition()
        self._written: dict[Scope, None] = {}
        self._notes = 0
        self._is_working = False
        self._is_closed = False
        self._began_at = -LATEST_S
        self._thread: threading.Thread | None = None

    def note(self, scope: Scope) -> None:
        """Takes note of a project that was written to."""
        with self._changed:
            if self._is_closed:
                return
            self._written[scope] = None
            self._notes += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="index follower", daemon=True)
                self._thread.start()
            elif not self._is_working and self._notes == 1:
                self._changed.notify_all()

    def drain(self) -> None:
        """Waits until all that was noted so far is followed."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or not (self._written or self._is_working))

    def close(self) -> None:
        """Follows no more; what is left is read by the next process."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(CLOSE_S)

    def _run(self) -> None:
        while scopes := self._next():
            for scope in scopes:
                self._take(scope)
            with self._changed:
                self._is_working = False
                self._changed.notify_all()

    def _next(self) -> list[Scope]:
        """The projects written to, once no more writes come; none: the process ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or bool(self._written))
            self._await_quiet()
            self._began_at = monotonic()
            scopes, self._written, self._notes = list(self._written), {}, 0
            self._is_working = not self._is_closed
            return [] if self._is_closed else scopes

    def _await_quiet(self) -> None:
        rest = self._began_at + LATEST_S - monotonic()
        if rest > 0:
            self._changed.wait_for(lambda: self._is_closed, rest)
            return
        for _ in range(round(LATEST_S / QUIET_S)):
            notes = self._notes
            self._changed.wait(QUIET_S)
            if self._is_closed or self._notes == notes:
                return

    def _take(self, scope: Scope) -> None:
        try:
            self._follow(scope)
        except Exception as error:  # whatever it is: the next search meets it, and tells
            _log.debug("the index of %s does not follow: %s", scope.project, error)
