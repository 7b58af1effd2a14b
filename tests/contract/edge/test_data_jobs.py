"""Exports, imports, merges and prunings that were accepted are carried out once, whatever happens in between."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, Viewer, viewer_of
from memory_layer.domain.memory import Scope
from memory_layer.domain.prune_rule import PruneRule
from memory_layer.edge.operations.data_jobs import EXPORT, IMPORT, MERGE_PROJECT, PRUNE, import_arguments
from memory_layer.edge.operations.jobs import (
    OPERATION_ACCEPTED,
    RESULTS_PREFIX,
    Ticket,
    Work,
    accept,
    forget_old_parts,
    read_part,
    resume,
)
from memory_layer.edge.operations.runner import run_operation
from memory_layer.errors import Forbidden, NotFound
from memory_layer.ports.records import Operation
from memory_layer.usecases.ground.export_copies import PREFIX, ExportCopy
from memory_layer.usecases.ground.project_pages import every_record
from memory_layer.usecases.ground.queries import memory_history
from memory_layer.usecases.transfer.export_project import export_lines
from memory_layer.usecases.transfer.import_project import check_import, import_lines
from memory_layer.usecases.transfer.validate_import import ValidatedRecords
from tests.contract.conftest import EMBEDDED_ONLY
from tests.contract.transfer.test_export_import import line, sealed
from tests.given import StandingClock

PROJECT, OTHER = "web", "shop"
SECRET = "AKIAIOSFODNN7EXAMPLE"
FILE = sealed([line(id=f"m{number:03}", content=f"Fact {number}.") for number in range(120)])


def accepted(backend: EmbeddedBackend, admin: Principal, kind: str, arguments: dict[str, Any]) -> Operation:
    work = Work(kind=kind, project=PROJECT, arguments=arguments)
    return accept(backend.ports, admin, Ticket(f"op_{kind}", "f" * 64, None), work)


def checked(backend: EmbeddedBackend, admin: Principal, file: list[str]) -> ValidatedRecords:
    return check_import(backend.ports, admin, PROJECT, file, allow_unsealed=False)


def of_each_kind(backend: EmbeddedBackend, admin: Principal) -> dict[str, dict[str, Any]]:
    """What each kind is asked, over two projects that have something to do."""
    for project in (PROJECT, OTHER):
        file = sealed(
            [line(id=f"{project}{n}", content=f"{project} {n}", project=project) for n in range(3)], project
        )
        import_lines(backend.ports, admin, project, file)
    with closing(checked(backend, admin, FILE)) as file:
        importing = import_arguments(file, is_dry_run=False, on_existing="replace")
    return {
        EXPORT: {"format": "ndjson"},
        IMPORT: importing,
        MERGE_PROJECT: {"other": OTHER, "is_dry_run": False},
        PRUNE: {"rule": asdict(PruneRule(unused=True)), "is_dry_run": False},
    }


def ended(backend: EmbeddedBackend, operation: Operation) -> Operation:
    found = backend.ports.store.requests.operation(operation.tenant, operation.id)
    assert found is not None
    return found


def state(backend: EmbeddedBackend, admin: Principal) -> list[tuple[str, int, str, int]]:
    records = every_record(backend.ports.store.memories, Scope("acme", PROJECT))
    return [
        (m.id, m.version, m.status, len(memory_history(backend.ports, admin, PROJECT, m.id))) for m in records
    ]


KINDS = (EXPORT, IMPORT, MERGE_PROJECT, PRUNE)
RESULTS = {
    EXPORT: ("records", 3),
    IMPORT: ("imported", 120),
    MERGE_PROJECT: ("copied", 3),
    PRUNE: ("archived", 3),
}


@EMBEDDED_ONLY  # in the cloud an event that was handed over is brought again until its function has succeeded
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_killed_process_accepted_is_done_by_the_next(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, kind: str
) -> None:
    """Nobody listens to the first one's bus, as if it had been killed."""
    first = open_backend()
    operation = accepted(first, admin, kind, of_each_kind(first, admin)[kind])
    second = open_backend()
    second.subscribe(OPERATION_ACCEPTED, partial(run_operation, second.ports))
    for found in second.unfinished_operations():
        resume(second.ports, found)
    second.drain()
    told = ended(first, operation)
    name, expected = RESULTS[kind]
    assert (told.status, (told.result or {})[name]) == ("succeeded", expected)
    assert second.unfinished_operations() == []
    assert first.ports.blobs.get(operation.input or "") is None


@pytest.mark.parametrize("kind", KINDS)
def test_what_runs_twice_does_nothing_twice(backend: EmbeddedBackend, admin: Principal, kind: str) -> None:
    operation = accepted(backend, admin, kind, of_each_kind(backend, admin)[kind])
    blob = backend.ports.blobs.get(operation.input or "") or b""
    detail = {"tenant": "acme", "operation_id": operation.id}
    run_operation(backend.ports, detail)
    once, parts = state(backend, admin), backend.ports.blobs.keys(PREFIX)
    assert ended(backend, operation).done > 0
    backend.ports.store.requests.put_operation(operation)  # as if its end had not been written
    backend.ports.blobs.put(operation.input or "", blob)
    run_operation(backend.ports, detail)
    assert ended(backend, operation).status == "succeeded"
    assert (state(backend, admin), backend.ports.blobs.keys(PREFIX)) == (once, parts)


