"""Traces of requests: their changes, the work that they leave behind and the events that tell of both name them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from opentelemetry import trace

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.edge.events.completed_runs import take_run_event
from memory_layer.edge.events.traced_work import publish_span
from memory_layer.edge.http.memory_spans import request_traceparent
from memory_layer.local.server import application
from memory_layer.manifest import env
from memory_layer.usecases.ground.signed_ports import signed_ports, traced_ports
from tests.given import ADMIN, AGENT, NoEmbedder
from tests.run_examples import event_of, loop
from tests.unit.local.test_console_pages import asked

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
OTHER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
XRAY = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
OF_XRAY = "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01"
PROJECT = "/v1/projects/web"


@pytest.fixture
def backend() -> Iterator[EmbeddedBackend]:
    opened = open_embedded(None, embedder=NoEmbedder())
    yield opened
    opened.close()


@pytest.fixture
def ask(backend: EmbeddedBackend, tmp_path: Path) -> Any:
    return partial(asked, application(backend, tmp_path, with_auth=False))


def traces(ask: Any, backend: EmbeddedBackend) -> dict[str, str | None]:
    """Trace contexts of a project's changes, by what they are about."""
    backend.drain()
    events = ask("GET", f"{PROJECT}/events").json["events"]
    return {event["subject"]: event.get("traceparent") for event in events}


def test_a_change_names_the_trace_of_its_request(ask: Any, backend: EmbeddedBackend) -> None:
    ask("POST", f"{PROJECT}/memories", {"id": "m1", "content": "a first rule"}, traceparent=PARENT)
    ask("POST", f"{PROJECT}/memories", {"id": "m2", "content": "another thing"}, traceparent="not a trace")
    assert traces(ask, backend) == {"m1": PARENT, "m2": None}
    entries = ask("GET", f"{PROJECT}/audit").json["entries"]
    assert {entry["about"]: entry.get("traceparent") for entry in entries} == {"m1": PARENT, "m2": None}


def test_a_refusal_is_entered_with_the_trace_of_its_request(ask: Any, backend: EmbeddedBackend) -> None:
    for _ in range(2):
        ask("POST", f"{PROJECT}/memories", {"content": "a first rule"}, traceparent=PARENT)
    backend.drain()
    entries = ask("GET", f"{PROJECT}/audit").json["entries"]
    assert [one["traceparent"] for one in entries if one["what"] == "refused"] == [PARENT]


def test_accepted_work_goes_on_in_the_trace_of_its_request(ask: Any, backend: EmbeddedBackend) -> None:
    """Falls without `within_trace`, and without the `traceparent` of the bus's event."""
    lines = [{"id": "m1", "content": "the first accepted fact"}]
    taken = ask("POST", f"{PROJECT}/memories:batch", lines, traceparent=PARENT, prefer="respond-async")
    assert taken.status == 202, taken.body
    assert traces(ask, backend) == {"m1": PARENT}


def called(ask: Any, name: str, arguments: dict[str, Any], **meta: str) -> Any:
    params = {"name": name, "arguments": {**arguments, "project": "web"}, "_meta": meta}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"accept": "application/json, text/event-stream", "mcp_protocol_version": "2025-06-18"}
    answer = ask("POST", "/mcp", call, traceparent=OTHER, **headers)
    assert not answer.json["result"]["isError"], answer.body
    return answer.json["result"]["structuredContent"]


def test_a_change_over_mcp_names_the_trace_of_the_call_else_of_its_request(
    ask: Any, backend: EmbeddedBackend
) -> None:
    own = called(ask, "add_memory", {"content": "a first rule"}, traceparent=PARENT)
    sent = called(ask, "add_memory", {"content": "another thing"})
    assert set(traces(ask, backend).values()) == {PARENT, OTHER}
    assert own != sent


def test_a_run_that_comes_as_an_event_is_learned_in_its_trace(ask: Any, backend: EmbeddedBackend) -> None:
    event = event_of({**loop("run_1")}, "web")
    cloud_event = {
        **{"specversion": "1.0", "id": "e1", "type": "run.completed", "source": "orchestrator"},
        "traceparent": PARENT,
        "data": event["detail"],
    }
    sources = {"orchestrator": {"tenant": "local", "sub": "orchestrator"}}
    take_run_event(backend.ports, sources, cloud_event)
    assert set(traces(ask, backend).values()) == {PARENT}


def test_who_signs_again_stays_within_the_trace(backend: EmbeddedBackend) -> None:
    ports = signed_ports(traced_ports(backend.ports, PARENT), AGENT)
    again: Any = signed_ports(ports, ADMIN, "req_1").store.writer
    assert (again.signer.principal, again.signer.traceparent) == (ADMIN.name, PARENT)
    assert again.writer is backend.ports.store.writer
    assert traced_ports(backend.ports, "no trace") is backend.ports


def test_a_function_has_the_trace_of_its_event_where_the_caller_has_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(env.TRACE_HEADER, XRAY)
    assert request_traceparent({}) == OF_XRAY
    assert request_traceparent({"TraceParent": PARENT}) == PARENT


class Tracer:
    def __init__(self) -> None:
        self.spans: list[tuple[str, list[str]]] = []

    @contextmanager
    def start_as_current_span(self, name: str, *, links: Any, **_: Any) -> Iterator[None]:
        self.spans.append((name, [f"{link.context.trace_id:032x}" for link in links]))
        yield


def test_a_batch_that_is_published_is_linked_to_its_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Tracer()
    monkeypatch.setattr(trace, "get_tracer", lambda *_, **__: made)
    with publish_span([PARENT]):
        assert made.spans == []
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk", ModuleType("opentelemetry.sdk"))
    with publish_span([PARENT, OTHER]):
        assert made.spans == [("publish", [PARENT.split("-")[1], OTHER.split("-")[1]])]
