"""Wiring of the parts that assemble contexts: the same on either backend."""

import sys
from pathlib import Path
from time import perf_counter

from memory_layer.ports.process import ContextPorts

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
        self._lanes, self._watch = LaneThreads(), TimingAverages(perf_counter)
        self.ports = ContextPorts(
            workers=self._lanes,
            counters=TokenizerRegistry(models),
            kept=ContextCache(),
            watch=self._watch,
            timer=perf_counter,
        )

    def close(self) -> None:
        """Waits a moment for running work; logs the last averages."""
        self._lanes.close()
        self._watch.tell()
