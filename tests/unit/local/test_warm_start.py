"""Warm start: the model and the projects used last are loaded behind the ready line, and nothing waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from memory_layer.adapters.embedded.ram_index.search_index import EmbeddedIndex
from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.memory import Scope
from memory_layer.errors import IndexUnavailable
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.local.warm_start import PROJECTS_MAX, WarmStart
from memory_layer.ports.process import Embedder
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from tests.given import NoEmbedder

SCOPES = [Scope("local", f"p{number}") for number in range(3)]


@pytest.fixture
def backend() -> Iterator[EmbeddedBackend]:
    opened = open_embedded(None, embedder=NoEmbedder())
    yield opened
    opened.close()


class WatchedIndex:
    """Index that keeps which projects were loaded; the second one cannot be, the one named waits."""

    def __init__(self, waits_at: Scope | None = None) -> None:
        self.loaded: list[Scope] = []
        self.listed: list[Scope] = []
        self.has_begun, self.may_end = threading.Event(), threading.Event()
        self._waits_at = waits_at

    def tags(self, scopes: tuple[Scope, ...], *_: object) -> list[str]:
        (scope,) = scopes
        self.loaded.append(scope)
        if scope == self._waits_at:
            self.has_begun.set()
            self.may_end.wait(10)
        if scope == SCOPES[1]:
            raise IndexUnavailable("damaged")
        return []

    def stats(self, scope: Scope, *_: object, **__: object) -> None:
        self.listed.append(scope)
        raise IndexUnavailable("damaged")


def warm(backend: EmbeddedBackend, index: Any) -> WarmStart:
    ports = replace(backend.ports, index=index)
    return WarmStart(replace(backend, ports=ports, recent_projects=lambda limit: SCOPES[:limit]))


def test_projects_are_loaded_though_there_is_no_model_and_one_cannot_be(
    backend: EmbeddedBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    index = WatchedIndex()
    start = warm(backend, index)
    start.start()
    start._thread.join(30)
    assert index.loaded == SCOPES
    assert index.listed == SCOPES[:1]
    assert "Serving all the same" in capsys.readouterr().err


def test_a_project_that_was_used_is_in_memory_then(backend: EmbeddedBackend) -> None:
    """Falls where the start asks what no question asks: an index loads a project for a question."""
    fact = RememberRequest(fields={"content": "The key hangs by the door."})
    remember(backend.ports, LOCAL_PRINCIPAL, "one", fact)
    index = EmbeddedIndex(backend.ports.store.memories._database.reader, model="none", dimensions=8)  # type: ignore[attr-defined]
    start = WarmStart(
        replace(
            backend,
            ports=replace(backend.ports, index=index),
            recent_projects=lambda _: [LOCAL_PRINCIPAL.scope("one")],
        )
    )
    start.start()
    start._thread.join(30)
    assert index.loaded_projects == [LOCAL_PRINCIPAL.scope("one")]
    assert list(index._listed._projects) == [LOCAL_PRINCIPAL.scope("one")]


def test_a_stop_waits_for_the_project_that_is_being_loaded_and_begins_no_other(
    backend: EmbeddedBackend,
) -> None:
    index = WatchedIndex(waits_at=SCOPES[0])
    start = warm(backend, index)
    start.start()
    assert index.has_begun.wait(30)
    threading.Timer(0.1, index.may_end.set).start()
    start.close()
    assert not start._thread.is_alive()
    assert index.loaded == SCOPES[:1]


def test_the_projects_of_the_last_recalls_come_first(backend: EmbeddedBackend) -> None:
    ports = backend.ports
    for project in ("one", "two", "three"):
        fact = RememberRequest(fields={"content": f"The key of {project} hangs by the door."})
        remember(ports, LOCAL_PRINCIPAL, project, fact)
    for project in ("two", "three", "one", "two"):
        shown = recall(ports, LOCAL_PRINCIPAL, project, RecallRequest(query="where is the key?"))
        assert ports.store.receipts.get(
            LOCAL_PRINCIPAL.scope(project), shown.recall_id
        )  # it is written by then
    names = [scope.project for scope in backend.recent_projects(PROJECTS_MAX)]
    assert names == ["two", "one", "three"]
    assert [scope.project for scope in backend.recent_projects(1)] == ["two"]


@pytest.mark.parametrize("has_model", [True, False])
def test_once_warm_vectors_are_made_if_there_is_a_model(
    open_backend: Callable[..., EmbeddedBackend], embedder: Embedder, has_model: bool
) -> None:
    told: list[str] = []
    backend = open_backend(embedder=embedder if has_model else NoEmbedder())
    start = WarmStart(backend, once_warm=lambda: told.append("warm"))
    start.start()
    start._thread.join(30)
    assert told == (["warm"] if has_model else [])


def test_what_is_done_beside_begins_at_once_and_a_stop_waits_for_it(backend: EmbeddedBackend) -> None:
    has_begun, may_end, told = threading.Event(), threading.Event(), list[str]()

    def beside() -> None:
        has_begun.set()
        may_end.wait(30)
        told.append("done")

    start = WarmStart(backend, load_routes=lambda: has_begun.wait(30), beside=beside)
    start.start()
    assert has_begun.wait(30)
    threading.Timer(0.1, may_end.set).start()
    start.close()
    assert told == ["done"]
