"""In-process event bus: one thread for work that need not delay a request."""

import logging
import queue
import threading
from collections.abc import Callable, Mapping
from typing import Any

Handler = Callable[[Mapping[str, Any]], object]

_log = logging.getLogger(__name__)


class InProcessBus:
    """Event bus in the order of publication; a handler that fails is logged and holds nothing up."""

    def __init__(self) -> None:
        self._handlers: dict[str, list[Handler]] = {}
        self._queue: queue.Queue[tuple[str, Mapping[str, Any]] | None] = queue.Queue()
        self._start = threading.Lock()
        self._thread: threading.Thread | None = None

    def subscribe(self, kind: str, handler: Handler) -> None:
        self._handlers.setdefault(kind, []).append(handler)

    def publish(self, kind: str, detail: Mapping[str, Any]) -> None:
        with self._start:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="bus", daemon=True)
                self._thread.start()
        self._queue.put((kind, detail))

    def drain(self) -> None:
        """Waits until everything published so far has been handled."""
        self._queue.join()

    def close(self, seconds: float | None = None) -> bool:
        """Handles the events published so far, then ends the thread.

        Args:
            seconds: time that they have together; None: as long as they take.

        Returns:
            False: the time was over before they were handled.
        """
        self._queue.put(None)
        if self._thread is None:
            return True
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (event := self._queue.get()) is not None:
            kind, detail = event
            for handler in self._handlers.get(kind, []):
                self._handle(handler, kind, detail)
            self._queue.task_done()
        self._queue.task_done()

    def _handle(self, handler: Handler, kind: str, detail: Mapping[str, Any]) -> None:
        try:
            handler(detail)
        except Exception:
            _log.exception("handling %s failed (%s)", kind, ", ".join(sorted(detail)))