def test_an_export_can_be_read_for_a_week(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    import_lines(backend.ports, admin, PROJECT, FILE)
    operation = accepted(backend, admin, EXPORT, {"format": "ndjson"})
    with pytest.raises(NotFound):
        read_part(backend.ports, operation, 1, viewer_of(admin))
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id})
    operation = ended(backend, operation)
    format, body = read_part(backend.ports, operation, 1, viewer_of(admin))
    assert (format, body.decode()) == ("ndjson", "".join(export_lines(backend.ports, admin, PROJECT)))
    clock.advance(days=6, hours=23)
    forget_old_parts(backend.ports)
    assert read_part(backend.ports, operation, 1, viewer_of(admin))[1] == body
    clock.advance(days=1, hours=2)
    with pytest.raises(NotFound):
        read_part(backend.ports, operation, 1, viewer_of(admin))
    forget_old_parts(backend.ports)
    assert backend.ports.blobs.keys(PREFIX) == []


def test_a_part_is_for_whoever_still_sees_as_much(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where the name alone is compared: an admin's export, read with a token of fewer rights."""
    import_lines(backend.ports, admin, PROJECT, FILE)
    operation = accepted(backend, admin, EXPORT, {"format": "ndjson"})
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id})
    operation = ended(backend, operation)
    for now in (Viewer(), Viewer.of("intern")):
        with pytest.raises(Forbidden):
            read_part(backend.ports, operation, 1, now)


def test_no_secret_of_an_import_waits_on_the_disk(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where an import is kept as it came."""
    file = checked(backend, admin, sealed([line(content=f"the key is {SECRET}")]))
    operation = accepted(backend, admin, IMPORT, import_arguments(file, is_dry_run=False, on_existing="skip"))
    blob = backend.ports.blobs.get(operation.input or "")
    assert blob
    assert SECRET.encode() not in blob
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id})
    result = ended(backend, operation).result or {}
    assert (result["imported"], result["redacted"], result["redacted_ids"]) == (1, 1, ["m1"])


def test_how_far_it_is_is_noted_once_a_second(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = checked(backend, admin, sealed([line(id=f"m{n}", content=f"Fact {n}.") for n in range(500)]))
    operation = accepted(backend, admin, IMPORT, import_arguments(file, is_dry_run=False, on_existing="skip"))
    noted: list[tuple[str, int, int]] = []
    requests, writer = type(backend.ports.store.requests), type(backend.ports.store.writer)
    put, commit_each = requests.put_operation, writer.commit_each

    def note(self: Any, operation: Operation) -> None:
        noted.append((operation.status, operation.done, operation.total))
        put(self, operation)

    def slow(self: Any, commits: Any) -> Any:
        clock.advance(seconds=0.5)  # for a hundred records
        return commit_each(self, commits)

    monkeypatch.setattr(requests, "put_operation", note)
    monkeypatch.setattr(writer, "commit_each", slow)
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id})
    ended_with_the_records = ("succeeded", 500, 500)
    assert noted == [("running", 200, 500), ("running", 400, 500), *[ended_with_the_records] * 2]


def test_what_cannot_be_done_is_told_in_the_operation(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Rights are those of whoever asked."""
    work = Work(kind=MERGE_PROJECT, project=PROJECT, arguments={"other": OTHER, "is_dry_run": False})
    operation = accept(backend.ports, agent, Ticket("op_1", "f" * 64, None), work)
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id})
    told = ended(backend, operation)
    assert (told.status, (told.problem or {})["status"]) == ("failed", 403)
    unknown = accept(backend.ports, admin, Ticket("op_2", "f" * 64, None), replace(work, kind="paint"))
    run_operation(backend.ports, {"tenant": "acme", "operation_id": unknown.id})
    assert ended(backend, unknown).status == "failed"


def test_parts_lie_where_the_bucket_forgets_them_too() -> None:
    """The bucket's own rule deletes what lies under this prefix."""
    assert PREFIX.startswith("operations/")
    assert RESULTS_PREFIX.startswith("operations/")


def test_what_is_old_is_told_by_its_name(backend: EmbeddedBackend, clock: StandingClock) -> None:
    now, blobs = clock.now(), backend.ports.blobs
    for days in (6, 7, 8, 40):
        begun = now - timedelta(days=days)
        ExportCopy(blobs, Scope("acme", f"p{days}"), f"op_{days}", begun).put(1, b"{}")
        blobs.put(f"{RESULTS_PREFIX}{begun:%Y-%m-%d}/op_{days}.json", b"{}")
    forget_old_parts(backend.ports)
    assert {key.split("/")[3] for key in blobs.keys(PREFIX)} == {"p6", "p7"}
    assert [key.split("/")[-1] for key in blobs.keys(RESULTS_PREFIX)] == ["op_7.json", "op_6.json"]
