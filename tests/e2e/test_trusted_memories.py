"""Agents speak against what people trust, over HTTP: it stays, and a reviewer decides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_layer.local.tokens import mint, secret_of
from memory_layer.settings import read_settings
from tests.given import START, StandingClock
from tests.run_examples import loop

BASE = "/v1/projects/shop"
TABLE = "urn:table:orders"
SAYINGS = ("Orders close at nine.", "The price cache keeps its entries for nine minutes.")


class Shop:
    """A project with what a person said and a reviewer approved, and a token for whoever speaks."""

    def __init__(self, http: httpx2.Client, secret: bytes, clock: StandingClock) -> None:
        self.http, self._secret, self._clock = http, secret, clock
        self.ids = [self._said(content) for content in SAYINGS]
        clock.advance(minutes=1)

    def ask(self, by: str, method: str, path: str, *, persona: str | None = None, json: Any = None) -> Any:
        """The answer's JSON; `by` is an agent but for `ada`, who is an admin."""
        lifetime = {"now": START, "lifetime": self._clock.now() - START.replace(year=2025)}
        roles = ["admin"] if by == "ada" else ["agent"]
        token = mint(self._secret, tenant="acme", principal=by, persona=persona, roles=roles, **lifetime)  # type: ignore[arg-type]
        sent = self.http.request(
            method, f"{BASE}/{path}", json=json, headers={"Authorization": f"Bearer {token}"}
        )
        assert sent.status_code in (200, 201, 422), sent.text
        return sent.json()

    def _said(self, content: str) -> str:
        made = self.ask("ada", "POST", "memories", json={"content": content, "entities": [TABLE]})
        self.ask("ada", "PATCH", f"memories/{made['id']}/approve")
        return str(made["id"])

    def reviews(self) -> dict[str, Any]:
        return {item["id"]: item for item in self.ask("ada", "GET", "reviews")["reviews"]}

    def recalled(self) -> set[str]:
        found = [
            self.ask("agent-1", "POST", "recall", json={"query": content, "limit": 3}) for content in SAYINGS
        ]
        return {memory["id"] for answer in found for memory in answer["memories"]}


@pytest.fixture
def shop(serve: Callable[..., httpx2.Client], clock: StandingClock, tmp_path: Path) -> Shop:
    http = serve(with_auth=True)
    return Shop(http, secret_of(read_settings({}, data_dir=tmp_path / "data").data_dir), clock)


def test_two_agents_failed_runs_leave_it_in_recall_and_in_reviews(shop: Shop) -> None:
    for by in ("agent-1", "agent-2"):
        for number in range(3):
            run = loop(f"{by}-{number}", status="failed", memories_used=shop.ids)
            assert shop.ask(by, "POST", "runs?mode=staged", json=run)["credited"] == 2
    assert shop.recalled() == set(shop.ids)
    waiting = {id: item for id, item in shop.reviews().items() if item["kind"] == "doubted"}
    assert waiting.keys() == set(shop.ids)
    doubt = waiting[shop.ids[0]]["doubted"]
    assert doubt["by"] == ["agent-1", "agent-2"]
    assert len(doubt["runs"]) == 6
    memory = shop.ask("agent-1", "GET", f"memories/{shop.ids[0]}")
    assert (memory["active"], memory["confidence"], memory["outcome_score"]) == (True, 1.0, -0.5)
    assert memory["doubted"] == doubt


@pytest.mark.parametrize("persona", [None, "writer"])
def test_an_agents_events_leave_it_in_recall_and_in_reviews(shop: Shop, persona: str | None) -> None:
    told = {"urn": TABLE, "event": "removed"}
    answer = shop.ask("agent-1", "POST", "entity-events", json=told, persona=persona)
    assert [event["marked"] for event in answer["events"]] == [0]
    assert shop.recalled() == set(shop.ids)
    assert {item["kind"] for item in shop.reviews().values()} == {"doubted"}
    assert shop.reviews().keys() == set(shop.ids)


def test_a_crashed_run_has_no_verdict(shop: Shop) -> None:
    run = loop("r1", status="crashed", verdict="failed", memories_used=shop.ids)
    told = shop.ask("agent-1", "POST", "runs?mode=staged", json=run)
    assert (told["verdict"], told["credited"]) == (None, 0)
    assert shop.ask("ada", "GET", f"memories/{shop.ids[0]}")["failed"] == 0


def test_a_reviewer_decides_and_nobody_writes_the_field(shop: Shop) -> None:
    first, second = shop.ids
    shop.ask("agent-1", "POST", "entity-events", json={"urn": TABLE, "event": "removed"})
    for sent in ({"doubted": None}, {"doubted": {"since": "2026-03-01T12:00:00Z"}}):
        refused = shop.ask("ada", "PATCH", f"memories/{first}", json=sent)
        assert refused["status"] == 422
        assert refused["errors"][0]["pointer"] == "/doubted"
    approve = {"decisions": [{"id": first, "decision": "approve"}]}
    shop.ask("ada", "POST", "reviews:decide", json=approve)
    shop.ask("ada", "POST", f"memories/{second}/confirm")
    assert shop.reviews() == {}
    assert shop.ask("ada", "GET", f"memories/{first}")["doubted"] is None
