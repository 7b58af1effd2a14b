"""What the function `context` tells of its contexts: Context Assembly, metrics, by its names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.edge.api_gateway import HttpApi
from memory_layer.manifest import metrics
from memory_layer.ports.process import Ports
from tests.functions.http_api import ADMIN, client_of

MEMORIES, CONTEXT = "/v1/projects/web/memories", "/v1/projects/web/context"


@dataclass
class Shelf:
    """A backend with nowhere to put large answers."""

    ports: Ports
    offload: Any = None


def measured(out: str) -> Iterator[dict[str, Any]]:
    lines = (json.loads(line) for line in out.splitlines() if line.startswith("{"))
    return (line for line in lines if "_aws" in line)


def values(out: str, name: str) -> list[tuple[str | None, float]]:
    return [
        (line.get(metrics.LAYER_DIMENSION), value)
        for line in measured(out)
        if name in line
        for value in line[name]
    ]


def test_contexts_are_measured_by_source(
    backend: EmbeddedBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    with client_of(HttpApi("context", lambda: Shelf(backend.ports)), ADMIN) as client:
        for content in (
            "The queue keeps messages for four days.",
            "Messages that fail five times leave the queue.",
        ):
            assert client.post(MEMORIES, json={"content": content}).status_code == 201
        capsys.readouterr()
        for _ in range(2):
            asked = {"intent": "how long does the queue keep messages?", "budgets": {"time_ms": 20_000}}
            assert len(client.post(CONTEXT, json=asked).json()["fragments"]) == 2
    out = capsys.readouterr().out
    assert [value for _, value in values(out, metrics.CACHE_HIT_RATIO)] == [0.0, 1.0]
    assert {layer for layer, _ in values(out, metrics.SOURCE_LATENCY)} == {
        "global",
        "project",
        "workshop",
        "experience",
    }
    assert len(values(out, metrics.ASSEMBLY_DURATION)) == 2
    assert all(0.0 <= value <= 1.0 for _, value in values(out, metrics.COHERENCE_SCORE))
    (dimensions,) = {
        tuple(line["_aws"]["CloudWatchMetrics"][0]["Dimensions"][0])
        for line in measured(out)
        if metrics.SOURCE_LATENCY in line
    }
    assert set(dimensions) == {
        metrics.SERVICE_DIMENSION,
        metrics.DEPLOYMENT_DIMENSION,
        metrics.LAYER_DIMENSION,
    }
    assert "queue" not in out, "a line says nothing of what a memory or a caller says"
