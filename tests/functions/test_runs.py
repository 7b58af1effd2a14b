"""Completed runs by way of a queue: told again, learned from once; what is broken fails alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from functions.runs import handler as runs
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.edge.api_gateway import HttpApi
from memory_layer.manifest.functions import FUNCTIONS
from memory_layer.manifest.run_events import RUN_COMPLETED
from memory_layer.ports.process import Ports
from tests.functions.conftest import Shelf
from tests.functions.http_api import ADMIN, Context, client_of, cold
from tests.run_examples import event_of, loop

MARKER = "zanzibar-marker-7731"
RUNS = "/v1/projects/shop/runs"
MEMORIES = "/v1/projects/shop/memories"
SOURCES = {"orchestrator": {"tenant": "acme", "sub": "loops"}}


@dataclass
class Told:
    """What the function is told: whom sources speak for."""

    ports: Ports
    event_sources: str = json.dumps(SOURCES)


@pytest.fixture(autouse=True)
def told(backend: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch) -> Told:
    wired = Told(backend.ports)
    monkeypatch.setattr(runs, "cloud", lambda: wired)
    return wired


@pytest.fixture
def http(backend: EmbeddedBackend) -> httpx2.Client:
    return client_of(HttpApi("memories", lambda: Shelf(backend.ports)), ADMIN)


def message(number: int, body: Any) -> dict[str, Any]:
    """As an SQS queue delivers it."""
    return {
        "messageId": f"19dd0b57-b21e-4ac1-bd88-{number:012d}",
        "receiptHandle": "AQEB",
        "body": body if isinstance(body, str) else json.dumps(body),
        "attributes": {"ApproximateReceiveCount": "1", "SentTimestamp": "1772366400000"},
        "messageAttributes": {},
        "md5OfBody": "",
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:eu-west-1:123456789012:runs",
        "awsRegion": "eu-west-1",
    }


def deliver(*messages: dict[str, Any]) -> list[str]:
    """The numbers of the messages that will be delivered again."""
    answer = cold(runs.handler)({"Records": messages}, Context())
    return [failure["itemIdentifier"][-12:].lstrip("0") for failure in answer["batchItemFailures"]]


def test_the_manifest_queues_for_it_what_it_takes() -> None:
    (entry,) = (function for function in FUNCTIONS if function.name == "runs")
    assert entry.queued_events == (RUN_COMPLETED,)


def test_five_deliveries_are_one_run(http: httpx2.Client) -> None:
    """In batches and one by one, as SQS and EventBridge may; the safeguard is the run's id."""
    http.put(f"{MEMORIES}/m1", json={"content": "The ledger locks the table while it compacts."})
    again = message(1, event_of(loop("r1", memories_used=["m1"]), "shop"))
    assert deliver(again, again) == []
    for _ in range(3):
        assert deliver(again) == []
    (run,) = http.get(RUNS).json()["runs"]
    assert (run["run_id"], run["promoted"], run["credited"]) == ("r1", 5, 1)
    learned = [memory for memory in http.get(MEMORIES).json()["memories"] if memory["id"].startswith("lrn_")]
    assert len(learned) == 5
    assert http.get(f"{MEMORIES}/m1").json()["use_count"] == 1


@pytest.mark.parametrize(
    "broken",
    [
        "no JSON",
        "[]",
        event_of(loop("r9", status="exploded"), "shop"),
        {**event_of(loop("r9"), "shop"), "source": "stranger"},
        {**event_of(loop("r9"), "shop"), "detail": loop("r9")},
        loop("r9"),
    ],
    ids=["no JSON", "no event", "no run", "an unnamed source", "no project", "no envelope"],
)
def test_a_broken_message_fails_alone(http: httpx2.Client, broken: Any) -> None:
    good = [message(number, event_of(loop(f"r{number}"), "shop")) for number in (1, 3)]
    assert deliver(good[0], message(2, broken), good[1]) == ["2"]
    assert {run["run_id"] for run in http.get(RUNS).json()["runs"]} == {"r1", "r3"}


def test_the_source_decides_on_the_tenant(http: httpx2.Client, told: Told) -> None:
    """The safeguard is `read_sources`: an event says who sent it, and nothing in it whose memory it is for."""
    told.event_sources = json.dumps({**SOURCES, "elsewhere": {"tenant": "rival", "sub": "loops"}})
    event = event_of(loop("r1"), "shop", source="elsewhere")
    assert deliver(message(1, {**event, "account": "acme", "tenant": "acme"})) == []
    assert http.get(RUNS).json()["runs"] == []
    assert http.get(MEMORIES).json()["memories"] == []
    rival = client_of(HttpApi("memories", lambda: Shelf(told.ports)), {**ADMIN, "tenant": "rival"})
    assert [run["run_id"] for run in rival.get(RUNS).json()["runs"]] == ["r1"]


def test_nobody_is_named_and_nothing_is_taken(http: httpx2.Client, told: Told) -> None:
    told.event_sources = ""
    assert deliver(message(1, event_of(loop("r1"), "shop"))) == ["1"]
    assert http.get(RUNS).json()["runs"] == []


def test_a_run_is_logged_without_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    deliver(
        message(1, event_of(loop("r1", objective=f"Fix {MARKER}"), "shop")),
        message(2, event_of(loop("r2", objective=MARKER, status=MARKER), "shop")),
    )
    shown = capsys.readouterr().out
    assert MARKER not in shown
    lines = [json.loads(line) for line in shown.splitlines()]
    assert any(line["message"] == "run" and line["promoted"] == 5 for line in lines)
    assert [line["exception_name"] for line in lines if line["level"] == "ERROR"] == ["Invalid"]
