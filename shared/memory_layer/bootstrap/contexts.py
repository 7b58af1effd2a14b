"""Wiring of the parts that assemble contexts: the same on either backend."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from memory_layer.ports.process import ContextPorts, Pace, Ports

if TYPE_CHECKING:
    from memory_layer.adapters.process.prefetch_thread import PrefetchThread

SWITCH_INTERVAL_S = 0.001
"""Seconds after which a thread yields: with Python's 5 ms an answer in time waits for a late one."""


class ContextRuntime:
    """Parts that assemble contexts on either backend: threads, token counters, kept contexts, telemetry.

    Args:
        models: folder of all models, for the tokenizer that comes with one; None: where it is by default.
    """

    def __init__(self, models: Path | None) -> None:
        from memory_layer.adapters.process.context_cache import ContextCache
        from memory_layer.adapters.process.timing_averages import TimingAverages
        from memory_layer.adapters.process.token_counters import TokenizerRegistry
        from memory_layer.adapters.process.worker_threads import LaneThreads

        sys.setswitchinterval(SWITCH_INTERVAL_S)
        self._lanes, self._watch, self._cache = LaneThreads(), TimingAverages(perf_counter), ContextCache()
        self._prefetch: PrefetchThread | None = None
        self.ports = ContextPorts(
            workers=self._lanes,
            counters=TokenizerRegistry(models),
            kept=self._cache,
            watch=self._watch,
            timer=perf_counter,
        )

    def add_prefetch(self) -> PrefetchThread:
        """Adds the prefetch of contexts to the ports, for a process that lives between requests."""
        from memory_layer.adapters.process.prefetch_cache import PrefetchCache
        from memory_layer.adapters.process.prefetch_thread import PrefetchThread

        cache = PrefetchCache(self._cache)
        self._prefetch = PrefetchThread(cache)
        self.ports = replace(self.ports, kept=cache, prefetch=self._prefetch)
        return self._prefetch

    def close(self) -> None:
        """Waits a moment for running work; logs the last averages."""
        if self._prefetch is not None:
            self._prefetch.close()
        self._lanes.close()
        self._watch.tell()


def begin_prefetch(ports: Ports, prefetch: PrefetchThread) -> None:
    """Begins the prefetch of contexts: with a thread and a pace of its own, and no metrics, which are of requests."""
    from memory_layer.adapters.process.prefetch_cache import ExpectedContexts
    from memory_layer.adapters.process.timing_averages import NoTimings
    from memory_layer.adapters.process.worker_threads import OwnThread
    from memory_layer.usecases.context.assemble_ahead import AheadAssembly

    own = replace(
        ports.contexts,
        workers=OwnThread(),
        kept=ExpectedContexts(prefetch.cache),
        watch=NoTimings(),
        pace=Pace(),
        prefetch=None,
    )
    prefetch.begin(AheadAssembly(ports, own), ports.turns)
