"""What contexts take, in the cloud: metrics and parts of the trace of the function that assembles them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from threading import get_ident
from typing import Any, Final

from aws_lambda_powertools.metrics import MetricUnit

from memory_layer.edge.events.observability import Observability
from memory_layer.manifest import metrics
from memory_layer.ports.records import Ports

UNITS: Final[Mapping[str, MetricUnit]] = {
    metrics.ASSEMBLY_DURATION: MetricUnit.Seconds,
    metrics.COHERENCE_SCORE: MetricUnit.NoUnit,
    metrics.CACHE_HIT_RATIO: MetricUnit.NoUnit,
    metrics.CACHE_EVICTED: MetricUnit.Count,
    metrics.SOURCE_LATENCY: MetricUnit.Milliseconds,
    metrics.SOURCE_ERRORS: MetricUnit.Count,
}


class ContextWatch:
    """context_ports.Watch over CloudWatch and X-Ray.

    Made in the thread that answers; the others go on with its trace.
    """

    def __init__(self, watch: Observability) -> None:
        self._watch = watch
        self._trace = watch.trace()
        self._answering = get_ident()

    def measure(self, values: Mapping[str, float], *, layer: str | None = None) -> None:
        self._watch.measure_layer(layer, {name: (UNITS[name], value) for name, value in values.items()})

    def span(self, name: str, **facts: Any) -> AbstractContextManager[None]:
        if get_ident() != self._answering:
            self._watch.go_on(self._trace)
        return self._watch.span(name, **facts)


def watched(ports: Ports, watch: Observability) -> Ports:
    """Ports whose contexts are measured by this function."""
    return replace(ports, contexts=replace(ports.contexts, watch=ContextWatch(watch)))
