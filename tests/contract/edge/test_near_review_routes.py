"""The neighbours of an item that waits, and the default settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.errors import Forbidden, NotFound
from memory_layer.usecases.review.configure import default_policy
from memory_layer.usecases.review.near_review_item import near_review_item
from tests.answer_schemas import checked
from tests.e2e.conftest import running
from tests.given import put_as
from tests.run_examples import loop

PROJECT = "web"
ROOT = f"/v1/projects/{PROJECT}"
KNOWN = "The price cache of the checkout keeps its entries for an hour."
OTHERWISE = "The price cache of the checkout keeps its entries for a day."
RELATED = "Clear the price cache of the checkout after each change of the price list."


@pytest.fixture
def http(backend: EmbeddedBackend, tmp_path: Path) -> Iterator[httpx2.Client]:
    with (
        running(backend, tmp_path, with_auth=False) as url,
        httpx2.Client(base_url=url, timeout=30.0) as client,
    ):
        yield checked(client)


def stored(http: httpx2.Client, id: str, content: str, **fields: object) -> None:
    body = {"id": id, "content": content, "on_duplicate": "create", **fields}
    assert http.post(f"{ROOT}/memories", json=body).status_code == 201


def test_what_says_otherwise_comes_before_what_is_merely_near(http: httpx2.Client) -> None:
    stored(http, "m1", KNOWN)
    stored(http, "m2", RELATED)
    stored(http, "m3", OTHERWISE)
    stored(http, "m4", "Invoices are printed by the night shift.")
    first, second = http.get(f"{ROOT}/reviews/m3/near").json()["near"]
    assert (first["id"], first["verdict"], first["content"]) == ("m1", "otherwise", KNOWN)
    assert "hour" in first["difference"]
    assert (second["id"], second["verdict"]) == ("m2", "related")
    assert 0.4 <= second["similarity"] < first["similarity"] <= 1


def test_the_same_words_are_named_as_such(http: httpx2.Client) -> None:
    stored(http, "m1", KNOWN)
    stored(http, "m2", KNOWN)
    (near, *_) = http.get(f"{ROOT}/reviews/m2/near").json()["near"]
    assert (near["id"], near["verdict"], near["similarity"]) == ("m1", "same", 1.0)
    assert "difference" not in near


def test_a_staged_learning_is_compared_with_what_is_known(http: httpx2.Client) -> None:
    stored(http, "m1", "A test-driven approach to development.")
    assert http.post(f"{ROOT}/runs?mode=staged", json=loop("run-1")).status_code == 201
    staged = http.get(f"{ROOT}/staging").json()["staged"]
    (id,) = (one["id"] for one in staged if one["learning"]["content"].startswith("Test-driven"))
    (near, *_) = http.get(f"{ROOT}/reviews/{id}/near").json()["near"]
    assert (near["id"], http.get(f"{ROOT}/staging").json()["staged"]) == ("m1", staged)
    assert http.get(f"{ROOT}/reviews/stg_none/near").status_code == 404


def test_what_is_out_of_use_is_near_to_nothing(http: httpx2.Client) -> None:
    stored(http, "m1", RELATED)
    stored(http, "m2", KNOWN)
    http.delete(f"{ROOT}/memories/m1")
    assert http.get(f"{ROOT}/reviews/m2/near").json() == {"near": []}


def test_neighbours_are_told_to_reviewers_alone(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls without the look at the caller's role."""
    put_as(backend.ports, admin, "m1", KNOWN, project=PROJECT)
    with pytest.raises(Forbidden, match="reviewer"):
        near_review_item(backend.ports, agent, PROJECT, "m1")


def test_a_reviewer_of_one_persona_learns_nothing_of_another(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without the read of the memory as the caller may see it."""
    put_as(backend.ports, admin, "m1", KNOWN, project=PROJECT, persona="somebody-else")
    reviewer = replace(admin, roles=frozenset({"reviewer"}), persona="ada", personas=frozenset())
    with pytest.raises(NotFound):
        near_review_item(backend.ports, reviewer, PROJECT, "m1")


def test_defaults_are_those_of_a_project_that_set_nothing(http: httpx2.Client) -> None:
    defaults = http.get(f"{ROOT}/settings/defaults").json()
    assert defaults == http.get(f"{ROOT}/settings").json()
    http.patch(f"{ROOT}/settings", json={"prompt_limit": 20})
    assert http.get(f"{ROOT}/settings").json()["prompt_limit"] == 20
    assert http.get(f"{ROOT}/settings/defaults").json() == defaults


def test_defaults_are_told_to_admins_alone(agent: Principal) -> None:
    """Falls without the look at the caller's role."""
    with pytest.raises(Forbidden):
        default_policy(agent, PROJECT)
