"""What contexts are assembled with, wired: the same on either backend."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

from memory_layer.context_ports import ContextPorts

SWITCH_INTERVAL_S = 0.001
"""After so long a thread gives way to another: with Python's 5 ms whoever answers in time waits for whoever is late."""


class Contexts:
    """What contexts are assembled with, either backend: threads, counters, those that were kept, who measures.

    Args:
        models: folder of all models, for the tokenizer that comes with one; None: where it is by default.
    """

    def __init__(self, models: Path | None) -> None:
        from memory_layer.adapters.averages import Averages
        from memory_layer.adapters.kept_contexts import ContextCache
        from memory_layer.adapters.lanes import Lanes
        from memory_layer.adapters.token_counters import TokenCounters

        sys.setswitchinterval(SWITCH_INTERVAL_S)
        self._lanes, self._watch = Lanes(), Averages(perf_counter)
        self.ports = ContextPorts(
            workers=self._lanes,
            counters=TokenCounters(models),
            kept=ContextCache(),
            watch=self._watch,
            timer=perf_counter,
        )

    def close(self) -> None:
        """Wait a moment for what still runs; tell the last averages."""
        self._lanes.close()
        self._watch.tell()
