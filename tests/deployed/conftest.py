"""One deployment for all tests of a session; each test has a project of its own in it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from uuid import uuid4

import httpx2
import pytest

from infra.node import has_node
from tests.aws.conftest import endpoint_of
from tests.deployed.assembly import synthesise
from tests.deployed.deployment import (
    ADMIN_CLIENT,
    AGENT_CLIENT,
    CONTEXT,
    LAYERS,
    RIVAL_CLIENT,
    TENANT,
    Deployed,
    deploy,
)
from tests.deployed.ministack import end_of, running
from tests.deployed.search_node import SearchNode
from tests.engines.engine import engines_folder
from tests.engines.opensearch import OPENSEARCH_NODE
from tests.given import REPOSITORY

PROGRAM: Final = REPOSITORY / ".venv-ministack" / "bin" / "ministack"


@pytest.fixture(scope="session")
def search_node() -> Iterator[SearchNode]:
    """The domain of the deployment: a real node, of which nobody else may use these index names meanwhile."""
    node = SearchNode(endpoint_of(OPENSEARCH_NODE))
    with _alone():
        node.empty()
        yield node
        node.empty()


@contextmanager
def _alone() -> Iterator[None]:
    engines_folder().mkdir(parents=True, exist_ok=True)
    with (engines_folder() / "deployed.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def assembly_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `cdk synth` writes for the dev profile."""
    require_parts()
    folder = tmp_path_factory.mktemp("cdk.out")
    synthesise(REPOSITORY, CONTEXT, folder)
    return folder


@pytest.fixture(scope="session")
def deployed(
    request: pytest.FixtureRequest,
    search_node: SearchNode,
    assembly_folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Deployed]:
    """The dev profile as `cdk deploy` makes it, its index built."""
    failed_before = request.session.testsfailed
    with running(PROGRAM, tmp_path_factory.mktemp("ministack")) as server:
        made = deploy(server, assembly_folder, search_node.endpoint)
        error, told = made.invoke("reindex", {})
        assert error is None, f"the first index was not built: {told}\n{end_of(server.log)}"
        yield made
    if request.session.testsfailed > failed_before:
        print(f"The log of ministack and of all functions: {server.log}")


def require_parts() -> None:
    """Skip, saying what is missing; where the environment names the search node, nothing may be."""
    there = {
        "ministack": PROGRAM.exists(),
        "layers for this machine": all(map(Path.is_dir, LAYERS.values())),
        "Node": has_node(),
    }
    missing = " and ".join(part for part, is_there in there.items() if not is_there)
    if missing:
        give_up = pytest.fail if OPENSEARCH_NODE.variable in os.environ else pytest.skip
        give_up(f"{missing} not found. make test-aws sets all up and runs these tests.")


@pytest.fixture(scope="session")
def tenant() -> str:
    return TENANT


Callers = Callable[[str], httpx2.Client]


@pytest.fixture(scope="session")
def callers(deployed: Deployed, tenant: str) -> Iterator[Callers]:
    """API clients by the names of OAuth clients: admin and agent of one tenant, a rival of another."""
    with introduced(deployed, tenant) as found:
        yield found


@contextmanager
def introduced(deployed: Deployed, tenant: str) -> Iterator[Callers]:
    """API clients of a deployment whose clients table has their rows."""
    known: dict[str, httpx2.Client] = {}
    deployed.introduce(
        ADMIN_CLIENT, tenant=tenant, roles=["agent", "reviewer", "admin"], email="ada@acme.test"
    )
    deployed.introduce(AGENT_CLIENT, tenant=tenant, roles=["agent"])
    deployed.introduce(RIVAL_CLIENT, tenant=f"rival-{tenant}", roles=["agent", "reviewer", "admin"])

    def of(client: str) -> httpx2.Client:
        if client not in known:
            known[client] = deployed.caller(deployed.token_of(client))
        return known[client]

    yield of
    for http in known.values():
        http.close()


@pytest.fixture
def agent(callers: Callers) -> httpx2.Client:
    return callers(AGENT_CLIENT)


@pytest.fixture
def admin(callers: Callers) -> httpx2.Client:
    return callers(ADMIN_CLIENT)


@pytest.fixture
def rival(callers: Callers) -> httpx2.Client:
    return callers(RIVAL_CLIENT)


@pytest.fixture
def project() -> str:
    return f"p-{uuid4().hex[:12]}"
