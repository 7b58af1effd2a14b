"""What happened in the world, told over HTTP: the answers, the refusals, one effect per key."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from memory_layer.local.tokens import mint, secret_of
from memory_layer.settings import read_settings
from tests.given import START, StandingClock

EVENTS = "/v1/projects/shop/entity-events"
MEMORIES = "/v1/projects/shop/memories"
JSON = {"content-type": "application/json"}
TABLE = "urn:table:orders"


def add(http: httpx2.Client, clock: StandingClock, content: str, *entities: str) -> str:
    made = http.post(MEMORIES, json={"content": content, "entities": entities})
    assert made.status_code == 201
    clock.advance(minutes=1)
    return str(made.json()["id"])


def pointers(answer: httpx2.Response) -> list[str]:
    assert answer.status_code == 422, answer.text
    return [violation["pointer"] for violation in answer.json()["errors"]]


def test_one_event_or_many_are_answered_one_by_one(http: httpx2.Client, clock: StandingClock) -> None:
    id = add(http, clock, "Orders close at nine.", TABLE)
    one = http.post(EVENTS, json={"urn": TABLE, "event": "schema_changed"})
    assert one.status_code == 200
    (told,) = one.json()["events"]
    assert {name: told[name] for name in ("urn", "event", "marked", "is_known", "is_new", "is_applied")} == {
        **{"urn": TABLE, "event": "schema_changed", "marked": 1},
        **{"is_known": True, "is_new": True, "is_applied": True},
    }
    memory = http.get(f"{MEMORIES}/{id}").json()
    assert (memory["status"], memory["active"]) == ("stale", False)
    assert "changed its schema on 2026-03-01" in memory["status_reason"]
    many = http.post(EVENTS, json=[{"urn": "urn:x", "event": "linked", "target": TABLE}] * 2).json()
    assert [event["is_new"] for event in many["events"]] == [True, False]
    counts = http.get("/v1/projects/shop/stats").json()["entity_events"]
    assert (counts["schema_changed"], counts["linked"], counts["unknown"]) == (1, 1, 1)


def test_a_stale_memory_waits_for_a_person(http: httpx2.Client, clock: StandingClock) -> None:
    id = add(http, clock, "Orders close at nine.", TABLE)
    http.post(EVENTS, json={"urn": TABLE, "event": "removed"})
    assert [item["id"] for item in http.get("/v1/projects/shop/reviews").json()["reviews"]] == [id]


def test_a_key_has_one_effect(http: httpx2.Client, clock: StandingClock) -> None:
    add(http, clock, "Orders close at nine.", TABLE)
    body, key = {"urn": TABLE, "event": "removed"}, {"Idempotency-Key": "k1"}
    first = http.post(EVENTS, json=body, headers=key)
    clock.advance(minutes=1)
    again = http.post(EVENTS, json=body, headers=key)
    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"
    other = http.post(EVENTS, json={**body, "event": "renamed"}, headers=key)
    assert (other.status_code, other.json()["type"].rsplit(":", 1)[1]) == (422, "idempotency_key_reused")
    assert http.get("/v1/projects/shop/stats").json()["entity_events"]["removed"] == 1


@pytest.mark.parametrize(
    ("event", "pointer"),
    [
        ({"event": "removed"}, "/urn"),
        ({"urn": TABLE}, "/event"),
        ({"urn": TABLE, "event": "exploded"}, "/event"),
        ({"urn": "", "event": "removed"}, "/urn"),
        ({"urn": "u" * 257, "event": "removed"}, "/urn"),
        ({"urn": TABLE, "event": "renamed", "target": "t" * 257}, "/target"),
        ({"urn": TABLE, "event": "linked"}, "/target"),
        ({"urn": TABLE, "event": "removed", "occurred_at": "yesterday"}, "/occurred_at"),
        ({"urn": TABLE, "event": "removed", "occurred_at": "2026-03-01T12:00:00"}, "/occurred_at"),
        ({"urn": TABLE, "event": "removed", "occurred_at": "2027-03-01T12:00:00Z"}, "/occurred_at"),
        ({"urn": TABLE, "event": "removed", "occurred_at": 1}, "/occurred_at"),
        ({"urn": TABLE, "event": "removed", "detail": "text"}, "/detail"),
        ({"urn": TABLE, "event": "removed", "detail": {"x": "y" * 17_000}}, "/detail"),
        ({"urn": TABLE, "event": "removed", "id": "a b"}, "/id"),
        ({"urn": TABLE, "event": "removed", "urns": []}, "/urns"),
        ({"urn": [TABLE], "event": "removed"}, "/urn"),
        ("removed", ""),
        (None, ""),
    ],
)
def test_a_broken_event_is_pointed_at(http: httpx2.Client, event: Any, pointer: str) -> None:
    good = {"urn": TABLE, "event": "removed"}
    assert set(pointers(http.post(EVENTS, json=[good, event]))) == {f"/1{pointer}"}
    if isinstance(event, dict):
        assert set(pointers(http.post(EVENTS, json=event))) == {pointer}
    assert http.get("/v1/projects/shop/stats").json()["entity_events"]["removed"] == 0


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("", 400),
        ("[]", 400),
        ("{", 400),
        ("NaN", 400),
        ('{"urn": "u", "event": "removed", "detail": {"x": NaN}}', 400),
        ("[" * 100_000, 400),
        ("7", 422),
        ("[[]]", 422),
    ],
)
def test_what_is_no_event_is_refused(http: httpx2.Client, body: str, status: int) -> None:
    assert http.post(EVENTS, content=body, headers=JSON).status_code == status


def test_ten_thousand_events_are_too_many(http: httpx2.Client) -> None:
    told = [{"urn": f"urn:{n}", "event": "removed"} for n in range(10_000)]
    refused = http.post(EVENTS, json=told)
    assert (refused.status_code, refused.json()["detail"]) == (
        413,
        "10,000 events; send at most 1,000 at once",
    )


def test_a_thousand_broken_events_are_told_shortly(http: httpx2.Client) -> None:
    assert len(pointers(http.post(EVENTS, json=[{"urn": 7}] * 1_000))) == 100


def test_a_urn_is_no_glob(http: httpx2.Client, clock: StandingClock) -> None:
    """Stars and braces are characters like all others: nothing is expanded."""
    bomb = "urn:" + "{a,b}" * 40 + "**/" * 10
    add(http, clock, "Orders close at nine.", TABLE)
    add(http, clock, "Moles dig by day.", bomb)
    marked = [
        http.post(EVENTS, json={"urn": urn, "event": "removed"}).json()["events"][0]["marked"]
        for urn in ("urn:*", "*", "urn:table:{orders,x}", bomb)
    ]
    assert marked == [0, 0, 0, 1]


def test_secret_names_are_refused(http: httpx2.Client) -> None:
    event = {"urn": TABLE, "event": "removed", "id": "ghp_" + "a1B2" * 9}
    refused = http.post(EVENTS, json=event)
    assert refused.status_code == 422
    assert event["id"] not in refused.text


def test_an_agent_may_tell_and_others_cannot_reach(
    serve: Callable[..., httpx2.Client], clock: StandingClock, tmp_path: Any
) -> None:
    http = serve(with_auth=True)
    secret = secret_of(read_settings({}, data_dir=tmp_path / "data").data_dir)

    def token(tenant: str) -> dict[str, str]:
        lifetime = {"now": START, "lifetime": clock.now() - START + (START - START.replace(year=2025))}
        made = mint(secret, tenant=tenant, principal="agent-7", persona=None, roles=["agent"], **lifetime)  # type: ignore[arg-type]
        return {"Authorization": f"Bearer {made}"}

    body = json.dumps({"urn": TABLE, "event": "removed"})
    assert http.post(EVENTS, content=body, headers=JSON).status_code == 401
    told = http.post(EVENTS, content=body, headers={**JSON, **token("acme")})
    assert (told.status_code, told.json()["events"][0]["is_known"]) == (200, False)
    shared = http.post("/v1/projects/_shared/entity-events", content=body, headers={**JSON, **token("acme")})
    assert shared.status_code == 403
