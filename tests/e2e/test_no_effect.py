"""What would have no effect is refused, and not dropped."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

MEMORIES = "/v1/projects/web/memories"
FACT = {"content": "Herons nest in April."}


def pointers(answer: httpx2.Response) -> list[str]:
    assert answer.status_code == 422, answer.text
    return [error["pointer"] for error in answer.json()["errors"]]


@pytest.mark.parametrize("strategy", ["semantic", "lexical"])
def test_entities_go_with_no_strategy_that_knows_words_alone(http: httpx2.Client, strategy: str) -> None:
    """Falls without the refusal in edge/shapes/recall_requests.py: they would be ignored (ADR-0003)."""
    asked = {"query": "herons", "entities": ["urn:x"], "strategy": strategy}
    assert pointers(http.post("/v1/projects/web/recall", json=asked)) == ["/entities"]


def test_an_approval_takes_no_body(http: httpx2.Client) -> None:
    """Falls without `Nothing` in edge/shapes/requests.py: a reason would be lost without a word."""
    location = http.post(MEMORIES, json=FACT).headers["location"]
    assert pointers(http.patch(f"{location}/approve", json={"reason": "checked"})) == ["/reason"]
    assert http.get(location).json()["approved_by"] is None
    assert http.patch(f"{location}/approve", json={}).is_success
    assert http.patch(f"{location}/approve").is_success


@pytest.mark.parametrize("name", ["task_type", "source", "tier", "dimension", "status"])
def test_a_filter_by_what_no_record_can_be_is_refused(http: httpx2.Client, name: str) -> None:
    """Falls where these filters are any text; a pointer names the caller's parameter and nothing of ours."""
    assert pointers(http.get(MEMORIES, params={name: "nonsense"})) == [f"/query/{name}/0"]
    if name != "status":
        asked = {"query": "herons", "filters": {name: ["nonsense"]}}
        assert pointers(http.post("/v1/projects/web/recall", json=asked)) == [f"/filters/{name}/0"]


@pytest.mark.parametrize(
    "asked", [{"active": "false", "status": "active"}, {"active": "true", "status": "archived"}]
)
def test_a_contradiction_is_refused(http: httpx2.Client, asked: dict[str, str]) -> None:
    assert pointers(http.get(MEMORIES, params=asked)) == ["/query/active"]


def test_status_may_be_said_twice(http: httpx2.Client) -> None:
    http.post(MEMORIES, json=FACT)
    for asked in ({"active": "true", "status": "active"}, {"active": "false", "status": "archived"}):
        assert http.get(MEMORIES, params=asked).is_success


def test_if_match_makes_nothing(http: httpx2.Client) -> None:
    """Falls without `_require_record` in edge/routes/memories.py."""
    any_version = {"if-match": "*"}
    assert http.put(f"{MEMORIES}/m1", json=FACT, headers=any_version).status_code == 412
    assert http.get(f"{MEMORIES}/m1").status_code == 404
    http.put(f"{MEMORIES}/m1", json=FACT)
    assert http.put(f"{MEMORIES}/m1", json={"content": "In May."}, headers=any_version).status_code == 200


@pytest.mark.parametrize(
    "moment", [1e12, 1_700_000_000, "1700000000", "2099-01-01", "2099-01-01T00:00:00", True]
)
def test_a_time_is_rfc_3339_text(http: httpx2.Client, moment: Any) -> None:
    """Falls without `_text` in edge/shapes/derived_models.py: pydantic takes numbers for seconds since 1970."""
    assert pointers(http.post(MEMORIES, json={**FACT, "expires_at": moment})) == ["/expires_at"]


@pytest.mark.parametrize("moment", ["2099-01-01T00:00:00Z", "2099-01-01T00:00:00.5+02:00"])
def test_a_time_with_its_zone_is_taken(http: httpx2.Client, moment: str) -> None:
    assert http.post(MEMORIES, json={**FACT, "expires_at": moment}).status_code == 201


def test_a_taken_id_is_called_so(http: httpx2.Client) -> None:
    """Falls where an id clash is told as a version conflict."""
    assert http.post(MEMORIES, json={**FACT, "id": "m1"}).status_code == 201
    taken = http.post(MEMORIES, json={"content": "Otters swim at night.", "id": "m1"})
    assert (taken.status_code, taken.json()["title"]) == (409, "Id taken")
    assert taken.json()["type"] == "urn:memory-layer:problem:id_taken"


def test_a_replacement_does_not_come_from_elsewhere(http: httpx2.Client) -> None:
    """Falls without `_refuse_other_origin` in usecases/write/put.py: what was said of the origin would be dropped."""
    run = {"source": "run", "source_run_id": "r1", "source_runs": ["r1"]}
    http.put(f"{MEMORIES}/m1", json={**FACT, **run})
    assert http.put(f"{MEMORIES}/m1", json={"content": "In May.", **run}).status_code == 200
    assert http.put(f"{MEMORIES}/m1", json=FACT).status_code == 200
    other = {
        "source": "human",
        "source_run_id": "r2",
        "source_runs": ["r1", "r2"],
        "source_recall_id": "rcl_1",
    }
    assert pointers(http.put(f"{MEMORIES}/m1", json={**FACT, **other})) == [
        *("/source", "/source_recall_id", "/source_run_id", "/source_runs")
    ]
    assert http.get(f"{MEMORIES}/m1").json()["source_run_id"] == "r1"


def test_what_is_over_when_it_is_written_is_answered_as_it_reads(http: httpx2.Client) -> None:
    """Falls without `as_of_now` in usecases/write/remember.py: it was told to be active, and nobody ever saw it."""
    over = FACT | {"expires_at": "2020-01-01T00:00:00Z"}
    key = {"idempotency-key": "k1"}
    made, again = (http.post(MEMORIES, json=over, headers=key) for _ in range(2))
    stored = made.json()
    assert (made.status_code, stored.pop("receipt")["durable"]) == (201, True)
    assert (stored["status"], stored["status_reason"], stored["active"]) == ("archived", "expired", False)
    assert http.get(made.headers["location"]).json() == stored
    assert again.text == made.text
    back = http.patch(made.headers["location"], json={"expires_at": None}).json()
    assert (back["status"], back["version"]) == ("active", 2)


def test_a_flag_that_is_neither_true_nor_false_is_refused_in_words(http: httpx2.Client) -> None:
    refused = http.get(MEMORIES, params={"pinned": "maybe"})
    assert pointers(refused) == ["/query/pinned"]
    assert refused.json()["errors"][0]["detail"] == "say true or false"
