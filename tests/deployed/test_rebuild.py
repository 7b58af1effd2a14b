"""The function `reindex`, called by hand: a new index beside the old one, then in its place."""

from __future__ import annotations

import httpx2
import pytest

from tests.deployed.calls import created, ids_of, memories, recalled, settled
from tests.deployed.deployment import Deployed
from tests.deployed.patience import eventually
from tests.deployed.search_node import SearchNode

pytestmark = pytest.mark.engines


def test_a_rebuilt_index_has_what_the_table_has_and_takes_what_comes(
    deployed: Deployed, search_node: SearchNode, agent: httpx2.Client, tenant: str, project: str
) -> None:
    kept, erased = (created(agent, project, text)["id"] for text in ("Lamps are LED.", "Doors are oak."))
    settled(deployed, tenant, project)
    assert agent.delete(f"{memories(project)}/{erased}", params={"hard": "true"}).status_code == 204
    before = search_node.searched()

    error, report = deployed.invoke("reindex", {})
    assert error is None, report
    assert len(search_node.searched()) == 1
    assert search_node.searched() != before
    assert (search_node.document(project, kept) or {})["version"] == 1
    assert (search_node.document(project, erased) or {})["is_tombstone"]

    later = created(agent, project, "Windows are triple glazed.")["id"]
    assert eventually(lambda: search_node.document(project, later))
    told = recalled(agent, project, "lamps, doors and windows")
    assert (set(ids_of(told)), told["degraded"]) == ({kept, later}, False)
