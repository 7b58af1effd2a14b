"""Spans of operations on memories for OpenTelemetry, by its conventions for generative AI; no contents.

They are made where the process has loaded OpenTelemetry's SDK, as `opentelemetry-instrument mem serve` and AWS's layer
do; elsewhere nothing of it is imported. Source: semantic conventions for GenAI, memory (status: development).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from memory_layer.domain.portability.trace_context import TRACEPARENT, traceparent_of_xray, valid_traceparent
from memory_layer.settings import read_trace_header

OPERATIONS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("recall", "compose_prompt", "assemble_context", "enrich"), "search_memory"),
    **dict.fromkeys(("create_memory", "create_memories", "add_turns"), "create_memory"),
    **dict.fromkeys(("update_memory", "supersede_memory", "merge_memories"), "update_memory"),
    "put_memory": "upsert_memory",
    **dict.fromkeys(("delete_memory", "delete_store_file"), "delete_memory"),
    "create_store_file": "create_memory",
    "update_store_file": "update_memory",
    **dict.fromkeys(("get_store_file", "list_store_files"), "search_memory"),
    "create_memory_store": "create_memory_store",
    "delete_memory_store": "delete_memory_store",
    "erase_project": "delete_memory_store",
}
"""Names of the conventions, by operation of openapi.json."""

TOOL_OPERATIONS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("search_memory", "assemble_context", "get_prompt", "enrich"), "search_memory"),
    "add_memory": "create_memory",
    **dict.fromkeys(("update_memory", "supersede_memory"), "update_memory"),
    "forget_memory": "delete_memory",
}
"""The same, by tool of MCP."""

_SDK: Final = "opentelemetry.sdk"
_STORE: Final = re.compile(r"/v1/(?:projects/|memory_stores/(?:memstore_)?)([^/]+)(?:/memories/([^/:]+))?")

Answered = Callable[[str | None], None]
"""Told the code of a refusal; None: it went well."""


def is_traced() -> bool:
    """Tells if this process has an SDK that takes spans."""
    return _SDK in sys.modules


def request_traceparent(headers: Mapping[str, str]) -> str | None:
    """Trace context of the request at hand: of the span that it is in, else of its caller, else of the function.

    Args:
        headers: any case; or the `_meta` of a call over MCP.
    """
    sent = {name.lower(): value for name, value in headers.items()}
    told = (_current_traceparent(), valid_traceparent(sent.get(TRACEPARENT)))
    return next(filter(None, told), None) or traceparent_of_xray(read_trace_header())


def _current_traceparent() -> str | None:
    if not is_traced():
        return None
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    if trace.get_current_span().get_span_context().is_valid:
        TraceContextTextMapPropagator().inject(carrier)
    return valid_traceparent(carrier.get(TRACEPARENT))


@contextmanager
def memory_span(
    operation: str, carrier: Mapping[str, str], *, store: str | None, record: str | None = None
) -> Iterator[Answered]:
    """Opens a span, a child of the caller's where it sent a `traceparent`.

    Args:
        operation: a name of the conventions.
        carrier: headers in lower case, or the `_meta` of a call over MCP.
        store: the project.
        record: id of the memory, where it is about one.
    """
    from opentelemetry import propagate, trace

    attributes = {"gen_ai.operation.name": operation}
    attributes |= {"gen_ai.memory.store.id": store} if store else {}
    attributes |= {"gen_ai.memory.record.id": record} if record else {}
    tracer = trace.get_tracer("memory_layer")
    with tracer.start_as_current_span(
        operation,
        context=propagate.extract(carrier),
        kind=trace.SpanKind.INTERNAL,
        attributes=attributes,
        record_exception=False,  # its message may quote what was stored
        set_status_on_exception=False,
    ) as span:

        def answered(code: str | None) -> None:
            if code is not None:
                span.set_attribute("error.type", code)
                span.set_status(trace.StatusCode.ERROR)

        try:
            yield answered
        except Exception as error:
            answered(type(error).__name__)
            raise


def traced_route(resolver: Any, following: Callable[[Any], Any]) -> Any:
    """Powertools' middleware around every route: those that work on memories have a span."""
    operation = OPERATIONS.get(resolver.context["_route"].operation_id or "")
    if operation is None or not is_traced():
        return following(resolver)
    event = resolver.current_event
    place = _STORE.match(str(event.path))
    store, record = place.groups() if place else (None, None)
    headers = {name.lower(): value for name, value in event.headers.items()}
    with memory_span(operation, headers, store=store, record=record) as answered:
        answer = following(resolver)
        answered(str(answer.status_code) if answer.status_code >= 400 else None)
    return answer
