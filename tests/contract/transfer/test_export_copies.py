"""Copies that exports have made: a few of each project, and none in which erased words outlive their erasure."""

from __future__ import annotations

from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, viewer_of
from memory_layer.edge.operations import data_jobs
from memory_layer.edge.operations.data_jobs import EXPORT
from memory_layer.edge.operations.jobs import Ticket, Work, accept, read_part
from memory_layer.edge.operations.runner import run_operation
from memory_layer.errors import NotFound
from memory_layer.ports.records import Operation
from memory_layer.usecases.ground.export_copies import COPIES_MAX, PREFIX, ExportCopy, forget_copies
from memory_layer.usecases.transfer.import_project import import_lines
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from tests.contract.transfer.test_export_import import line, sealed
from tests.given import StandingClock

WEB, SHOP = "web", "shop"
WORDS = "This was told in confidence."


@pytest.fixture(autouse=True)
def _projects(backend: EmbeddedBackend, admin: Principal) -> None:
    for project in (WEB, SHOP):
        said = [
            line(id="m1", content=WORDS, project=project),
            line(id="m2", content="Fact.", project=project),
        ]
        import_lines(backend.ports, admin, project, sealed(said, project))


def exported(backend: EmbeddedBackend, admin: Principal, project: str, number: int) -> Operation:
    work = Work(kind=EXPORT, project=project, arguments={"format": "ndjson"})
    accepted = accept(backend.ports, admin, Ticket(f"op_{number}", "f" * 64, None), work)
    run_operation(backend.ports, {"tenant": "acme", "operation_id": accepted.id})
    operation = backend.ports.store.requests.operation("acme", accepted.id)
    assert operation is not None
    return operation


def body_of(backend: EmbeddedBackend, admin: Principal, operation: Operation) -> str:
    return read_part(backend.ports, operation, 1, viewer_of(admin))[1].decode()


def words_in_copies(backend: EmbeddedBackend) -> list[str]:
    """Projects in whose copies the words stand."""
    blobs = backend.ports.blobs
    return [key.split("/")[3] for key in blobs.keys(PREFIX) if WORDS.encode() in (blobs.get(key) or b"")]


def test_a_few_copies_of_a_project_are_kept(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls where every export leaves its parts for a week."""
    other = exported(backend, admin, SHOP, 99)
    operations = []
    for number in range(COPIES_MAX + 3):
        clock.advance(minutes=1)
        operations.append(exported(backend, admin, WEB, number))
    assert len({key.split("/")[4] for key in backend.ports.blobs.keys(f"{PREFIX}acme/{WEB}/")}) == COPIES_MAX
    for operation in operations[:3]:
        with pytest.raises(NotFound, match="export again"):
            body_of(backend, admin, operation)
    assert all(WORDS in body_of(backend, admin, one) for one in (*operations[3:], other))


def test_an_erasure_takes_the_copies_of_its_project(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `forget_copies` in usecases/write/forget.py; an archived memory is in an export still."""
    operation, _ = exported(backend, admin, WEB, 1), exported(backend, admin, SHOP, 2)
    archive_memory(backend.ports, admin, WEB, "m1")
    assert words_in_copies(backend) == [SHOP, WEB]
    erase_memory(backend.ports, admin, WEB, "m1")
    assert words_in_copies(backend) == [SHOP]
    with pytest.raises(NotFound, match="export again"):
        body_of(backend, admin, operation)


def test_an_export_that_an_erasure_overtakes_begins_again(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without `is_good`: the record was read before it was erased, and its part is written after."""
    put = ExportCopy.put

    def overtaken(self: ExportCopy, number: int, body: bytes) -> None:
        monkeypatch.setattr(ExportCopy, "put", put)
        assert WORDS.encode() in body
        erase_memory(backend.ports, admin, WEB, "m1")
        put(self, number, body)

    monkeypatch.setattr(ExportCopy, "put", overtaken)
    operation = exported(backend, admin, WEB, 1)
    assert (operation.status, (operation.result or {})["records"]) == ("succeeded", 1)
    assert WORDS not in body_of(backend, admin, operation)
    assert words_in_copies(backend) == []


def test_an_export_among_erasures_without_end_is_given_up(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, erased = ExportCopy.put, iter(["m1", "m2", "m3"])
    import_lines(backend.ports, admin, WEB, sealed([line(id="m3", content="More.")]))

    def overtaken(self: ExportCopy, number: int, body: bytes) -> None:
        erase_memory(backend.ports, admin, WEB, next(erased))
        put(self, number, body)

    monkeypatch.setattr(ExportCopy, "put", overtaken)
    assert data_jobs.EXPORT_ATTEMPTS == 3
    operation = exported(backend, admin, WEB, 1)
    problem: Any = operation.problem
    assert (operation.status, problem["status"]) == ("failed", 409)
    assert backend.ports.blobs.keys(f"{PREFIX}acme/{WEB}/") == []


def test_a_part_that_comes_while_the_others_go_goes_as_well(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where what was listed is deleted once: the export has found its note in place, and is done."""
    copy = ExportCopy(backend.ports.blobs, admin.scope(WEB), "op_1", clock.now())
    copy.begin()
    blobs = type(backend.ports.blobs)
    delete = blobs.delete

    def overtaken(self: Any, key: str) -> None:
        monkeypatch.setattr(blobs, "delete", delete)
        copy.put(1, WORDS.encode())
        assert copy.is_good()
        delete(self, key)

    monkeypatch.setattr(blobs, "delete", overtaken)
    forget_copies(backend.ports.blobs, admin.scope(WEB))
    assert backend.ports.blobs.keys(PREFIX) == []
