"""A batch that was accepted is carried out once, whatever happens to the process in between."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import pytest

from memory_layer.bootstrap import Embedded
from memory_layer.domain.access import Principal
from memory_layer.domain.filters import Filters
from memory_layer.edge.accepted_batches import accept_batch
from memory_layer.edge.background import run_operation
from memory_layer.edge.lines import Posted
from memory_layer.edge.operations import OPERATION_ACCEPTED, resume
from memory_layer.errors import KeyReused
from memory_layer.usecases.read import list_memories
from tests.contract.conftest import EMBEDDED_ONLY

SECRET = "AKIAIOSFODNN7EXAMPLE"
LINES = [{"content": "SQLite has a WAL."}, {"content": ""}, {"content": f"the key is {SECRET}"}]


def posted(lines: list[dict[str, str]], key: str | None = None) -> Posted:
    body = "\n".join(json.dumps(line) for line in lines)
    return Posted("/v1/projects/web/memories:batch", "req_1", body, key, "ada@acme.test")


def contents(backend: Embedded, admin: Principal) -> list[str]:
    page = list_memories(backend.ports, admin, "web", Filters(), after=None, limit=200)
    return [memory.content for memory in page.memories]


@EMBEDDED_ONLY  # in the cloud an event that was handed over is brought again until its function has succeeded
def test_what_a_killed_process_accepted_is_done_by_the_next(
    open_backend: Callable[..., Embedded], admin: Principal
) -> None:
    """Falls where the lines are in memory only; nobody listens to the first one's bus, as if it had been killed."""
    first = open_backend()
    operation = accept_batch(first.ports, admin, "web", posted(LINES))
    second = open_backend()
    assert [found.id for found in second.unfinished_operations()] == [operation.id]
    second.subscribe(OPERATION_ACCEPTED, partial(run_operation, second.ports))
    for found in second.unfinished_operations():
        resume(second.ports, found)
    second.drain()
    ended = first.ports.store.operation("acme", operation.id)
    assert ended is not None
    assert (ended.status, ended.done) == ("succeeded", 3)
    results = (ended.result or {})["results"]
    assert [line["status"] for line in results] == [201, 422, 201]
    assert results[2]["receipt"]["redacted"][0]["pointer"] == "/content"
    assert second.unfinished_operations() == []


def test_a_batch_that_runs_twice_stores_nothing_twice(backend: Embedded, admin: Principal) -> None:
    """Falls without a key for every line of an operation."""
    operation = accept_batch(backend.ports, admin, "web", posted(LINES))
    blob = backend.ports.blobs.get(operation.input or "")
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id})
    backend.ports.store.put_operation(operation)
    backend.ports.blobs.put(operation.input or "", blob or b"")
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id})
    assert len(contents(backend, admin)) == 2
    again = backend.ports.store.operation("acme", operation.id)
    assert again is not None
    assert [line["status"] for line in (again.result or {})["results"]] == [201, 422, 201]


def test_one_key_is_one_operation(backend: Embedded, admin: Principal) -> None:
    first = accept_batch(backend.ports, admin, "web", posted(LINES, "k"))
    assert accept_batch(backend.ports, admin, "web", posted(LINES, "k")).id == first.id
    with pytest.raises(KeyReused):
        accept_batch(backend.ports, admin, "web", posted(LINES[:1], "k"))


def test_no_secret_waits_on_the_disk(backend: Embedded, admin: Principal) -> None:
    operation = accept_batch(backend.ports, admin, "web", posted(LINES))
    blob = backend.ports.blobs.get(operation.input or "")
    assert blob
    assert SECRET.encode() not in blob
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id})
    assert backend.ports.blobs.get(operation.input or "") is None


@pytest.mark.parametrize("kept", [b"{}", b"no json"])
def test_an_operation_never_runs_for_ever(backend: Embedded, admin: Principal, kept: bytes) -> None:
    operation = accept_batch(backend.ports, admin, "web", posted(LINES))
    backend.ports.blobs.put(operation.input or "", kept)
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id})
    ended = backend.ports.store.operation("acme", operation.id)
    assert ended is not None
    assert (ended.status, (ended.problem or {})["status"]) == ("failed", 500)
