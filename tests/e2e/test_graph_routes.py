"""Graph and enrichment over HTTP: what they answer, and clear words for what they cannot take."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from memory_layer.edge.http.request_bounds import MAX_BODY_BYTES
from tests.e2e.test_bad_input import problem

WEB = "/v1/projects/web"
ORDERS = "urn:table:orders"


@pytest.fixture
def web(http: httpx2.Client) -> httpx2.Client:
    said = {"id": "note", "content": "Rows are kept, as Amy Nutt wished.", "entities": [ORDERS]}
    assert http.post(f"{WEB}/memories", json=said).status_code == 201
    return http


def test_the_map_of_an_entity(web: httpx2.Client) -> None:
    found = web.get(f"{WEB}/graph", params={"entity": ORDERS, "hops": 2}).json()
    assert [(node["id"], node["kind"]) for node in found["nodes"]] == [
        (ORDERS, "urn"),
        ("note", "memory"),
        ("name:amy nutt", "name"),
    ]
    assert found["nodes"][0]["total"] == 1
    note = found["nodes"][1]
    assert note["summary"].startswith("Rows are kept")
    assert (note["standing"], note["created_by"]) == ("trusted", "local")
    assert {(edge["source"], edge["type"], edge["target"]) for edge in found["edges"]} == {
        ("note", "mentions", ORDERS),
        ("note", "mentions", "name:amy nutt"),
    }
    assert (found["entity"], found["hops"], found["is_whole"]) == (ORDERS, 2, True)


def test_what_nobody_speaks_of_is_empty_and_no_error(web: httpx2.Client) -> None:
    for where in (WEB, "/v1/projects/never-written-to"):
        answer = web.get(f"{where}/graph", params={"entity": "urn:x:nobody"})
        assert (answer.status_code, answer.json()["nodes"], answer.json()["edges"]) == (200, [], [])


@pytest.mark.parametrize(
    ("params", "pointer"),
    [
        ({}, "/query/entity"),
        ({"entity": ""}, "/query/entity"),
        ({"entity": "x" * 257}, "/query/entity"),
        ({"entity": ORDERS, "hops": "0"}, "/query/hops"),
        ({"entity": ORDERS, "hops": "4"}, "/query/hops"),
        ({"entity": ORDERS, "hops": "two"}, "/query/hops"),
        ({"entity": ORDERS, "limit": "2001"}, "/query/limit"),
    ],
)
def test_a_map_that_cannot_be_drawn_is_refused(
    http: httpx2.Client, params: dict[str, str], pointer: str
) -> None:
    found = problem(http.get(f"{WEB}/graph", params=params), 422)
    assert found["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/payload"),
        ({"payload": 1, "limit": 0}, "/limit"),
        ({"payload": 1, "limit": 51}, "/limit"),
        ({"payload": 1, "limit": True}, "/limit"),
        ({"payload": 1, "limit": "5"}, "/limit"),
        ({"payload": 1, "tokens_max": -1}, "/tokens_max"),
        ({"payload": 1, "colour": "red"}, "/colour"),
    ],
)
def test_an_enrichment_that_cannot_be_made_is_refused(
    http: httpx2.Client, body: dict[str, Any], pointer: str
) -> None:
    assert problem(http.post(f"{WEB}/enrich", json=body), 422)["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"query": "x", "strategy": "graph", "hops": 4}, "/hops"),
        ({"query": "x", "strategy": "graph", "hops": 0}, "/hops"),
        ({"query": "x", "hops": 2}, "/hops"),
        ({"query": "x", "strategy": "semantic", "entities": [ORDERS]}, "/entities"),
        ({"query": "x", "strategy": "lexical", "entities": [ORDERS]}, "/entities"),
        ({"query": "x", "entities": [ORDERS] * 65}, "/entities"),
        ({"query": "x", "entities": [f"urn:x:{n}" for n in range(10_000)]}, "/entities"),
    ],
)
def test_a_recall_that_contradicts_itself_is_refused(
    http: httpx2.Client, body: dict[str, Any], pointer: str
) -> None:
    assert problem(http.post(f"{WEB}/recall", json=body), 422)["errors"][0]["pointer"] == pointer


def test_a_response_is_enriched(web: httpx2.Client) -> None:
    payload = {"rows": [{"table": ORDERS, "note": "owner is urn:user:nobody."}]}
    found = web.post(f"{WEB}/enrich", json={"payload": payload}).json()
    assert found["memory_ids"] == ["note"]
    assert "Rows are kept, as Amy Nutt wished." in found["memory_context"]
    assert (found["found"], found["unknown"]) == ([{"urn": ORDERS, "memories": 1}], ["urn:user:nobody"])
    assert found["is_whole"] is True
    assert 0 < found["total_tokens"] <= 2_000


def test_the_largest_payload_is_looked_through_and_a_larger_one_refused(web: httpx2.Client) -> None:
    filler = "urn:x:" + "y" * 300 + " ( " * 50
    largest = json.dumps({"payload": f"{ORDERS} " + filler * (MAX_BODY_BYTES // len(filler) - 2)})
    assert MAX_BODY_BYTES - 1_000 < len(largest) <= MAX_BODY_BYTES
    headers = {"content-type": "application/json"}
    answer = web.post(f"{WEB}/enrich", content=largest, headers=headers)
    assert (answer.status_code, answer.json()["memory_ids"]) == (200, ["note"])
    too_large = json.dumps({"payload": "x" * 6_000_000})
    found = problem(web.post(f"{WEB}/enrich", content=too_large, headers=headers), 413)
    assert f"{MAX_BODY_BYTES:,}" in found["detail"]


def test_half_a_character_ends_a_urn_and_crashes_nothing(web: httpx2.Client) -> None:
    """Safeguard: `urns._URN`; JSON can say half a surrogate pair, no index can be asked for one."""
    headers = {"content-type": "application/json"}
    body = json.dumps({"payload": f"{ORDERS}\ud800 \udfff urn:x:\udc00"})
    answer = web.post(f"{WEB}/enrich", content=body, headers=headers)
    assert (answer.status_code, answer.json()["memory_ids"]) == (200, ["note"])


def test_nesting_crashes_nothing(web: httpx2.Client) -> None:
    headers = {"content-type": "application/json"}
    brackets = "[" * 100_000 + "]" * 100_000
    deep = web.post(f"{WEB}/enrich", content=f'{{"payload": {brackets}}}', headers=headers)
    assert "nested too deeply" in problem(deep, 400)["detail"]
    as_text = web.post(f"{WEB}/enrich", json={"payload": f"{brackets} {ORDERS}"})
    assert as_text.json()["memory_ids"] == ["note"]
    within = web.post(f"{WEB}/enrich", content=f'{{"payload": {"[" * 300 + "]" * 300}}}', headers=headers)
    assert (within.status_code, within.json()["is_whole"]) == (200, False)
    many = web.post(f"{WEB}/enrich", json={"payload": [f"urn:x:{number}" for number in range(5_000)]})
    assert (many.status_code, many.json()["is_whole"], len(many.json()["unknown"])) == (200, False, 64)
