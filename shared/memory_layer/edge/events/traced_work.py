"""Work that a request has left behind: its spans are that request's, and so are its changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from memory_layer.domain.portability.trace_context import TRACEPARENT, valid_traceparent
from memory_layer.edge.http.memory_spans import is_traced
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.signed_ports import traced_ports


def within_trace(kind: str, work: Callable[..., None]) -> Callable[..., None]:
    """Work for an event whose detail may have a `traceparent`. Args: kind: of the event; names the span."""

    def traced(ports: Ports, detail: Mapping[str, Any], **how: Any) -> None:
        traceparent = valid_traceparent(detail.get(TRACEPARENT))
        with _span(kind, "CONSUMER", parent=traceparent):
            work(traced_ports(ports, traceparent), detail, **how)

    return traced


@contextmanager
def publish_span(traceparents: Sequence[str]) -> Iterator[None]:
    """Span of a batch that is published, linked to the requests that it came from.

    Source: OpenTelemetry, semantic conventions for messaging: a batch has links, as it has no one parent.
    """
    with _span("publish", "PRODUCER", links=traceparents):
        yield


@contextmanager
def _span(name: str, kind: str, parent: str | None = None, links: Sequence[str] = ()) -> Iterator[None]:
    """Opens a span where the process has an SDK."""
    if not is_traced():
        yield
        return
    from opentelemetry import propagate, trace

    def context(traceparent: str) -> Any:
        return propagate.extract({TRACEPARENT: traceparent})

    told = [trace.Link(trace.get_current_span(context(one)).get_span_context()) for one in links]
    with trace.get_tracer("memory_layer").start_as_current_span(
        name,
        context=None if parent is None else context(parent),
        kind=trace.SpanKind[kind],
        links=told,
        record_exception=False,  # its message may quote what was stored
        set_status_on_exception=False,
    ):
        yield
