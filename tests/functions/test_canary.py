"""The canary: remembers, recalls and forgets, tells which step failed, and leaves nothing to be found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.memory import Scope
from memory_layer.edge.events.canary import PROJECT, TENANT, fly
from memory_layer.edge.events.observability import Observability
from memory_layer.edge.http.principals import principal_of
from memory_layer.errors import IndexUnavailable, StoreUnavailable, Unauthenticated
from memory_layer.manifest import metrics
from memory_layer.ports.process import Ports

READY = "https://api.example"


def flown(ports: Ports, **more: Any) -> Mapping[str, Any]:
    return fly(ports, Observability("canary"), None, **more)


def left(ports: Ports) -> int:
    return len(ports.store.memories.every(Scope(TENANT, PROJECT), after=None, limit=9).memories)


def measured(out: str) -> dict[str, Any]:
    (line,) = [line for line in map(json.loads, out.splitlines()) if "_aws" in line]
    return dict(line)


def test_it_remembers_recalls_and_forgets(
    backend: EmbeddedBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    told = flown(backend.ports)
    assert [(step["name"], step["error"]) for step in told["steps"]] == [
        ("remember", None),
        ("recall", None),
        ("forget", None),
    ]
    assert left(backend.ports) == 0
    line = measured(capsys.readouterr().out)
    assert line[metrics.CANARY_FAILED] == [0.0]
    assert line[metrics.CANARY_LATENCY][0] > 0


def test_it_flies_again_and_again(backend: EmbeddedBackend) -> None:
    assert not any(flown(backend.ports)["failed"] for _ in range(3))
    assert left(backend.ports) == 0


def test_a_step_that_fails_is_named_and_what_was_stored_is_forgotten(
    backend: EmbeddedBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    class Down:
        def __getattr__(self, name: str) -> Any:
            raise IndexUnavailable("no index")

    told = flown(replace(backend.ports, index=Down()))  # type: ignore[arg-type]
    failed = [step["name"] for step in told["steps"] if step["error"]]
    assert (told["failed"], failed) == (True, ["recall"])
    assert told["steps"][-1]["name"] == "forget"
    assert left(backend.ports) == 0
    assert measured(capsys.readouterr().out)[metrics.CANARY_FAILED] == [1.0]


def test_a_table_that_is_down_is_told_of_and_not_raised(backend: EmbeddedBackend) -> None:
    class Down:
        def __getattr__(self, name: str) -> Any:
            raise StoreUnavailable("no table")

    store = replace(backend.ports.store, writer=Down())  # type: ignore[arg-type]
    told = flown(replace(backend.ports, store=store))
    assert [step["name"] for step in told["steps"]] == ["remember"]
    assert "StoreUnavailable" in told["steps"][0]["error"]


@pytest.mark.parametrize(("status", "is_failed"), [("ready", False), ("away", True)])
def test_the_api_is_asked_first(backend: EmbeddedBackend, status: str, is_failed: bool) -> None:
    asked: list[str] = []

    def ask(url: str) -> Mapping[str, Any]:
        asked.append(url)
        return {"status": status}

    told = fly(backend.ports, Observability("canary"), READY, ask_api=ask)
    assert asked == [f"{READY}/readyz"]
    assert told["failed"] == is_failed
    assert told["steps"][0]["name"] == "api"


def test_no_token_is_of_its_tenant() -> None:
    with pytest.raises(Unauthenticated):
        principal_of({"tenant": TENANT, "sub": "ada"})
