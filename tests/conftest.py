"""What every test may ask for: the built model, a clock that stands still, a running embedded backend."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpcore2
import pytest
from xdist.scheduler import LoadScopeScheduling

from memory_layer.adapters.embedded.sqlite import database
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.onnx.embedder import OnnxEmbedder
from memory_layer.bootstrap.embedded import EmbeddedBackend, build_embedding_model, open_embedded
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Scope
from memory_layer.manifest import coding_agents, env
from memory_layer.ports.process import Embedder
from memory_layer.settings import read_settings
from tests.fuzzing import load_profile
from tests.given import ADMIN, AGENT, StandingClock, new_scope
from tests.migrated_once import migrated_by_copy

load_profile()
for variable in (*coding_agents.VARIABLES, env.AGENT):  # of whoever runs the suite
    os.environ.pop(variable, None)

httpcore2.default_ssl_context = cache(httpcore2.default_ssl_context)
"""Read once: the certificates that each client reads take longer than most requests of a test."""

database.migrate = migrated_by_copy

TOGETHER = ("tests/deployed/", "tests/contract/test_same_bytes.py", "tests/aws/store/test_staging.py")
"""Tests of one deployment, and of what takes half a minute to store."""


class TogetherInOnePlace(LoadScopeScheduling):  # type: ignore[misc]  # xdist says nothing of its types
    """Each test goes to whichever worker is free, those that share a deployment or a store to the same, and first.

    Not by `xdist_group`: xdist 3.8 marks the tests by an attribute that pytest 9.2 does not look at.
    """

    def _split_scope(self, nodeid: str) -> str:
        return next((place for place in TOGETHER if nodeid.startswith(place)), nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> TogetherInOnePlace | None:
    """For `--dist loadscope`; a second worker would wait for the deployment until the first is through with all."""
    return TogetherInOnePlace(config, log) if config.getvalue("dist") == "loadscope" else None


@pytest.fixture(autouse=True)
def garbage_is_collected() -> Iterator[None]:
    """Fails a test that turns the collection off for good: its worker then grows by gigabytes."""
    yield
    is_collected = gc.isenabled()
    gc.enable()
    assert is_collected


@pytest.fixture(scope="session")
def model_dir() -> Path:
    """The folder of the embedding model, built at the first use on this machine."""
    return build_embedding_model(read_settings(os.environ), print)


@pytest.fixture(scope="session")
def embedder(model_dir: Path) -> Embedder:
    return OnnxEmbedder(model_dir)


@pytest.fixture
def clock() -> StandingClock:
    return StandingClock()


@pytest.fixture
def empty_database() -> Iterator[Database]:
    """A file with the newest schema, and no rows."""
    database = Database(None)
    yield database
    database.close()


@pytest.fixture
def open_backend(
    tmp_path: Path, embedder: Embedder, clock: StandingClock
) -> Iterator[Callable[..., EmbeddedBackend]]:
    """Opens the backend of one data folder, as often as asked: each time as another process would."""
    opened: list[EmbeddedBackend] = []

    def open_(**changed: object) -> EmbeddedBackend:
        settings = read_settings({}, data_dir=tmp_path / "data", model_dir=tmp_path / "no-model")
        backend = open_embedded(settings, **{"embedder": embedder, "clock": clock, **changed})  # type: ignore[arg-type]
        opened.append(backend)
        return backend

    yield open_
    for backend in opened:
        backend.close()


@pytest.fixture
def backend(open_backend: Callable[..., EmbeddedBackend]) -> EmbeddedBackend:
    return open_backend()


@pytest.fixture
def admin() -> Principal:
    return ADMIN


@pytest.fixture
def agent() -> Principal:
    return AGENT


@pytest.fixture
def scope() -> Scope:
    """A project that no other test writes."""
    return new_scope()
