"""Erasure over HTTP: the receipt, the operation, and who may."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from tests.e2e.conftest import Serve
from tests.e2e.test_data_routes import bearer
from tests.e2e.test_snapshots import WEB, ended
from tests.given import NoEmbedder

LARGE = 101
"""One more than what is answered at once."""


def test_all_that_names_an_entity_is_erased(http: httpx2.Client) -> None:
    for id, urn in (("one", "urn:x:jane"), ("two", "urn:x:joe")):
        http.post(f"{WEB}/memories", json={"id": id, "content": f"Said of {urn}.", "entities": [urn]})
    planned = http.post(f"{WEB}/erase", json={"entity": "urn:x:jane", "dry_run": True}).json()
    assert http.get(f"{WEB}/memories/one").status_code == 200
    done = http.post(f"{WEB}/erase", json={"entity": "urn:x:jane"}).json()
    assert planned["stores"] == done["stores"]
    assert (done["kind"], done["stores"]["records"], done["is_settled"]) == ("entity", 1, True)
    assert [http.get(f"{WEB}/memories/{id}").status_code for id in ("one", "two")] == [404, 200]


def test_a_repeated_request_gets_the_same_receipt(http: httpx2.Client) -> None:
    http.post(f"{WEB}/memories", json={"content": "Said of Jane.", "entities": ["urn:x:jane"]})
    asked = {"json": {"entity": "urn:x:jane"}, "headers": {"idempotency-key": "k"}}
    first = http.post(f"{WEB}/erase", **asked)  # type: ignore[arg-type]
    again = http.post(f"{WEB}/erase", **asked)  # type: ignore[arg-type]
    assert first.json() == again.json()
    assert again.headers["idempotent-replayed"] == "true"


def test_a_large_project_is_erased_behind(serve: Serve) -> None:
    http = serve(embedder=NoEmbedder())
    lines = [{"id": f"m{number:03}", "content": f"Fact {number}."} for number in range(LARGE)]
    http.post(f"{WEB}/memories:batch", json=lines)
    http.post(f"{WEB}/snapshots")
    done = ended(http, http.delete(WEB))
    assert (done["stores"]["records"], done["stores"]["snapshots"]) == (LARGE, 1)
    assert http.get(f"{WEB}/memories").json()["memories"] == []
    assert http.get(f"{WEB}/snapshots").json()["snapshots"] == []


def test_only_admins_erase_what_others_said(serve: Serve, tmp_path: Path) -> None:
    http = serve(with_auth=True)
    agent, admin = (bearer(tmp_path, "acme", role) for role in ("agent", "admin"))
    http.post(f"{WEB}/memories", json={"content": "An agent said this."}, headers=agent)
    assert http.post(f"{WEB}/erase", json={"created_by": "admin"}, headers=agent).status_code == 403
    assert http.delete(WEB, headers=agent).status_code == 403
    own = http.post(f"{WEB}/erase", json={"created_by": "agent"}, headers=agent)
    assert own.json()["stores"]["records"] == 1
    assert http.delete(WEB, headers=admin).status_code == 200


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({}, "give created_by or entity"),
        ({"created_by": "bob", "entity": "urn:x:jane"}, "give created_by or entity"),
        ({"created_by": ""}, "must not be empty"),
        ({"everything": True}, "everything"),
    ],
)
def test_a_request_that_means_nothing_or_everything_is_refused(
    http: httpx2.Client, body: dict[str, object], word: str
) -> None:
    refused = http.post(f"{WEB}/erase", json=body)
    assert refused.status_code == 422
    assert word in refused.text
