"""Logs, metrics and traces of one function: callers, status and duration; never the words of a memory.

Lines are JSON on stdout, metrics are lines too (CloudWatch's embedded metric format), traces go to X-Ray.
"""

from __future__ import annotations

import copy
import logging
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from threading import get_ident
from typing import Any, Final, TextIO

from aws_lambda_powertools import Tracer
from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from memory_layer.manifest import metrics
from memory_layer.ports.process import Ports
from memory_layer.settings import read_deployment_name

UNITS: Final[Mapping[str, MetricUnit]] = {
    metrics.ASSEMBLY_DURATION: MetricUnit.Seconds,
    metrics.COHERENCE_SCORE: MetricUnit.NoUnit,
    metrics.CACHE_HIT_RATIO: MetricUnit.NoUnit,
    metrics.CACHE_EVICTED: MetricUnit.Count,
    metrics.SOURCE_LATENCY: MetricUnit.Milliseconds,
    metrics.SOURCE_ERRORS: MetricUnit.Count,
}


class CloudTelemetry:
    """`Telemetry` of contexts over CloudWatch and X-Ray.

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


def with_telemetry(ports: Ports, watch: Observability) -> Ports:
    """Ports whose contexts are measured by this function."""
    return replace(ports, contexts=replace(ports.contexts, watch=CloudTelemetry(watch)))


OURS = "memory_layer"

_log = logging.getLogger(__name__)


class TextFreeFormatter(LambdaPowertoolsFormatter):
    """Powertools' JSON lines, with errors told by kind and place: their messages may quote what was stored."""

    def format(self, record: logging.LogRecord) -> str:
        if not record.exc_info or record.exc_info[1] is None:
            return super().format(record)
        redacted = copy.copy(record)
        redacted.exc_info = redacted.exc_text = None
        redacted.exception_name = type(record.exc_info[1]).__qualname__
        redacted.exception = "\n".join(_places(record.exc_info[1]))
        return super().format(redacted)


def _places(error: BaseException | None) -> Iterator[str]:
    """Places that an error comes from, cause by cause, without a word of its message."""
    while error is not None:
        yield f"{type(error).__qualname__}{_aws_code(error)}"
        for frame in traceback.extract_tb(error.__traceback__):
            yield f"  {frame.filename}:{frame.lineno} {frame.name}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _aws_code(error: BaseException) -> str:
    response = getattr(error, "response", None)
    code = response.get("Error", {}).get("Code") if isinstance(response, Mapping) else None
    return f" ({code})" if code else ""


class Observability:
    """Telemetry of one function: its log lines, metrics and traces.

    Args:
        function: its name in the manifest.
        stream: where lines go; None: stdout, which Lambda hands to CloudWatch.
        traced: libraries whose calls get segments of their own, for which X-Ray's loads the half of them.
        deployment: its name, a dimension of every metric; None: that of the environment.
    """

    def __init__(
        self,
        function: str,
        stream: TextIO | None = None,
        *,
        traced: Sequence[str] = ("botocore",),
        deployment: str | None = None,
    ) -> None:
        self._function = function
        self._deployment = deployment or read_deployment_name()
        self._formatter = TextFreeFormatter(
            service=function, utc=True, use_rfc3339=True, serialize_stacktrace=False
        )
        # Silent where there is no X-Ray: outside Lambda, or told so by POWERTOOLS_TRACE_DISABLED.
        self._tracer = Tracer(service=function, auto_patch=bool(traced), patch_modules=traced)
        handler = logging.StreamHandler(stream or sys.stdout)
        handler.setFormatter(self._formatter)
        logging.getLogger().handlers[:] = [handler]  # Lambda's own would print messages of errors
        logging.getLogger().setLevel(logging.WARNING)
        logging.getLogger(OURS).setLevel(logging.INFO)

    @contextmanager
    def invocation(self, **keys: str) -> Iterator[None]:
        """Adds these facts, e.g. the request's id, to every line until the end."""
        with self._formatter.append_context_keys(**keys):
            yield

    def tell(self, message: str, **facts: Any) -> None:
        """Logs one line. Args: facts: numbers and names; nothing that a caller wrote."""
        _log.info(message, extra=facts)

    def failed(self, error: Exception) -> None:
        """Logs one line with the place of an error."""
        _log.error("failed", exc_info=error)

    def measure(self, **values: tuple[MetricUnit, float]) -> None:
        """Writes metrics: unit and value by name (manifest/metrics.py)."""
        self.measure_layer(None, values)

    def measure_layer(self, layer: str | None, values: Mapping[str, tuple[MetricUnit, float]]) -> None:
        """Writes metrics of one layer. Args: layer: the second dimension of these."""
        written = EphemeralMetrics(namespace=metrics.NAMESPACE, service=self._function)
        written.add_dimension(name=metrics.DEPLOYMENT_DIMENSION, value=self._deployment)
        if layer is not None:
            written.add_dimension(name=metrics.LAYER_DIMENSION, value=layer)
        for name, (unit, value) in values.items():
            written.add_metric(name=name, unit=unit, value=value)
        written.flush_metrics()

    def trace(self) -> Any:
        """Current trace of this thread, for another thread to continue; None: nothing is traced."""
        provider: Any = self._tracer.provider
        return provider.get_trace_entity() if hasattr(provider, "get_trace_entity") else None

    def go_on(self, trace: Any) -> None:
        """Continues another thread's trace with the spans of this thread. Args: trace: as `trace` returns it."""
        provider: Any = self._tracer.provider
        if trace is not None:
            provider.set_trace_entity(trace)

    @contextmanager
    def span(self, name: str, **facts: Any) -> Iterator[None]:
        """Part of the trace; of an error it keeps the kind alone. Args: facts: as of `tell`."""
        failure = None
        with self._tracer.provider.in_subsegment(name=f"## {name}") as segment:
            for fact, value in facts.items():
                segment.put_annotation(fact, value)
            try:
                yield
            except Exception as error:
                failure = error
                segment.put_annotation("error", type(error).__name__)
        if failure is not None:
            raise failure
