"""Many lines under one idempotency key: it is the key of all of them."""

from __future__ import annotations

import httpx2
import pytest

MEMORIES = "/v1/projects/shop/memories"
TURNS = "/v1/projects/shop/sessions/talk/turns"
LINES = [{"content": "Lambda answers within 29 seconds."}, {"content": "SQLite has one writer at a time."}]


def test_a_key_covers_all_lines(http: httpx2.Client) -> None:
    """Falls where the key of a line does not know the whole body: the third line would land."""
    key = {"idempotency-key": "bk"}
    first = http.post(f"{MEMORIES}:batch", json=LINES, headers=key)
    again = http.post(f"{MEMORIES}:batch", json=LINES, headers=key)
    assert [line["id"] for line in first.json()["results"]] == [
        line["id"] for line in again.json()["results"]
    ]
    assert again.headers["idempotent-replayed"] == "true"
    longer = http.post(f"{MEMORIES}:batch", json=[*LINES, {"content": "One more."}], headers=key)
    assert (longer.status_code, longer.json()["type"].rpartition(":")[2]) == (422, "idempotency_key_reused")
    assert len(http.get(MEMORIES).json()["memories"]) == 2


def test_a_line_says_that_it_is_over_as_a_single_write_does(http: httpx2.Client) -> None:
    """Said again for the same key, too; and by whoever waits for the result."""
    lines = [
        {"content": "The sale is on.", "expires_at": "2020-01-01T00:00:00Z"},
        {"content": "The shop is open."},
    ]
    alone = http.post(MEMORIES, json={**lines[0], "on_duplicate": "create"}).json()
    assert (alone["status"], alone["status_reason"]) == ("archived", "expired")
    for key in ("a", "a", None):
        sent = {} if key is None else {"idempotency-key": key}
        over, open_ = http.post(f"{MEMORIES}:batch", json=lines, headers=sent).json()["results"]
        if key is not None:
            assert "memory_status" not in open_
            assert (over["memory_status"], over["status_reason"]) == ("archived", "expired")
    later = http.post(f"{TURNS}", json=[{"content": "Hello.", "expires_at": "2020-01-01T00:00:00Z"}])
    assert later.json()["results"][0]["memory_status"] == "archived"


def test_keys_of_single_requests_lines_and_batches_are_apart(http: httpx2.Client) -> None:
    http.post(f"{MEMORIES}:batch", json=LINES, headers={"idempotency-key": "bk"})
    for key in ("bk", "bk:1", "line 1 bk"):
        stored = http.post(MEMORIES, json={"content": f"apart from {key}"}, headers={"idempotency-key": key})
        assert stored.status_code == 201


def test_repeated_turns_take_up_no_positions(http: httpx2.Client) -> None:
    """Falls where positions are taken before the earlier answers are looked at."""
    turns = [{"content": "Hello."}, {"content": "Good morning."}]
    for _ in range(3):
        http.post(TURNS, json=turns, headers={"idempotency-key": "t"})
    told = http.post(TURNS, json={"content": "Goodbye."}).json()["results"]
    assert http.get(f"{MEMORIES}/{told[0]['id']}").json()["position"] == 2


def test_a_turn_at_its_place_may_be_sent_again_and_a_second_one_is_refused(http: httpx2.Client) -> None:
    """Falls where an idempotency key is looked at after the places that are taken."""
    turns, key = [{"content": "Hello.", "position": 3}], {"idempotency-key": "t"}
    first, again = (http.post(TURNS, json=turns, headers=key).json()["results"] for _ in range(2))
    assert first[0]["id"] == again[0]["id"]
    (refused,) = http.post(TURNS, json=turns).json()["results"]
    assert refused["status"] == 409
    assert f"position 3 of this session is taken by {first[0]['id']}" in refused["problem"]["detail"]


@pytest.mark.parametrize("turns", [None, "Hello.", {"content": "Hello."}])
def test_turns_are_a_list(http: httpx2.Client, turns: object) -> None:
    """Falls where `_items` looks for a list only: it said that there is no field `turns`."""
    answer = http.post(TURNS, json={"turns": turns})
    assert (answer.status_code, answer.json()["detail"]) == (422, "a list is wanted, also of one")
    assert answer.json()["errors"][0]["pointer"] == "/turns"


def test_a_line_says_what_is_wrong_with_it_as_a_request_does(http: httpx2.Client) -> None:
    (line,) = http.post(TURNS, json=[{"text": "Hello."}]).json()["results"]
    assert line["problem"]["detail"] == "/content: is required (and 1 more)"


def test_nothing_beside_turns_is_dropped(http: httpx2.Client) -> None:
    answer = http.post(TURNS, json={"turns": [{"content": "Hello."}], "persona": "ops"})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/persona")
