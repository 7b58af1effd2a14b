"""Work that nobody waits for: each kind of event finds its work, a second delivery changes nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from functions.background import handler as background
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.edge.api_gateway import HttpApi
from memory_layer.edge.events.dispatch import WORK
from memory_layer.edge.events.function_frame import WorkFailed
from memory_layer.manifest.functions import FUNCTIONS
from memory_layer.ports.process import Ports
from tests.functions.conftest import Shelf
from tests.functions.http_api import ADMIN, Context, client_of, cold

MARKER = "zanzibar-marker-7731"
MEMORIES = "/v1/projects/web/memories"
LINES = [{"content": "the first accepted fact"}, {"content": ""}, {"content": "a second accepted fact"}]


class Events:
    """A bus that keeps what is published, as EventBridge would deliver it."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def publish(self, kind: str, detail: Any) -> None:
        self.sent.append(
            {
                "version": "0",
                "id": f"17793124-05d4-b198-2fde-{len(self.sent):012d}",
                "detail-type": kind,
                "source": "memory-layer",
                "account": "123456789012",
                "time": "2026-03-01T12:00:00Z",
                "region": "eu-west-1",
                "resources": [],
                "detail": json.loads(json.dumps(detail)),
            }
        )


@pytest.fixture
def bus() -> Events:
    return Events()


@pytest.fixture
def ports(backend: EmbeddedBackend, bus: Events, monkeypatch: pytest.MonkeyPatch) -> Ports:
    """The embedded backend with events that wait for a function."""
    ports = replace(backend.ports, bus=bus)
    monkeypatch.setattr(background, "cloud", lambda: Shelf(ports))
    return ports


@pytest.fixture
def http(ports: Ports) -> httpx2.Client:
    return client_of(HttpApi("memories", lambda: Shelf(ports)), ADMIN)


def deliver(event: dict[str, Any]) -> Any:
    return cold(background.handler)(event, Context())


def contexts(http: httpx2.Client) -> list[tuple[int, str | None, int]]:
    listed = http.get(MEMORIES).json()["memories"]
    return sorted((memory["position"], memory["context"], memory["version"]) for memory in listed)


def test_the_manifest_subscribes_it_to_what_it_does() -> None:
    (entry,) = (function for function in FUNCTIONS if function.name == "background")
    assert set(entry.events) == set(WORK)


def test_a_later_turn_completes_the_earlier_ones_once(http: httpx2.Client, bus: Events) -> None:
    for content in ("What is the limit?", "Six megabytes."):
        http.post("/v1/projects/web/sessions/s1/turns", json=[{"content": content}])
    assert "Six megabytes." not in (contexts(http)[0][1] or "")
    for event in bus.sent:
        deliver(event)
    completed = contexts(http)
    assert "Six megabytes." in (completed[0][1] or "")
    for event in bus.sent:
        deliver(event)
    assert contexts(http) == completed


def test_an_accepted_batch_is_stored_once_however_often_it_is_delivered(
    http: httpx2.Client, bus: Events
) -> None:
    accepted = http.post(f"{MEMORIES}:batch", json=LINES, headers={"prefer": "respond-async"})
    (event,) = bus.sent
    assert MARKER not in json.dumps(event)
    deliver(event)
    first = http.get(accepted.headers["location"]).json()
    assert [line["status"] for line in first["result"]["results"]] == [201, 422, 201]
    deliver(event)
    assert http.get(accepted.headers["location"]).json() == first
    assert len(http.get(MEMORIES).json()["memories"]) == 2


@pytest.mark.usefixtures("ports")
def test_an_event_without_work_is_handed_back(bus: Events) -> None:
    bus.publish("memory.created", {})
    with pytest.raises(WorkFailed, match="background: LookupError"):
        deliver(bus.sent[0])


@pytest.mark.usefixtures("ports")
def test_a_failure_is_raised_and_logged_without_its_text(
    bus: Events, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Safeguard: EventFunction raises an error of its own; Lambda prints the message of whatever is raised."""

    def fail(*_: Any) -> None:
        raise RuntimeError(MARKER)

    monkeypatch.setattr(background, "carry_out", fail)
    bus.publish("session.extended", {"session_id": MARKER})
    with pytest.raises(WorkFailed) as raised:
        deliver(bus.sent[0])
    assert MARKER not in repr(raised.value)
    assert raised.value.__suppress_context__
    shown = capsys.readouterr().out
    assert MARKER not in shown
    (line,) = [line for line in map(json.loads, shown.splitlines()) if line["level"] == "ERROR"]
    assert line["exception_name"] == "RuntimeError"
