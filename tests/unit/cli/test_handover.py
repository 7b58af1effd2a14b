"""Hand-over of commands to a running server: the same words and exit codes, nothing twice, nobody else's."""

from __future__ import annotations

import inspect
import io
import os
import re
import socket
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.cli.app import app
from memory_layer.cli.handover import caller, listener, socket_file
from memory_layer.cli.handover.caller import hand_over
from memory_layer.cli.handover.listener import listening
from memory_layer.cli.terminal.served import SERVED_AS
from memory_layer.errors import Conflict
from memory_layer.settings import EmbeddedSettings, read_settings
from tests.unit.cli.conftest import Mem, Say, added, answer

PROGRAM = get_command(app)


@contextmanager
def server(data: Path | None = None) -> Iterator[EmbeddedBackend]:
    settings = read_settings(data_dir=data)
    backend = open_embedded(settings)
    try:
        with listening(PROGRAM, backend, settings):
            yield backend
    finally:
        backend.close()


def without_ids(text: str) -> str:
    return re.sub(r"(rcl|req)_[0-9a-f]{32}", r"\1_", text)


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "where is the ledger"],
        ["list", "--json"],
        ["list"],
        ["stats"],
        ["settings", "get"],
        ["get", "mem_0"],
        ["get", "mem_0", "--json"],
        ["search", "where is the ledger", "-n", "0"],
    ],
)
def test_a_served_command_says_what_it_says_without_a_server(
    mem: Mem, say: Say, arguments: list[str]
) -> None:
    added(mem, "The ledger is in the second drawer.")
    alone = mem(*arguments)
    with server():
        code, out, err = say(*arguments)
    assert (code, without_ids(out), without_ids(err)) == (
        alone.exit_code,
        without_ids(alone.stdout),
        without_ids(alone.stderr),
    )


