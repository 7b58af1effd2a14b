"""Whoever sets rules, tells of events or looks back, and errs, is told what and where; and nothing is lost."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.given import START

WEB = "/v1/projects/web"
SETTINGS = f"{WEB}/settings"
TIERS = "/tier_policy"


def refusals(answer: httpx2.Response, status: int = 422) -> dict[str, str]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    return {error["pointer"]: error["detail"] for error in answer.json()["errors"]}


@pytest.mark.parametrize(
    ("tier_policy", "pointer", "said"),
    [
        ({"videos": {}}, f"{TIERS}/videos/[key]", "'code', 'documentation', 'research' or 'general'"),
        ({"code": {"evicts": {}}}, f"{TIERS}/code/evicts", "there are: match, pin, compress, evict"),
        (
            {"code": {"compress": {"age": 1}}},
            f"{TIERS}/code/compress/age",
            "there are: age_threshold_hours, access_threshold, compression_ratio",
        ),
        (
            {"code": {"pin": {"max_size_mb": 3_000}}},
            f"{TIERS}/code/pin/max_size_mb",
            "it would evict what it pins",
        ),
        ({"code": {"evict": {"lru_weight": 0.9}}}, f"{TIERS}/code/evict", "sum up to 1.3; make it 1"),
        ({"general": {"match": ["{a,b,c}" * 4]}}, f"{TIERS}/general/match/0", "81 patterns; the limit is 64"),
        ({"general": {"match": ["*" * 300]}}, f"{TIERS}/general/match/0", "the limit is 256"),
        ({"general": {"match": ["{" * 200]}}, f"{TIERS}/general/match/0", "a brace without its other half"),
        ({"general": {"pin": {"patterns": ["x"] * 65}}}, f"{TIERS}/general/pin/patterns", "at most 64"),
        (
            {"general": {"compress": {"compression_ratio": 1.5}}},
            f"{TIERS}/general/compress/compression_ratio",
            "1",
        ),
    ],
)
def test_a_tier_policy_that_cannot_be_followed_changes_nothing(
    http: httpx2.Client, tier_policy: dict[str, Any], pointer: str, said: str
) -> None:
    before = http.put(SETTINGS, json={"tier_policy": {"code": {"compress": {"access_threshold": 7}}}}).json()
    found = refusals(http.put(SETTINGS, json={"tier_policy": tier_policy}))
    assert said in found[pointer]
    assert http.get(SETTINGS).json() == before


def test_a_tier_policy_given_in_part_is_answered_whole(http: httpx2.Client) -> None:
    told = http.put(SETTINGS, json={"tier_policy": {"code": {"compress": {"access_threshold": 7}}}}).json()
    assert list(told["tier_policy"]) == ["code", "documentation", "research", "general"]
    code = told["tier_policy"]["code"]
    assert code["compress"] == {"age_threshold_hours": 6, "access_threshold": 7, "compression_ratio": 0.7}
    assert http.put(SETTINGS, json={}).json()["tier_policy"]["code"]["compress"]["access_threshold"] == 3


def test_an_event_of_a_thing_that_nothing_names_is_kept_and_counted(http: httpx2.Client) -> None:
    told = http.post(f"{WEB}/entity-events", json={"urn": "urn:x:nobody", "event": "removed"})
    assert told.status_code == 200
    (event,) = told.json()["events"]
    assert (event["is_known"], event["marked"]) == (False, 0)
    counts = http.get(f"{WEB}/stats").json()["entity_events"]
    assert (counts["removed"], counts["unknown"]) == (1, 1)


def test_nobody_looks_into_the_future(http: httpx2.Client) -> None:
    id = http.post(f"{WEB}/memories", json={"content": "Orders close at nine."}).json()["id"]
    later = START.replace(year=START.year + 1).isoformat().replace("+00:00", "Z")
    for path in (f"{WEB}/memories/{id}", f"{WEB}/memories", f"{WEB}/memories/{id}/history"):
        assert "lies in the future" in refusals(http.get(path, params={"as_of": later}))["/query/as_of"]
    asked = http.post(f"{WEB}/recall", json={"query": "orders", "as_of": later})
    assert "lies in the future" in refusals(asked)["/as_of"]


def test_nothing_supersedes_itself(http: httpx2.Client) -> None:
    id = http.post(f"{WEB}/memories", json={"content": "Orders close at nine."}).json()["id"]
    answer = http.post(f"{WEB}/memories/{id}/supersede", json={"id": id})
    refusals(answer, 409)
    assert "cannot supersede itself; write the correction as a memory of its own" in answer.json()["detail"]
    assert http.get(f"{WEB}/memories/{id}").json()["status"] == "active"


def test_stats_tell_of_each_tier_and_its_cost(http: httpx2.Client) -> None:
    http.post(f"{WEB}/memories", json={"content": "Orders close at nine."})
    tiers = http.get(f"{WEB}/stats").json()["tiers"]
    assert list(tiers) == ["hot", "warm", "cold", "frozen"]
    assert tiers["hot"]["records"] == 1
    assert tiers["hot"]["usd_per_month"] == pytest.approx(tiers["hot"]["bytes"] / 2**30 * 0.372, abs=1e-6)
    assert tiers["frozen"] == {"records": 0, "bytes": 0, "body_bytes": 0, "usd_per_month": 0.0}
