"""A batch that was accepted is carried out once, whatever happens to the process in between."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.filters import Filters
from memory_layer.edge.http.lines import PostedLines
from memory_layer.edge.operations.batch_jobs import accept_batch, accept_turns
from memory_layer.edge.operations.jobs import OPERATION_ACCEPTED, resume, with_result
from memory_layer.edge.operations.runner import run_operation
from memory_layer.errors import Invalid, KeyReused, StoreUnavailable
from memory_layer.ports.records import Operation
from memory_layer.usecases.ground.queries import list_memories
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.prepare import RememberRequest
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import StandingClock

SECRET = "AKIAIOSFODNN7EXAMPLE"
LINES = [{"content": "SQLite has a WAL."}, {"content": ""}, {"content": f"the key is {SECRET}"}]


def posted(lines: Sequence[Mapping[str, object]], key: str | None = None) -> PostedLines:
    body = "\n".join(json.dumps(line) for line in lines)
    return PostedLines("/v1/projects/web/memories:batch", "req_1", body, key, "ada@acme.test")


def contents(backend: EmbeddedBackend, admin: Principal) -> list[str]:
    page = list_memories(backend.ports, admin, "web", Filters(), after=None, limit=200)
    return [memory.content for memory in page.memories]


@EMBEDDED_ONLY  # in the cloud an event that was handed over is brought again until its function has succeeded
def test_what_a_killed_process_accepted_is_done_by_the_next(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal
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
    ended = first.ports.store.requests.operation("acme", operation.id)
    assert ended is not None
    assert (ended.status, ended.done) == ("succeeded", 3)
    results = (ended.result or {})["results"]
    assert [line["status"] for line in results] == [201, 422, 201]
    assert results[2]["receipt"]["redacted"][0]["pointer"] == "/content"
    assert second.unfinished_operations() == []


def test_a_batch_that_runs_twice_stores_nothing_twice(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without a key for every line of an operation."""
    operation = accept_batch(backend.ports, admin, "web", posted(LINES))
    blob = backend.ports.blobs.get(operation.input or "")
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id})
    backend.ports.store.requests.put_operation(operation)
    backend.ports.blobs.put(operation.input or "", blob or b"")
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id})
    assert len(contents(backend, admin)) == 2
    again = backend.ports.store.requests.operation("acme", operation.id)
    assert again is not None
    assert [line["status"] for line in (again.result or {})["results"]] == [201, 422, 201]


def test_one_key_is_one_operation(backend: EmbeddedBackend, admin: Principal) -> None:
    first = accept_batch(backend.ports, admin, "web", posted(LINES, "k"))
    assert accept_batch(backend.ports, admin, "web", posted(LINES, "k")).id == first.id
    with pytest.raises(KeyReused):
        accept_batch(backend.ports, admin, "web", posted(LINES[:1], "k"))


def test_no_secret_waits_on_the_disk(backend: EmbeddedBackend, admin: Principal) -> None:
    operation = accept_batch(backend.ports, admin, "web", posted(LINES))
    blob = backend.ports.blobs.get(operation.input or "")
    assert blob
    assert SECRET.encode() not in blob
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id})
    assert backend.ports.blobs.get(operation.input or "") is None


@pytest.mark.parametrize("kept", [b"{}", b"no json"])
def test_an_operation_never_runs_for_ever(backend: EmbeddedBackend, admin: Principal, kept: bytes) -> None:
    operation = accept_batch(backend.ports, admin, "web", posted(LINES))
    backend.ports.blobs.put(operation.input or "", kept)
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id})
    ended = backend.ports.store.requests.operation("acme", operation.id)
    assert ended is not None
    assert (ended.status, (ended.problem or {})["status"]) == ("failed", 500)


def carry_out(backend: EmbeddedBackend, operation: Operation, *, sleep: Callable[[float], None]) -> Operation:
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id}, sleep=sleep)
    ended = backend.ports.store.requests.operation("acme", operation.id)
    assert ended is not None
    return ended


def down(*_: object, **__: object) -> NoReturn:
    raise StoreUnavailable("the table is too busy")


