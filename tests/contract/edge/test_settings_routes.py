"""The settings of a project as a client changes them: some at a time, and only what it has seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.merge_patch import merged
from tests.answer_schemas import checked
from tests.e2e.conftest import running

SETTINGS = "/v1/projects/web/settings"


@pytest.fixture
def http(backend: EmbeddedBackend, tmp_path: Path) -> Iterator[httpx2.Client]:
    with (
        running(backend, tmp_path, with_auth=False) as url,
        httpx2.Client(base_url=url, timeout=30.0) as client,
    ):
        yield checked(client)


def test_a_patch_leaves_what_it_omits_and_null_goes_back_to_the_default(http: httpx2.Client) -> None:
    """Falls where a patch replaces, or a null inside of the expiry by type takes the type away."""
    put = {"review_sources": ["run"], "synonyms": {"k8s": ["kubernetes"], "db": ["database"]}}
    assert http.put(SETTINGS, json=put).status_code == 200
    patch = {
        "prompt_limit": 3,
        "limits": {"failed_per_session_hour": 5},
        "default_expiry_days": {"warning": None, "context": 7},
        "synonyms": {"db": None, "ci": ["pipeline"]},
        "tier_policy": {"general": {"evict": {"max_total_size_gb": 9}}},
    }
    before = http.get(SETTINGS).json()
    answer = http.patch(SETTINGS, json=patch)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found == http.get(SETTINGS).json()
    assert found["review_sources"] == ["run"]
    assert found["prompt_limit"] == 3
    assert found["limits"] == {**before["limits"], "failed_per_session_hour": 5}
    assert found["default_expiry_days"] == {**before["default_expiry_days"], "warning": None, "context": 7}
    evict = before["tier_policy"]["general"]["evict"]
    assert found["tier_policy"]["general"]["evict"] == {**evict, "max_total_size_gb": 9}
    assert found["synonyms"] == {"k8s": ["kubernetes"], "ci": ["pipeline"]}
    back = http.patch(SETTINGS, json={"review_sources": None, "prompt_limit": None}).json()
    assert (back["review_sources"], back["prompt_limit"]) == ([], 10)
    assert back["synonyms"] == found["synonyms"]


def test_settings_that_somebody_else_changed_are_not_overwritten(http: httpx2.Client) -> None:
    """Falls without the check of If-Match."""
    seen = http.get(SETTINGS).headers["etag"]
    assert http.patch(SETTINGS, json={"prompt_limit": 3}, headers={"If-Match": seen}).status_code == 200
    for method in ("PUT", "PATCH"):
        late = http.request(method, SETTINGS, json={"prompt_limit": 4}, headers={"If-Match": seen})
        assert late.status_code == 412, late.text
    now = http.get(SETTINGS)
    assert now.json()["prompt_limit"] == 3
    assert http.put(SETTINGS, json={}, headers={"If-Match": now.headers["etag"]}).status_code == 200


def test_a_patch_that_makes_no_settings_changes_nothing(http: httpx2.Client) -> None:
    before = http.get(SETTINGS).json()
    for wrong in (
        {"unheard_of": 1},
        {"unheard_of": None},
        {"prompt_limit": 0},
        {"limits": {"unheard_of": 1}},
    ):
        assert http.patch(SETTINGS, json=wrong).status_code == 422, wrong
    assert http.get(SETTINGS).json() == before


def test_a_prompt_without_a_limit_has_that_of_the_settings(http: httpx2.Client) -> None:
    """Falls where prompts have a limit of their own."""
    for number in range(4):
        said = {
            "content": f"Convention {number}: files of kind {number} lie in folder {number}.",
            "type": "convention",
        }
        assert (
            http.post("/v1/projects/web/memories", json={**said, "on_duplicate": "create"}).status_code == 201
        )
    http.patch(SETTINGS, json={"prompt_limit": 2})
    prompt = "/v1/projects/web/prompt"
    assert len(http.post(prompt, json={"task": "Add a file."}).json()["memory_ids"]) == 2
    assert len(http.post(prompt, json={"task": "Add a file.", "limit": 3}).json()["memory_ids"]) == 3


def test_merging_follows_the_rfc() -> None:
    """RFC 7396, appendix A, of objects."""
    for document, patch, expected in (
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ):
        assert merged(document, patch) == expected


def test_weights_and_prices_are_settings_of_which_a_patch_takes_members_away(http: httpx2.Client) -> None:
    code = {"relevance": 0.5, "recency": 0.3, "credibility": 0.1, "coherence": 0.1}
    put = {"context_weights": {"code": code, "research": code}, "token_prices": {"house": 0.5, "guest": 2}}
    assert http.put(SETTINGS, json=put).status_code == 200
    patch = {"context_weights": {"research": None}, "token_prices": {"guest": None, "new": 1.5}}
    found = http.patch(SETTINGS, json=patch).json()
    assert found["context_weights"] == {"code": code}
    assert found["token_prices"] == {"house": 0.5, "new": 1.5}
    assert http.get(SETTINGS).json() == found
    for wrong in (
        {"context_weights": {"code": {"relevance": 0.9}}},
        {"context_weights": {"poetry": code}},
        {"token_prices": {"free": 0}},
    ):
        assert http.patch(SETTINGS, json=wrong).status_code == 422
    assert http.get(SETTINGS).json() == found


@pytest.mark.parametrize("weights", [1, {"relevance": 0.9}, {"relevance": 2}])
@pytest.mark.parametrize("send", ["put", "patch"])
def test_wrong_weights_are_told_what_weights_there_are(
    http: httpx2.Client, weights: object, send: str
) -> None:
    """Falls where the answer is in the words of Python, or names one weight of four."""
    refused = http.request(send, SETTINGS, json={"context_weights": {"code": weights}})
    assert refused.status_code == 422
    told = refused.json()["errors"][0]
    assert told["pointer"].startswith("/context_weights/code")
    assert "instance" not in told["detail"]
    if "/relevance" not in told["pointer"]:
        named = ("relevance", "recency", "credibility", "coherence", "sum up to")
        assert all(word in told["detail"] for word in named)
