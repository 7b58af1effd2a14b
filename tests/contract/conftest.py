"""The same tests on every backend: a laptop's, the cloud's with a search domain, and `small` without one.

A test that looks into one of them says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.ports.process import Embedder
from memory_layer.ports.record_store import RecordStore
from tests.aws.conftest import endpoint_of
from tests.aws.deployment import Deployment, deployed, deployed_small
from tests.engines.dynamodb import DYNAMODB
from tests.engines.opensearch import OPENSEARCH_NODE
from tests.given import StandingClock

SOME_ON_ENGINES = "some_on_engines"
"""Mark of a test of which engines take every nth case: a request to them takes a hundred times as long."""

EMBEDDED_ONLY = pytest.mark.parametrize("open_backend", ["embedded"], indirect=True)


@pytest.fixture(
    params=["embedded", *(pytest.param(name, marks=pytest.mark.engines) for name in ("aws", "small"))]
)
def open_backend(
    request: pytest.FixtureRequest,
    open_backend: Callable[..., EmbeddedBackend],
    tmp_path: Path,
    embedder: Embedder,
    clock: StandingClock,
) -> Iterator[Callable[..., EmbeddedBackend]]:
    """Opens the backend as often as asked: each time as another process would."""
    if request.param == "embedded":
        yield open_backend
        return
    opened: list[EmbeddedBackend] = []
    with _deployed(request.param, tmp_path, embedder) as deployment:

        def open_(**changed: object) -> EmbeddedBackend:
            opened.append(deployment.open(**{"clock": clock, **changed}))  # type: ignore[arg-type]
            return opened[-1]

        yield open_
        for backend in opened:
            backend.close()


def _deployed(profile: str, folder: Path, embedder: Embedder) -> AbstractContextManager[Deployment]:
    if profile == "small":
        return deployed_small(endpoint_of(DYNAMODB), folder, embedder)
    return deployed(endpoint_of(DYNAMODB), endpoint_of(OPENSEARCH_NODE), folder, embedder)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves cases out, on each engine by itself, that `some_on_engines` does not want there."""
    met: Counter[str] = Counter()
    left_out = []
    for item in items:
        mark = item.get_closest_marker(SOME_ON_ENGINES)
        if mark is None or item.get_closest_marker("engines") is None:
            continue
        test = f"{item.nodeid.partition('[')[0]} {item.callspec.params['open_backend']}"  # type: ignore[attr-defined]
        if met[test] % mark.args[0]:
            left_out.append(item)
        met[test] += 1
    config.hook.pytest_deselected(items=left_out)
    dropped = set(left_out)
    items[:] = [item for item in items if item not in dropped]


@pytest.fixture
def on_engines(request: pytest.FixtureRequest) -> bool:
    """True: a request takes a hundred times as long as one to SQLite, so that some steps stand for all."""
    return bool(request.node.get_closest_marker("engines"))


@pytest.fixture
def store(open_backend: Callable[..., EmbeddedBackend]) -> RecordStore:
    return open_backend().ports.store