def test_a_table_that_is_busy_for_a_while_ends_no_operation(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where every error is the end of it."""
    operation, paused = accept_batch(backend.ports, admin, "web", posted(LINES)), []

    def sleep(pause_s: float) -> None:
        paused.append(pause_s)
        monkeypatch.undo()

    monkeypatch.setattr(backend.ports.store.projects, "policy", down)
    assert carry_out(backend, operation, sleep=sleep).status == "succeeded"
    assert paused == [1.0]


def test_what_was_held_up_is_taken_up_with_its_key(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where the lines go with the first failure, or the same key is told of it for ever."""
    operation = accept_batch(backend.ports, admin, "web", posted(LINES, "k"))
    with monkeypatch.context() as patched:
        patched.setattr(backend.ports.store.projects, "policy", down)
        ended = carry_out(backend, operation, sleep=lambda _: None)
    assert (ended.status, (ended.problem or {})["status"]) == ("failed", 503)
    again = accept_batch(backend.ports, admin, "web", posted(LINES, "k"))
    assert (again.id, again.status) == (operation.id, "running")
    assert carry_out(backend, again, sleep=lambda _: None).status == "succeeded"
    assert len(contents(backend, admin)) == 2


def test_what_nobody_was_told_of_is_told_with_its_key(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where an operation that is known counts as handed over."""
    with monkeypatch.context() as patched:
        patched.setattr(type(backend.ports.bus), "publish", down)
        with pytest.raises(StoreUnavailable):
            accept_batch(backend.ports, admin, "web", posted(LINES, "k"))
    told: list[Mapping[str, object]] = []
    backend.subscribe(OPERATION_ACCEPTED, told.append)
    accept_batch(backend.ports, admin, "web", posted(LINES, "k"))
    backend.drain()
    assert len(told) == 1


def test_an_operation_that_nobody_can_be_at_any_more_is_begun_again(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    told: list[Mapping[str, object]] = []
    backend.subscribe(OPERATION_ACCEPTED, told.append)
    for minutes in (0, 1, 60):
        clock.advance(minutes=minutes)
        accept_batch(backend.ports, admin, "web", posted(LINES, "k"))
    backend.drain()
    assert len(told) == 2


def test_a_long_result_is_kept_beside_its_operation(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls in the cloud without `kept_result`: an item has 400 KB."""
    lines = [{"content": f"{number} " + "ä" * 9_000, "unknown " + "x" * 9_000: "y"} for number in range(100)]
    operation = accept_batch(backend.ports, admin, "web", posted(lines))
    ended = carry_out(backend, operation, sleep=lambda _: None)
    assert (ended.status, list(ended.result or {})) == ("succeeded", ["kept_in"])
    results = (with_result(backend.ports, ended).result or {})["results"]
    assert [line["status"] for line in results] == [422] * 100


def test_what_is_erased_stands_in_no_result(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where a stored problem repeats the content of the twin."""
    words = {"content": "Bob Miller of Elm Street has diabetes."}
    for _ in range(2):
        operation = accept_batch(backend.ports, admin, "web", posted([words]))
        ended = carry_out(backend, operation, sleep=lambda _: None)
        backend.drain()
    (line,) = (ended.result or {})["results"]
    assert line["status"] == 409
    assert "Bob" not in json.dumps(line)


def test_a_key_is_forgotten_after_a_day(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls where a nightly key is told of the first night for ever."""
    first = accept_batch(backend.ports, admin, "web", posted(LINES, "nightly"))
    carry_out(backend, first, sleep=lambda _: None)
    clock.advance(hours=25)
    other = accept_batch(backend.ports, admin, "web", posted([{"content": "Something else."}], "nightly"))
    assert carry_out(backend, other, sleep=lambda _: None).total == 1


TURNS = [
    {"content": "Yes!", "speaker": "Ann"},
    {"content": "On Friday, then.", "position": 6},
    {"content": "Yes!", "speaker": "Ann"},
    {"content": "It is taken.", "position": 6},
    {"content": ""},
]


def said(backend: EmbeddedBackend, admin: Principal) -> list[tuple[int | None, str]]:
    turns = backend.ports.store.sessions.turns(admin.scope("web"), "talk", 0, 99)
    return [(turn.position, turn.content) for turn in turns]


def carried_out_twice(backend: EmbeddedBackend, operation: Operation) -> list[Any]:
    """As after a crash at the end; what became of each line, as the second run tells."""
    blob = backend.ports.blobs.get(operation.input or "")
    carry_out(backend, operation, sleep=lambda _: None)
    backend.ports.store.requests.put_operation(operation)
    backend.ports.blobs.put(operation.input or "", blob or b"")
    ended = carry_out(backend, operation, sleep=lambda _: None)
    lines: list[Any] = (ended.result or {})["results"]
    return lines


def test_accepted_turns_have_their_places_from_then_on(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where places are given out when the turns are stored: what is said meanwhile would stand before them."""
    operation = accept_turns(backend.ports, admin, "web", "talk", posted(TURNS))
    assert (operation.kind, operation.total) == ("turns", 5)
    add_turns(backend.ports, admin, "web", "talk", [RememberRequest(fields={"content": "Said meanwhile."})])
    results = carried_out_twice(backend, operation)
    assert [line["status"] for line in results] == [201, 201, 201, 409, 422]
    turns = [(6, "On Friday, then."), (7, "Ann: Yes!"), (8, "Ann: Yes!"), (9, "Said meanwhile.")]
    assert said(backend, admin) == turns
    backend.drain()
    heard = backend.ports.store.sessions.turns(admin.scope("web"), "talk", 9, 9)[0].context
    assert heard == "Ann: Yes!\nAnn: Yes!"


def test_accepted_turns_are_one_operation_a_key(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where the same key gives out places again."""
    operation = accept_turns(backend.ports, admin, "web", "talk", posted(TURNS, "k"))
    assert accept_turns(backend.ports, admin, "web", "talk", posted(TURNS, "k")).id == operation.id
    with pytest.raises(KeyReused):
        accept_turns(backend.ports, admin, "web", "talk", posted(TURNS[:1], "k"))
    assert backend.ports.store.sessions.take_positions(admin.scope("web"), "talk", 0) == 9


def test_turns_with_a_secret_in_the_name_of_their_session_are_not_accepted(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    with pytest.raises(Invalid):
        accept_turns(backend.ports, admin, "web", SECRET, posted(TURNS))
