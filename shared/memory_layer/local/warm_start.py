"""Warm start of `mem serve`: what the first requests would wait for is loaded behind the ready line."""

import gc
import logging
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Viewer
from memory_layer.errors import EmbedderUnavailable, Invalid, Unavailable
from memory_layer.usecases.context.assemble_in_time import DEFAULT_TOKENIZER

PROJECTS_MAX: Final = 8
"""Projects that are loaded, those of the last recalls; the others at their first recall, as they would anyway."""

CLOSE_S: Final = 5.0
"""Seconds that a stop waits for the project that is being loaded."""

_log = logging.getLogger(__name__)


class WarmStart:
    """Thread that loads the routes, the model, the projects used last, the parts of contexts, and the last one's list.

    Args:
        load_routes: called first; what it loads stays, so that no collection of garbage looks through it.
        once_failed: called where the routes cannot be loaded; nothing else is loaded then.
        once_loaded: called when they are.
        once_warm: called last, if the model is there.
        beside: called at once, in a thread of its own.
    """

    def __init__(
        self,
        backend: EmbeddedBackend,
        *,
        load_routes: Callable[[], object] = lambda: None,
        once_failed: Callable[[], None] = lambda: None,
        once_loaded: Callable[[], None] = lambda: None,
        once_warm: Callable[[], None] = lambda: None,
        beside: Callable[[], object] = lambda: None,
    ) -> None:
        self._backend = backend
        self._load_routes = load_routes
        self._once_failed = once_failed
        self._once_loaded = once_loaded
        self._once_warm = once_warm
        self.has_failed = False
        self._has_model = False
        self._is_over = threading.Event()
        self._beside = threading.Thread(
            target=self._take, args=(beside,), name="beside the warm start", daemon=True
        )
        self._thread = threading.Thread(target=self._run, name="warm start", daemon=True)

    def start(self) -> None:
        self._beside.start()
        self._thread.start()

    def close(self) -> None:
        """Loads no more, and waits for what is being loaded: the store is about to be closed."""
        self._is_over.set()
        for thread in (self._beside, self._thread):
            if thread.is_alive():
                thread.join(CLOSE_S / 2)

    def _run(self) -> None:
        try:
            self._load_routes()
        except Exception:
            _log.exception("the routes cannot be loaded; the server ends")
            self.has_failed = True
            self._once_failed()
            return
        finally:
            gc.freeze()
            gc.enable()
        loaded = self._load_model, self._load_projects, self._load_for_contexts, self._load_list
        for step in (self._once_loaded, *loaded):
            self._take(step)
        gc.freeze()  # what is loaded stays, and no answer waits to look through it
        if self._has_model:
            self._take(self._once_warm)

    def _take(self, step: Callable[[], object]) -> None:
        try:
            if not self._is_over.is_set():
                step()
        except Exception:  # whatever it is: a request that needs it says so itself
            _log.exception("the server starts cold")

    def _load_model(self) -> None:
        try:
            self._backend.ports.embedder.embed(["ready"])
            self._has_model = True
        except EmbedderUnavailable as error:
            print(f"No embedding model: {error.detail}", file=sys.stderr)
            print("Serving all the same: recall is lexical, degraded: true.", file=sys.stderr)

    def _load_projects(self) -> None:
        for scope in self._backend.recent_projects(PROJECTS_MAX):
            if not self._is_over.is_set():
                with suppress(Unavailable):  # a recall of this project tells
                    self._backend.ports.index.tags((scope,))  # any question loads it

    def _load_for_contexts(self) -> None:
        """Loads the parts of a context, which could take longer than the time of the first one."""
        import memory_layer.domain.context.assembly  # noqa: F401 it loads numpy

        with suppress(Invalid):
            self._backend.ports.contexts.counters(DEFAULT_TOKENIZER)(["ready"])

    def _load_list(self) -> None:
        """Loads what the first list of the console would wait for: seconds, at 100,000 memories."""
        ports = self._backend.ports
        for scope in self._backend.recent_projects(1):
            with suppress(Unavailable):  # a list of this project tells
                ports.index.stats(scope, Viewer(), now=ports.clock.now())