def test_a_served_command_runs_over_the_servers_own_store(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    with server():
        monkeypatch.setattr("memory_layer.bootstrap.embedded.open_embedded", None)
        assert say("add", "The key hangs by the door.")[0] == 0
    monkeypatch.undo()


def test_the_project_is_that_of_the_callers_folder(say: Say) -> None:
    with server():
        say("add", "Told in the shop.")
        os.chdir(Path.cwd().parent)
        assert "Told in the shop." in say("list", "-p", "shop")[1]
        assert "Told in the shop." not in say("list")[1]


def test_a_project_of_the_callers_environment_counts(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    with server():
        monkeypatch.setenv("MEMORY_LAYER_PROJECT", "other")
        say("add", "Told elsewhere.")
        assert "Told elsewhere." in say("list", "-p", "other")[1]


def test_standard_input_is_read_by_the_caller(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Grüße aus dem Rohr.\n".encode())))
    with server():
        assert say("add", "-")[0] == 0
        assert "Grüße aus dem Rohr." in say("list")[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["doctor"],
        ["export", "all.jsonl"],
        ["import", "all.jsonl"],
        ["serve"],
        ["token", "--tenant", "a", "--principal", "b"],
        ["--help"],
        ["list", "--help"],
        ["list", "--no-such-option"],
        ["list", "-p", "of nobody"],
        ["nonsense"],
        ["settings"],
        [],
    ],
)
def test_other_commands_stay_with_their_caller(say: Say, arguments: list[str]) -> None:
    with server():
        code, out, _ = say(*arguments)
        assert (code, out) == (None, "")


def test_a_server_of_other_settings_is_not_asked(
    say: Say, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with server():
        assert say("list", "--data", str(tmp_path / "another"))[0] is None
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("MEMORY_LAYER_DATA", str(tmp_path / "another"))
            assert say("add", "--summary", "--data", str(tmp_path / "data"))[0] is None
        monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(tmp_path / "another"))
        assert say("list")[0] is None


def test_a_relative_folder_is_the_callers(say: Say) -> None:
    with server():
        assert say("list", "--data", "../data")[0] == 0
        assert say("list", "--data=../data")[0] == 0


def test_without_a_server_a_command_is_run_here(say: Say, tmp_path: Path) -> None:
    assert say("list") == (None, "", "")
    (tmp_path / "data").mkdir(mode=0o700)
    assert say("list") == (None, "", "")


def test_a_socket_that_a_killed_server_left_is_noticed_and_replaced(
    mem: Mem, say: Say, tmp_path: Path
) -> None:
    left = tmp_path / "data" / socket_file.SOCKET_NAME
    answer(mem("list", "--json"))
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(left))
    assert left.exists()
    assert say("list")[0] is None
    with server():
        assert say("list")[0] == 0
    assert not left.exists()


def test_of_two_servers_the_first_goes_on(say: Say) -> None:
    with ExitStack() as first:
        first.enter_context(server())
        with server():
            assert say("list")[0] == 0
        assert say("list")[0] == 0


@pytest.mark.usefixtures("mem")
def test_the_socket_is_its_owners_alone(tmp_path: Path) -> None:
    with server():
        for name in (socket_file.SOCKET_NAME, socket_file.LOCK_NAME):
            assert stat.S_IMODE((tmp_path / "data" / name).stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


def test_a_caller_of_another_user_gets_no_greeting(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    with server():
        monkeypatch.setattr(listener, "is_owner", lambda _: False)
        assert say("list")[0] is None


def test_the_owner_is_told_by_the_system() -> None:
    here, there = socket.socketpair()
    with here, there:
        assert listener.is_owner(here)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(os, "geteuid", lambda: 12_345)
            assert not listener.is_owner(here)


def test_a_socket_of_another_user_is_not_asked(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    with server():
        monkeypatch.setattr(caller.os, "geteuid", lambda: 12_345)
        assert say("list")[0] is None


def test_a_folder_deep_down_is_reached(say: Say, tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a_folder_with_a_long_name"] * 5)
    with server(deep):
        assert (deep / socket_file.SOCKET_NAME).exists()
        assert say("list", "--data", str(deep))[0] == 0


def test_commands_side_by_side_keep_their_words_apart(mem: Mem) -> None:
    """Falls where CallersStream writes to one stream for all."""
    for number in range(8):
        added(mem, f"Number {number} is told.", "-p", f"p{number}")
    heard: dict[int, list[Any]] = {}
    with server():

        def ask(number: int) -> None:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(read_settings().data_dir / socket_file.SOCKET_NAME))
                with connection.makefile("rwb") as wire:
                    socket_file.receive(wire)
                    socket_file.send(wire, caller._request(["list", "-p", f"p{number}"]))
                    heard[number] = list(iter(lambda: socket_file.receive(wire), None))

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for number, messages in heard.items():
        said = "".join(text for name, text in messages[-1]["written"] if name == "stdout")
        assert re.findall(r"Number (\d)", said) == [str(number)]


@contextmanager
def broken_server(settings: EmbeddedSettings, *messages: dict[str, Any]) -> Iterator[list[Any]]:
    """A server that says so much, and is gone."""
    settings.data_dir.mkdir(mode=0o700, exist_ok=True)
    requests: list[Any] = []
    with socket.socket(socket.AF_UNIX) as listening_socket:
        listening_socket.bind(str(settings.data_dir / socket_file.SOCKET_NAME))
        listening_socket.listen()

        def serve() -> None:
            connection, _ = listening_socket.accept()
            with connection, connection.makefile("rwb") as wire:
                for message in messages:
                    socket_file.send(wire, message)
                    if "version" in message:
                        requests.append(socket_file.receive(wire))

        thread = threading.Thread(target=serve)
        thread.start()
        yield requests
        thread.join()


GREETING = {"version": caller.VERSION}


@pytest.mark.parametrize(
    ("messages", "code"),
    [
        ([], None),
        ([{"version": "0.0.0"}], None),
        ([GREETING], None),
        ([GREETING, {"do": "begun", "is_repeatable": True}], None),
        ([GREETING, {"do": "begun", "is_repeatable": False}], 1),
    ],
)
def test_a_write_that_a_dying_server_may_have_done_is_not_done_again(
    say: Say, messages: list[dict[str, Any]], code: int | None
) -> None:
    with broken_server(read_settings(), *messages):
        said, out, err = say("add", "Once.")
    assert (said, out) == (code, "")
    assert ("may have done it or not" in err) == (code == 1)


def test_a_server_that_does_not_greet_is_sent_nothing(
    say: Say, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(caller, "GREETING_S", 0.05)
    (tmp_path / "data").mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as stopped:
        stopped.bind(str(tmp_path / "data" / socket_file.SOCKET_NAME))
        stopped.listen()
        assert say("add", "Once.")[0] is None
        connection, _ = stopped.accept()
        with connection:
            assert connection.recv(1) == b""


@pytest.mark.usefixtures("mem")
def test_a_stop_waits_for_a_command_that_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Falls where the listener does not join its threads."""
    has_begun, may_end = threading.Event(), threading.Event()
    ended: list[str] = []

    def remember(*_: Any, **__: Any) -> None:
        has_begun.set()
        may_end.wait(10)
        ended.append("done")
        raise Conflict("too late")

    monkeypatch.setattr("memory_layer.usecases.write.remember.remember", remember)
    codes: list[int | None] = []
    with ExitStack() as running:
        running.enter_context(server())
        asking = threading.Thread(target=lambda: codes.append(hand_over(["add", "Slow."])))
        asking.start()
        assert has_begun.wait(10)
        threading.Timer(0.1, may_end.set).start()
        running.close()
        assert ended == ["done"]
        asking.join()
    assert codes == [1]


def test_a_command_that_fails_ends_as_it_would_here(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("of the unexpected kind")

    monkeypatch.setattr("memory_layer.usecases.write.remember.remember", fail)
    with server():
        code, _, err = say("add", "Anything.")
        assert code == 1
        assert "RuntimeError: of the unexpected kind" in err
        assert say("stats")[0] == 0


FOR_THE_CALLERS_PROCESS = re.compile(
    r"\b(?:read_text|read_lines|write_lines|Path\(|confirm\(|progress\(|Gauge\()"
)


def commands_of(group: Any) -> Iterator[Any]:
    for found in group.commands.values():
        yield from commands_of(found) if hasattr(found, "commands") else [found]


def test_no_served_command_touches_files_or_a_person() -> None:
    served = [one.callback for one in commands_of(PROGRAM) if getattr(one.callback, SERVED_AS, None)]
    assert len(served) > 30
    for callback in served:
        module = inspect.getmodule(callback)
        body = getattr(module, callback.__name__, callback)
        assert not FOR_THE_CALLERS_PROCESS.search(inspect.getsource(body)), callback.__name__


def test_a_command_waits_for_what_the_server_loads(mem: Mem, say: Say) -> None:
    """Two threads that import at once may wait for each other. Falls where the listener does not wait."""
    added(mem, "The ledger is in the second drawer.")
    told: list[str] = []
    settings = read_settings(data_dir=None)
    backend = open_embedded(settings)
    try:
        with listening(PROGRAM, backend, settings, until_loaded=lambda: told.append("loaded")):
            code, out, _ = say("list")
    finally:
        backend.close()
    assert (code, "second drawer" in out, told) == (0, True, ["loaded"])
