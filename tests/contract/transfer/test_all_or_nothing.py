"""Work that is whole: seen by nobody before its end, embedded before its lock, and not at all after an error."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.edge.operations.data_jobs import IMPORT, import_arguments
from memory_layer.edge.operations.jobs import Ticket, Work, accept
from memory_layer.edge.operations.runner import run_operation
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.project_pages import every_record
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.transfer.all_or_nothing import all_or_nothing
from memory_layer.usecases.transfer.import_project import check_import, import_lines
from tests.contract.conftest import EMBEDDED_ONLY
from tests.contract.transfer.test_export_import import line, sealed
from tests.given import PROJECT, SCOPE, remembered

RECORDS = 250
FILE = sealed([line(id=f"m{number:03}", content=f"Fact {number}.") for number in range(RECORDS)])
WHOLE = [f"m{number:03}" for number in range(RECORDS)]

pytestmark = EMBEDDED_ONLY  # no transaction of the cloud holds so much


def ids(ports: Ports) -> list[str]:
    return sorted(memory.id for memory in every_record(ports.store.memories, SCOPE))


def elsewhere(work: Callable[[], Any]) -> Any:
    """What work returns in another thread, which is inside no transaction."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join(30)
    return found[0]


@dataclass
class CountingEmbedder:
    """Embedder that keeps the texts that it was asked for."""

    model: str = "counting"
    dimensions: int = 8
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        rows = np.random.default_rng(7).standard_normal((len(texts), self.dimensions)).astype(np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def test_nobody_sees_a_part_and_a_recall_goes_on_meanwhile(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without the transaction: the hundreds that are written are read elsewhere."""
    ports = backend.ports
    remembered(ports, admin, "Known before.", id="before")
    seen: list[tuple[int, list[str]]] = []

    def tell(done: int, _: int) -> None:
        elsewhere(lambda: recall(ports, admin, PROJECT, RecallRequest(query="Which fact is known before?")))
        seen.append((done, elsewhere(lambda: ids(ports))))

    import_lines(ports, admin, PROJECT, FILE, tell=tell)
    assert [shown for _, shown in seen] == [["before"]] * len(seen)
    assert seen[-1][0] == RECORDS
    assert ids(ports) == ["before", *WHOLE]
    found = recall(ports, admin, PROJECT, RecallRequest(query="Fact 7."))
    assert found.memories


def test_an_error_at_the_end_leaves_nothing(backend: EmbeddedBackend, admin: Principal) -> None:
    class Broken(Exception):
        """Error after the last record of the second time."""

    told: list[int] = []

    def tell(done: int, _: int) -> None:
        told.append(done)
        if told.count(RECORDS) == 2:
            raise Broken

    with pytest.raises(Broken):
        import_lines(backend.ports, admin, PROJECT, FILE, tell=tell)
    assert ids(backend.ports) == []
    import_lines(backend.ports, admin, PROJECT, FILE)
    assert ids(backend.ports) == WHOLE


def test_every_text_is_embedded_once_and_before_the_lock(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal
) -> None:
    embedder = CountingEmbedder()
    ports = open_backend(embedder=embedder).ports
    asked_at: list[int] = []
    import_lines(ports, admin, PROJECT, FILE, tell=lambda *_: asked_at.append(len(embedder.asked)))
    assert len(embedder.asked) == len(set(embedder.asked)) == RECORDS
    assert asked_at[3:] == [RECORDS] * 3
    vectors = ports.store.memories.vectors(SCOPE, WHOLE)
    assert len({vector.content.tobytes() for vector in vectors.values()}) > 1


def test_events_are_published_after_the_end(backend: EmbeddedBackend) -> None:
    published: list[str] = []

    class Bus:
        def publish(self, kind: str, _: Any) -> None:
            published.append(kind)

    def work(ports: Ports) -> int:
        ports.bus.publish("done", {})
        assert published == []
        return 7

    assert all_or_nothing(replace(backend.ports, bus=Bus()), work) == 7
    assert published == ["done"]


def test_whole_work_inside_whole_work_is_part_of_it(backend: EmbeddedBackend, admin: Principal) -> None:
    class Broken(Exception):
        """Error of the outer work."""

    def outer(ports: Ports) -> None:
        import_lines(ports, admin, PROJECT, FILE)
        if ids(ports):
            raise Broken

    with pytest.raises(Broken):
        all_or_nothing(backend.ports, outer)
    assert ids(backend.ports) == []


def test_receipts_noted_before_a_rollback_are_kept(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where a page of records writes the waiting receipts into a transaction that comes to nothing."""

    class Broken(Exception):
        """Error after receipts came."""

    ports = backend.ports
    remembered(ports, admin, "Known before.", id="before")

    def work(inside: Ports) -> None:
        noted.append(elsewhere(lambda: recall(ports, admin, PROJECT, RecallRequest(query="What is known?"))))
        list(every_record(inside.store.memories, SCOPE))
        if len(noted) == 2:
            raise Broken

    noted: list[Any] = []
    with pytest.raises(Broken):
        all_or_nothing(ports, work)
    assert all(ports.store.receipts.get(SCOPE, found.recall_id) is not None for found in noted)


def test_the_end_of_an_operation_is_there_with_its_records(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a kill right behind the commit: the end that the runner writes itself never comes."""
    ports = backend.ports
    checked = check_import(ports, admin, PROJECT, FILE, allow_unsealed=False)
    arguments = import_arguments(checked, is_dry_run=False, on_existing="skip")
    operation = accept(
        ports, admin, Ticket("op_1", "f" * 64, None), Work(kind=IMPORT, project=PROJECT, arguments=arguments)
    )
    requests, written = type(ports.store.requests), list[str]()
    put = requests.put_operation

    def killed_after_the_commit(self: Any, operation: Any) -> None:
        written.append(operation.status)
        if written.count("succeeded") == 2:
            raise KeyboardInterrupt
        put(self, operation)

    monkeypatch.setattr(requests, "put_operation", killed_after_the_commit)
    with pytest.raises(KeyboardInterrupt):
        run_operation(ports, {"tenant": "acme", "operation_id": operation.id})
    told = ports.store.requests.operation("acme", operation.id)
    assert told is not None
    assert (told.status, (told.result or {})["imported"], ids(ports)) == ("succeeded", RECORDS, WHOLE)
    assert backend.unfinished_operations() == []


def test_a_stopped_operation_waits_for_the_next_process(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where a stop is an error as any other: the operation would be told as failed."""
    ports = backend.ports
    checked = check_import(ports, admin, PROJECT, FILE, allow_unsealed=False)
    arguments = import_arguments(checked, is_dry_run=False, on_existing="skip")
    operation = accept(
        ports, admin, Ticket("op_1", "f" * 64, None), Work(kind=IMPORT, project=PROJECT, arguments=arguments)
    )
    detail, asked = {"tenant": "acme", "operation_id": operation.id}, iter(range(100))
    run_operation(ports, detail, is_stopping=lambda: next(asked) == 5)
    assert next(asked) == 6, "it did not come to the transaction"
    assert ids(ports) == []
    assert [found.id for found in backend.unfinished_operations()] == [operation.id]
    run_operation(ports, detail)
    assert ids(ports) == WHOLE
