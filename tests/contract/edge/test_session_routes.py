"""The routes of conversations as a client meets them: what an agent framework's session needs."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from tests.answer_schemas import checked
from tests.e2e.conftest import running

SESSIONS = "/v1/projects/web/sessions"
TURNS = f"{SESSIONS}/talk/turns"
SAID = ["The build is red.", "Which step?", "The linter, since Monday."]


@pytest.fixture
def http(backend: EmbeddedBackend, tmp_path: Path) -> Iterator[httpx2.Client]:
    with (
        running(backend, tmp_path, with_auth=False) as url,
        httpx2.Client(base_url=url, timeout=30.0) as client,
    ):
        yield checked(client)


def contents(answer: httpx2.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [turn["content"] for turn in answer.json()["turns"]]


def test_a_session_keeps_reads_takes_back_and_clears_its_items(http: httpx2.Client) -> None:
    """get_items(limit), add_items, pop_item, clear_session."""
    posted = "\n".join(json.dumps({"content": said}) for said in SAID)
    stored = http.post(TURNS, content=posted, headers={"Content-Type": "application/x-ndjson"})
    assert [line["status"] for line in stored.json()["results"]] == [201, 201, 201]
    latest = contents(http.get(TURNS, params={"newest_first": "true", "limit": 2}))
    assert latest == [SAID[2], SAID[1]]
    first = http.get(TURNS, params={"limit": 2})
    rest = http.get(TURNS, params={"limit": 2, "cursor": first.json()["next_cursor"]})
    assert contents(first) + contents(rest) == SAID
    assert rest.json()["next_cursor"] is None
    listed = http.get(SESSIONS).json()["sessions"]
    assert [(one["session_id"], one["last_position"]) for one in listed] == [("talk", 2)]

    key = {"Idempotency-Key": "once"}
    popped = http.post(f"{TURNS}:pop", headers=key)
    assert popped.json()["turn"]["content"] == SAID[2]
    again = http.post(f"{TURNS}:pop", headers=key)
    assert (again.json(), again.headers["Idempotent-Replayed"]) == (popped.json(), "true")
    assert contents(http.get(TURNS)) == SAID[:2]

    cleared = http.delete(f"{SESSIONS}/talk").json()
    assert cleared == {"cleared": 2, "kept": 0, "complete": True}
    assert contents(http.get(TURNS)) == []
    assert http.post(f"{TURNS}:pop").json() == {"turn": None}
    assert http.delete(f"{SESSIONS}/talk", params={"hard": "true"}).json()["cleared"] == 3


def test_a_cursor_that_names_no_position_is_refused(http: httpx2.Client) -> None:
    """Falls with a 500 where the text of a cursor is taken for a number unread."""
    http.post(TURNS, json={"turns": [{"content": said} for said in SAID]})
    cursor = http.get(TURNS, params={"limit": 1}).json()["next_cursor"]
    binding, _, id = json.loads(base64.urlsafe_b64decode(cursor + "=="))
    for place in ("soon", "-1", "9" * 30):
        forged = base64.urlsafe_b64encode(json.dumps([binding, place, id]).encode()).decode().rstrip("=")
        assert http.get(TURNS, params={"cursor": forged}).status_code == 400
