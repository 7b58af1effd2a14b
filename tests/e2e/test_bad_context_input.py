"""Whoever asks for a context and errs is told what and where; and feedback is on one's own requests alone."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

WEB = "/v1/projects/web"
CONTEXT = f"{WEB}/context"
INTENT = "how long does the queue keep messages?"


def asked(http: httpx2.Client, **fields: Any) -> httpx2.Response:
    return http.post(CONTEXT, json={"intent": INTENT, **fields})


@pytest.mark.parametrize(
    ("fields", "pointer", "said"),
    [
        ({"budgets": {"tokens_max": -1}}, "/budgets/tokens_max", "at least 0"),
        ({"budgets": {"tokens_max": 200_001}}, "/budgets/tokens_max", "at most 200000"),
        ({"budgets": {"tokens_max": "many"}}, "/budgets/tokens_max", "whole number"),
        ({"budgets": {"time_ms": 0}}, "/budgets/time_ms", "at least 1"),
        ({"budgets": {"time_ms": 10**9}}, "/budgets/time_ms", "at most 27000"),
        ({"budgets": {"quality_min": 1.1}}, "/budgets/quality_min", "at most 1"),
        ({"budgets": {"tokens": 1}}, "/budgets/tokens", "there is no such field"),
        ({"budgets": {"tokens_max": None}}, "/budgets/tokens_max", "whole number"),
        ({"budgets": None}, "/budgets", "give a JSON object"),
        ({"tokenizer": ""}, "/tokenizer", "must not be empty"),
        ({"source_scope": ["L5"]}, "/source_scope/0", "there are: global (L1), project (L2), workshop (L3)"),
        ({"source_scope": [{}]}, "/source_scope/0", "there are: global (L1)"),
        ({"source_scope": []}, "/source_scope", "must not be empty"),
        ({"source_scope": ["L3"]}, "/session_id", "give session_id or source_scope"),
        ({"lod_preference": "huge"}, "/lod_preference", "'macro', 'micro', 'atomic' or 'adaptive'"),
        ({"format": "pdf"}, "/format", "'markdown', 'xml' or 'json'"),
        ({"tokenizer": "bpe"}, "/tokenizer", "name wordpiece"),
        ({"tokenizer": "tiktoken:" + "x" * 100, "budgets": {"time_ms": 20_000}}, "/tokenizer", "tiktoken"),
        ({"entities": [f"urn:t:{n}" for n in range(10_000)]}, "/entities", "10,000 entities; name the 64"),
        ({"entities": "urn:t:1"}, "/entities", "a list is wanted"),
        ({"request_id": "a b"}, "/request_id", "must match the pattern"),
        ({"intent": " "}, "/intent", "leave it out at the start of a session"),
        ({"intent": None, "entities": ["urn:t:1"]}, "/entities", "give intent, or leave entities out"),
        ({"intent": "x" * 8_193}, "/intent", "8192"),
        (
            {"kv_policy": {"pin": {"glob": 1}}},
            "/kv_policy/pin/glob",
            "there are: patterns, max_size_mb, ttl_hours",
        ),
        (
            {"kv_policy": {"compression_ratio": 0.5}},
            "/kv_policy/compression_ratio",
            "there are: pin, compress, evict",
        ),
        ({"kv_policy": {"pin": ["lambda"]}}, "/kv_policy/pin", "give a JSON object"),
        (
            {"kv_policy": {"evict": {"lru_weight": 0.9, "quality_weight": 0.9}}},
            "/kv_policy",
            "sum up to 1.8; make it 1",
        ),
        (
            {"kv_policy": {"evict": {"lru_weight": 0.9}}},
            "/kv_policy",
            "give both lru_weight and quality_weight",
        ),
        ({"kv_policy": {"pin": {"patterns": ["*.md", ""]}}}, "/kv_policy/pin/patterns/1", "empty"),
        ({"kv_policy": {"pin": {"patterns": ["{a,b"]}}}, "/kv_policy/pin/patterns/0", "brace without"),
        ({"colour": "red"}, "/colour", "there is no such field"),
    ],
)
def test_a_bad_request_is_told_where_and_what(
    http: httpx2.Client, fields: dict[str, Any], pointer: str, said: str
) -> None:
    answer = asked(http, **fields)
    assert answer.status_code == 422, answer.text
    errors = {error["pointer"]: error["detail"] for error in answer.json()["errors"]}
    assert pointer in errors
    assert said in errors[pointer]


def test_what_is_omitted_has_its_default_and_nothing_fits_into_nothing(http: httpx2.Client) -> None:
    http.post(f"{WEB}/memories", json={"content": "The queue keeps messages for four days."})
    whole = asked(http, budgets={"time_ms": 20_000}, source_scope=["L2", "L2"]).json()
    assert [part["source_layer"] for part in whole["fragments"]] == ["project"]
    assert set(whole) == {
        *("request_id", "recall_id", "fragments", "rendered", "omitted", "conflicts", "metadata", "warnings"),
    }
    assert set(whole["fragments"][0]) == {
        *("id", "project", "content", "standing", "source_layer", "dated", "age_days"),
        *("ref", "lod", "priority_score", "token_cost", "metadata"),
    }
    empty = asked(http, budgets={"tokens_max": 0, "time_ms": 20_000}).json()
    assert (empty["rendered"], empty["metadata"]["total_tokens"]) == ("", 0)
    assert [one["reason"] for one in empty["omitted"]] == ["over_budget"]


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"intent": ' + b'"' * 3, b"null", b"[]", b'{"intent": 7}']
)
def test_a_body_that_is_none_is_refused(http: httpx2.Client, body: bytes) -> None:
    answer = http.post(CONTEXT, content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("body", "pointer", "said"),
    [
        ('{"intent": "queue", "budgets": {"quality_min": NaN}}', "/budgets/quality_min", "finite number"),
        ('{"intent": "queue", "budgets": {"tokens_max": 1e999}}', "/budgets/tokens_max", "whole number"),
        ('{"intent": "half \\ud800 a character"}', "/intent", "half a surrogate pair"),
        ('{"intent": "queue", "entities": ["\\udc00"]}', "/entities/0", "half a surrogate pair"),
        ('{"intent": "a\\u0000b"}', "/intent", "NUL (U+0000)"),
        ('"queue"', "", "give a JSON object"),
    ],
)
def test_what_is_no_number_or_no_text_is_told_in_clear_words(
    http: httpx2.Client, body: str, pointer: str, said: str
) -> None:
    answer = http.post(CONTEXT, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422, answer.text
    (error,) = answer.json()["errors"]
    assert (error["pointer"], said in error["detail"]) == (pointer, True), error


def test_ten_thousand_wrong_fields_are_counted_and_the_first_told(http: httpx2.Client) -> None:
    """Falls without `VIOLATIONS_MAX`."""
    answer = asked(http, **{f"field{number}": number for number in range(10_000)})
    assert (answer.status_code, len(answer.json()["errors"])) == (422, 100)
    assert answer.json()["detail"] == "/field0: there is no such field (and 9999 more)"


def test_six_megabytes_are_refused_by_their_size(http: httpx2.Client) -> None:
    answer = asked(http, entities=["urn:table:orders" * 10] * 40_000)
    said = "the request is longer than 4,194,304 bytes; send less at once"
    assert (answer.status_code, answer.json()["detail"]) == (413, said)
    assert answer.json()["title"] == "Request too large"


def test_feedback_is_on_ones_own_requests_and_says_something(http: httpx2.Client) -> None:
    nowhere = http.post(f"{CONTEXT}/r1/feedback", json={"completeness": 0.5})
    assert (nowhere.status_code, "no memories yet" in nowhere.json()["detail"]) == (404, True)
    http.post(f"{WEB}/memories", json={"content": "The queue keeps messages for four days."})
    unknown = http.post(f"{CONTEXT}/r1/feedback", json={"completeness": 0.5})
    assert (unknown.status_code, "for you as r1" in unknown.json()["detail"]) == (404, True)
    asked(http, request_id="r1")
    bad = (
        ({}, "nothing is rated; give coherence_score"),
        ({"completeness": None}, "nothing is rated; give coherence_score"),
        ({"completeness": 1.5}, "at most 1"),
    )
    for body, said in bad:
        refused = http.post(f"{CONTEXT}/r1/feedback", json=body)
        assert (refused.status_code, said in refused.json()["detail"]) == (422, True), refused.text
    given = [http.post(f"{CONTEXT}/r1/feedback", json={"completeness": 0.5}).json() for _ in range(2)]
    assert [one["counted"] for one in given] == [True, False]
    assert given[0]["tuning"] == given[1]["tuning"] == http.get(f"{CONTEXT}/tuning").json()
    assert http.delete(f"{CONTEXT}/tuning").json()["entity_share"] == 0.3
