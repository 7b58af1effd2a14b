"""Every request that the aws backend sends to a real domain is granted, and every grant there is used by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from opensearchpy import Transport

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.memory import Scope
from memory_layer.ports.process import Embedder
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember_many
from tests.aws.conftest import dynamodb_endpoint as dynamodb_endpoint
from tests.aws.conftest import opensearch_endpoint as opensearch_endpoint
from tests.aws.deployment import Deployment, deployed
from tests.given import PROJECT
from tests.infra.templates import Assembly
from tests.infra.test_grants import index_calls

pytestmark = pytest.mark.engines

Calls = set[tuple[str, str]]


@pytest.fixture
def deployment(
    dynamodb_endpoint: str, opensearch_endpoint: str, tmp_path: Path, embedder: Embedder
) -> Iterator[Deployment]:
    with deployed(dynamodb_endpoint, opensearch_endpoint, tmp_path, embedder) as made:
        yield made


@contextmanager
def recorded(deployment: Deployment, calls: Calls) -> Iterator[None]:
    """Action and path of every request meanwhile, as IAM would see them in a domain without others' indexes."""
    send = Transport.perform_request

    def noted(self: Transport, method: str, url: str, **more: Any) -> Any:
        calls.add((f"es:ESHttp{method.title()}", url.lstrip("/").replace(_prefix(deployment), "")))
        return send(self, method, url, **more)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Transport, "perform_request", noted)
        yield


def _prefix(deployment: Deployment) -> str:
    return deployment.cloud._names.prefix


def drop_indexes(deployment: Deployment) -> None:
    """As before a deployment's first change."""
    names = deployment.cloud._names
    for name in names.all_names():
        names.drop(name)


def is_granted(call: tuple[str, str], granted: Calls) -> bool:
    """By IAM's rules: `*` is any number of any characters."""
    return any(action == call[0] and fnmatchcase(call[1], path) for action, path in granted)


def served(backend: EmbeddedBackend, admin: Principal) -> None:
    """Whatever a function behind the API asks of the index."""
    ports, scope = backend.ports, Scope(admin.tenant, PROJECT)
    asked = [RememberRequest(fields={"content": content}) for content in ("Lamps are LED.", "Doors are oak.")]
    remember_many(ports, admin, PROJECT, asked)
    recall(ports, admin, PROJECT, RecallRequest(query="what are doors of?"))
    ports.index.tags((scope,))
    ports.index.stats(scope, viewer_of(admin), now=ports.clock.now())


def test_requests_to_the_domain_are_granted_and_nothing_else_is(
    dev: Assembly, deployment: Deployment, admin: Principal
) -> None:
    """The safeguard is `SEARCH_CALLS`: with a path too few the cloud alone would fail, with one too many it is open."""
    backend = deployment.open()
    _check(dev, deployment, "recall", lambda: served(backend, admin))
    drop_indexes(deployment)
    _check(dev, deployment, "projector", deployment.project)
    _check(dev, deployment, "reindex", lambda: [deployment.cloud.rebuild() for _ in range(2)])


def _check(dev: Assembly, deployment: Deployment, function: str, does: Callable[[], Any]) -> None:
    calls: Calls = set()
    with recorded(deployment, calls):
        does()
    granted = index_calls(dev, function)
    assert calls
    assert not [call for call in calls if not is_granted(call, granted)], function
    assert not [grant for grant in granted if not any(is_granted(call, {grant}) for call in calls)], function
