"""Rollback over HTTP: the plan, the receipt, its undo, and the same behind."""

from __future__ import annotations

import httpx2

from tests.e2e.conftest import Serve
from tests.e2e.test_snapshots import WEB, ended
from tests.given import NoEmbedder

LARGE = 501
"""One more than what is answered at once."""


def test_a_principal_is_taken_back_and_brought_back(http: httpx2.Client) -> None:
    http.post(f"{WEB}/memories", json={"id": "one", "content": "The journal is a file."})
    who = http.get(f"{WEB}/memories/one/history").json()["versions"][0]["by"]
    planned = http.post(f"{WEB}/rollback", json={"principal": who, "dry_run": True}).json()
    assert (planned["status"], planned["counts"]) == ("planned", {"retired": 1})
    done = http.post(f"{WEB}/rollback", json={"principal": who}).json()
    assert (done["status"], done["ids"]) == ("applied", ["one"])
    assert http.get(f"{WEB}/memories/one").json()["status"] == "archived"
    assert http.get(f"{WEB}/rollback/{done['id']}").json() == done
    undone = http.post(f"{WEB}/rollback/{done['id']}/undo").json()
    assert (undone["status"], undone["counts"]) == ("undone", {"restored": 1})
    assert http.get(f"{WEB}/memories/one").json()["status"] == "active"
    assert http.get(f"{WEB}/rollback/rbk_none").status_code == 404


def test_a_large_project_is_rolled_back_behind(serve: Serve) -> None:
    http = serve(embedder=NoEmbedder())
    lines = [{"content": f"Entry {number} of the ledger."} for number in range(LARGE)]
    http.post(f"{WEB}/memories:batch", json=lines)
    begun = http.post(f"{WEB}/rollback", json={"principal": "nobody@acme.test"})
    assert begun.status_code == 202
    assert ended(http, begun)["counts"] == {}
