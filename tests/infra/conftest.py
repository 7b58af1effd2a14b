"""Two deployments, synthesised once a test session however many workers it has."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Any

import pytest

from infra.node import NODE_NEEDED, has_node
from tests.given import REPOSITORY
from tests.infra.templates import Assembly

DEV = {
    "profile": "dev",
    "region": "us-east-1",
    "layers": "placeholder",
    "cors_origins": "https://app.example.org",
    "event_sources": '{"orchestrator": {"tenant": "acme", "sub": "loops", "persona": "builder"}}',
}
PROD = {
    "profile": "prod",
    "region": "eu-central-1",
    "layers": "placeholder",
    "alarm_email": "team@example.org",
    "issuer": "https://id.example.org/",
    "audience": "memory-layer",
}


def need_node() -> None:
    if not has_node():
        pytest.skip(NODE_NEEDED)


def synthesised(folder: Path, context: dict[str, Any]) -> Path:
    """The cloud assembly of a deployment in a folder; other workers wait for the first."""
    from infra.build import synthesise  # aws_cdk starts Node as it loads

    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / "synthesised"
        if not done.exists():
            synthesise(REPOSITORY, context, outdir=str(folder))
            done.touch()
    return folder


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def dev(shared_folder: Path) -> Assembly:
    """The small profile with a user pool of its own and one web origin."""
    need_node()
    return Assembly(synthesised(shared_folder / "dev", DEV))


@pytest.fixture(scope="session")
def prod(shared_folder: Path) -> Assembly:
    """The large profile with a foreign issuer."""
    need_node()
    return Assembly(synthesised(shared_folder / "prod", PROD))


@pytest.fixture(scope="session", params=["dev", "prod"])
def assembly(request: pytest.FixtureRequest) -> Assembly:
    """Each of both."""
    found: Assembly = request.getfixturevalue(request.param)
    return found
