"""Spans of operations on memories: named by the conventions, children of the caller's, and never with contents."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from opentelemetry import trace

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.edge.app import api_document
from memory_layer.edge.http.memory_spans import OPERATIONS, TOOL_OPERATIONS
from memory_layer.local.server import application
from memory_layer.mcp.tools import TOOLS
from tests.given import NoEmbedder
from tests.unit.local.test_console_pages import asked

MARKER = "zanzibar-marker-7731"
TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE_ID}-00f067aa0ba902b7-01"


class Span:
    def __init__(self, name: str, attributes: dict[str, Any], parent: Any) -> None:
        self.name, self.attributes, self.parent, self.status = name, dict(attributes), parent, None

    def set_attribute(self, name: str, value: Any) -> None:
        self.attributes[name] = value

    def set_status(self, status: Any) -> None:
        self.status = status


class Tracer:
    """Tracer that notes its spans, as an SDK's would export them."""

    def __init__(self) -> None:
        self.spans: list[Span] = []

    @contextmanager
    def start_as_current_span(self, name: str, *, context: Any, attributes: Any, **_: Any) -> Iterator[Span]:
        span = Span(name, attributes, trace.get_current_span(context).get_span_context().trace_id)
        self.spans.append(span)
        yield span


@pytest.fixture
def backend() -> Iterator[EmbeddedBackend]:
    opened = open_embedded(None, embedder=NoEmbedder())
    yield opened
    opened.close()


@pytest.fixture
def tracer(monkeypatch: pytest.MonkeyPatch) -> Tracer:
    made = Tracer()
    monkeypatch.setattr(trace, "get_tracer", lambda *_, **__: made)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk", ModuleType("opentelemetry.sdk"))
    return made


def test_operations_are_named_by_the_conventions(
    tracer: Tracer, backend: EmbeddedBackend, tmp_path: Path
) -> None:
    guard = application(backend, tmp_path, with_auth=False)
    made = asked(guard, "POST", "/v1/projects/web/memories", {"content": MARKER}, traceparent=PARENT)
    asked(guard, "POST", "/v1/projects/web/memories", {"content": MARKER})
    asked(guard, "POST", "/v1/projects/web/recall", {"query": MARKER})
    id = made.json["id"]
    asked(guard, "DELETE", f"/v1/projects/web/memories/{id}")
    asked(guard, "GET", f"/v1/projects/web/memories/{id}")
    assert [span.name for span in tracer.spans] == [
        *("create_memory", "create_memory", "search_memory", "delete_memory")
    ]
    first, refused, _, gone = tracer.spans
    assert f"{first.parent:032x}" == TRACE_ID
    assert first.attributes == {"gen_ai.operation.name": "create_memory", "gen_ai.memory.store.id": "web"}
    assert (refused.attributes["error.type"], refused.status) == ("Duplicate", trace.StatusCode.ERROR)
    assert gone.attributes["gen_ai.memory.record.id"] == id
    assert MARKER not in str([span.attributes for span in tracer.spans])


def test_files_of_a_store_have_spans_as_memories_have(
    tracer: Tracer, backend: EmbeddedBackend, tmp_path: Path
) -> None:
    guard = application(backend, tmp_path, with_auth=False)
    store = asked(guard, "POST", "/v1/memory_stores", {"name": "notes"}).json["id"]
    files = f"/v1/memory_stores/{store}/memories"
    file = asked(guard, "POST", files, {"path": "/a.md", "content": MARKER}).json["id"]
    asked(guard, "GET", f"{files}/{file}")
    asked(guard, "DELETE", f"{files}/{file}")
    names = ["create_memory_store", "create_memory", "search_memory", "delete_memory"]
    assert [span.name for span in tracer.spans] == names
    last = tracer.spans[-1].attributes
    assert f"memstore_{last['gen_ai.memory.store.id']}" == store
    assert last["gen_ai.memory.record.id"] == file
    assert MARKER not in str([span.attributes for span in tracer.spans])


def test_a_call_over_mcp_is_the_child_of_its_caller(
    tracer: Tracer, backend: EmbeddedBackend, tmp_path: Path
) -> None:
    guard = application(backend, tmp_path, with_auth=False)
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "search_memory",
            "arguments": {"query": MARKER, "project": "web"},
            "_meta": {"traceparent": PARENT},
        },
    }
    headers = {"accept": "application/json, text/event-stream", "mcp_protocol_version": "2025-06-18"}
    answer = asked(guard, "POST", "/mcp", call, **headers)
    assert answer.status == 200, answer.body
    (span,) = tracer.spans
    assert (span.name, f"{span.parent:032x}") == ("search_memory", TRACE_ID)
    assert span.attributes["gen_ai.memory.store.id"] == "web"
    assert MARKER not in str(span.attributes)


def test_without_an_sdk_nothing_is_made(
    monkeypatch: pytest.MonkeyPatch, backend: EmbeddedBackend, tmp_path: Path
) -> None:
    made = Tracer()
    monkeypatch.setattr(trace, "get_tracer", lambda *_, **__: made)
    monkeypatch.delitem(sys.modules, "opentelemetry.sdk", raising=False)
    guard = application(backend, tmp_path, with_auth=False)
    assert asked(guard, "POST", "/v1/projects/web/recall", {"query": "anything"}).status == 200
    assert made.spans == []


def test_every_operation_and_tool_that_has_a_name_is_there() -> None:
    known = {one["operationId"] for path in api_document()["paths"].values() for one in path.values()}
    assert set(OPERATIONS) <= known
    assert set(TOOL_OPERATIONS) <= {tool.name for tool in TOOLS}
