"""Hooks of coding agents as their agents run them: processes, with a server and without, over a whole working day."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import Final

import pytest
from typer.main import get_command

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.cli.app import app
from memory_layer.cli.handover import socket_file
from memory_layer.cli.handover.listener import listening
from memory_layer.domain.access import Principal
from memory_layer.domain.filters import Filters
from memory_layer.local.tokens import mint, secret_of
from memory_layer.manifest import agent_hooks
from memory_layer.plugin.agents import AGENTS
from memory_layer.plugin.hooks.run_hook import run_hook
from memory_layer.ports.process import Embedder, Ports
from memory_layer.settings import read_settings
from memory_layer.usecases.ground.queries import list_memories
from memory_layer.usecases.learn.read_runs import list_runs
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from memory_layer.version import VERSION
from tests.coding_days.replay import DAYS, KNOWN, ReplayedDay, replay
from tests.e2e.conftest import running
from tests.named_folder import name_project

FAILURES: Final = int(os.environ.get("HOOK_FAILURES", "14"))
"""Runs of hooks while something is broken; HOOK_FAILURES=1000 takes an hour."""

OWNER: Final = Principal("local", "local", roles=frozenset({"admin"}))
PROGRAM: Final = (sys.executable, "-m", "memory_layer.cli.main")

Ran = subprocess.CompletedProcess[bytes]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    name_project(folder, "shop")
    return folder


@pytest.fixture
def environ(tmp_path: Path, model_dir: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "MEMORY_LAYER_DATA": str(tmp_path / "data"),
        "MEMORY_LAYER_MODEL_DIR": str(model_dir.parent),
    }


@pytest.fixture
def backend(tmp_path: Path, embedder: Embedder) -> Iterator[EmbeddedBackend]:
    """The memory of a project that knows something, behind a server that commands are handed over to."""
    settings = read_settings({}, data_dir=tmp_path / "data", model_dir=tmp_path / "no-model")
    with closing(open_embedded(settings, embedder=embedder)) as opened:
        yield opened


@contextmanager
def serving(backend: EmbeddedBackend, environ: dict[str, str]) -> Iterator[None]:
    """Runs what is handed over; within a test's own body, since pytest changes the standard streams around it."""
    data, models = (Path(environ[f"MEMORY_LAYER_{name}"]) for name in ("DATA", "MODEL_DIR"))
    with listening(get_command(app), backend, read_settings({}, data_dir=data, model_dir=models)):
        yield


def mem(environ: dict[str, str], folder: Path, *arguments: str, given: bytes = b"") -> Ran:
    return subprocess.run(
        [*PROGRAM, *arguments],
        input=given,
        cwd=folder,
        env=environ,
        capture_output=True,
        timeout=60,
        check=False,
    )


def hook(environ: dict[str, str], folder: Path, agent: str, event: str, given: str) -> str:
    """Output of a hook that is handed over, as every one has to end: code 0, and JSON or nothing."""
    done = mem(environ, folder, "hook", agent, event, given=given.encode())
    assert done.returncode == 0, done.stderr
    assert_reads(done.stdout)
    return done.stdout.decode()


def assert_reads(output: bytes) -> None:
    assert output == b"" or isinstance(json.loads(output), dict)


def day_of(name: str, environ: dict[str, str], root: Path, tmp_path: Path) -> ReplayedDay:
    transcripts = tmp_path / "transcripts"
    transcripts.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    return replay(
        name, root, transcripts, lambda agent, event, given: hook(environ, elsewhere, agent, event, given)
    )


@pytest.mark.parametrize("name", DAYS)
def test_a_day_of_an_agent_is_told_what_it_needs_and_learned_from(
    name: str, backend: EmbeddedBackend, environ: dict[str, str], root: Path, tmp_path: Path
) -> None:
    """What bears on the work is shown, once a session; what was cited gets its verdict; three runs are learned from."""
    with serving(backend, environ):
        for said in KNOWN.values():
            mem(environ, root, "add", *said)
        day = day_of(name, environ, root, tmp_path)
    shown = {one: day.times_shown(one) for one in KNOWN}
    assert min(shown[one] for one in ("timeout", "cents", "redis", "worker")) >= 1, shown
    assert max(day.times_shown(known) for known in KNOWN) <= 4  # three sessions, and one compaction
    assert [day.times_shown(foreign) for foreign in ("fonts", "office")] == [0, 0]
    assert day.tokens <= 4_000
    listed = list_memories(backend.ports, OWNER, "shop", Filters(), after=None, limit=200).memories
    known = {memory.content: memory for memory in listed}
    verdicts = {one: (known[said[0]].worked, known[said[0]].failed) for one, said in KNOWN.items()}
    assert verdicts["timeout"] == verdicts["cents"] == verdicts["redis"] == (1, 0)
    assert verdicts["worker"] == (0, 1)
    assert verdicts["fonts"] == (0, 0)
    runs = list_runs(backend.ports, OWNER, "shop", after=None, limit=10).runs
    assert {run.outcome for run in runs} == {"worked"}
    assert len(runs) == 3
    assert {run.created_by for run in runs} == {f"agent:{AGENTS[DAYS[name]].client}"}
    learned = [one for said, one in known.items() if "rounded half up in integer cents" in said]
    assert [(one.created_by, one.is_trusted) for one in learned] == [(runs[0].created_by, False)]


def session_input(event: str, folder: Path, **more: object) -> str:
    return json.dumps({"session_id": "s-1", "cwd": str(folder), "hook_event_name": event, **more})


Break = Callable[[ExitStack, Path, dict[str, str]], str]
"""Breaks something for a hook of Claude Code at a prompt; returns the hook's input."""


def _prompt(folder: Path) -> str:
    return session_input(
        "UserPromptSubmit", folder, prompt="why does the nightly import of the catalogue die"
    )


def garbage(_: ExitStack, __: Path, ___: dict[str, str]) -> str:
    chance = random.Random()
    return "".join(chr(chance.randint(0, 0x2FF)) for _ in range(chance.randint(0, 400)))


def other_json(_: ExitStack, __: Path, ___: dict[str, str]) -> str:
    return random.choice(
        ["[]", "{}", "null", '"x"', "[" * 50_000, '{"session_id": 1}', '{"session_id": "a", "cwd": 7}']
    )


def huge_input(_: ExitStack, root: Path, __: dict[str, str]) -> str:
    return session_input("UserPromptSubmit", root, prompt="x" * (agent_hooks.INPUT_MAX_BYTES + 1))


def no_folder(_: ExitStack, root: Path, __: dict[str, str]) -> str:
    return _prompt(root / "gone" / "away")


def data_in_a_file(_: ExitStack, root: Path, environ: dict[str, str]) -> str:
    environ["MEMORY_LAYER_DATA"] = str(root / ".git" / "config")
    return _prompt(root)


def full_disk(_: ExitStack, root: Path, environ: dict[str, str]) -> str:
    """A device on which nothing can be written stands in for the database's folder."""
    environ["MEMORY_LAYER_DATA"] = "/dev/full/data"
    return _prompt(root)


def damaged_database(_: ExitStack, root: Path, environ: dict[str, str]) -> str:
    data = Path(environ["MEMORY_LAYER_DATA"]) / "damaged"
    data.mkdir(parents=True, exist_ok=True)
    (data / "memory.sqlite3").write_bytes(os.urandom(8_192))
    environ["MEMORY_LAYER_DATA"] = str(data)
    return _prompt(root)


def damaged_state(_: ExitStack, root: Path, environ: dict[str, str]) -> str:
    (Path(environ["MEMORY_LAYER_DATA"]) / "hook-sessions").mkdir(parents=True, exist_ok=True)
    for file in (Path(environ["MEMORY_LAYER_DATA"]) / "hook-sessions").iterdir():
        file.write_bytes(os.urandom(64))
    return _prompt(root)


def broken_git(_: ExitStack, root: Path, __: dict[str, str]) -> str:
    (root / ".git" / "config").write_text("[remote", "utf-8")
    return _prompt(root)


def no_name(_: ExitStack, root: Path, environ: dict[str, str]) -> str:
    environ["MEMORY_LAYER_PROJECT"] = "no name"
    return _prompt(root)


def service_that_is_down(_: ExitStack, root: Path, environ: dict[str, str]) -> str:
    environ["MEMORY_LAYER_URL"] = "http://127.0.0.1:9"
    return _prompt(root)


def _false_server(stack: ExitStack, environ: dict[str, str], greeting: bytes) -> None:
    """Server on the folder's socket that says one thing, and then nothing."""
    data = Path(environ["MEMORY_LAYER_DATA"])
    data.mkdir(parents=True, exist_ok=True)
    (data / socket_file.SOCKET_NAME).unlink(missing_ok=True)
    server = stack.enter_context(socket.socket(socket.AF_UNIX))
    server.bind(str(data / socket_file.SOCKET_NAME))
    stack.callback((data / socket_file.SOCKET_NAME).unlink, missing_ok=True)
    server.listen()
    held: list[socket.socket] = []

    def greet() -> None:
        try:
            held.append(server.accept()[0])
            held[-1].sendall(greeting)
        except OSError:
            return

    stack.callback(held.clear)
    threading.Thread(target=greet, daemon=True).start()


def server_that_never_answers(stack: ExitStack, root: Path, environ: dict[str, str]) -> str:
    _false_server(stack, environ, json.dumps({"version": VERSION}).encode() + b"\n")
    return _prompt(root)


def server_of_garbage(stack: ExitStack, root: Path, environ: dict[str, str]) -> str:
    _false_server(stack, environ, b"\xff\x00 no greeting\n")
    return _prompt(root)


def server_that_is_gone(_: ExitStack, root: Path, environ: dict[str, str]) -> str:
    data = Path(environ["MEMORY_LAYER_DATA"])
    data.mkdir(parents=True, exist_ok=True)
    (data / socket_file.SOCKET_NAME).unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(data / socket_file.SOCKET_NAME))
    return _prompt(root)


CHEAP: Final[tuple[Break, ...]] = (
    garbage,
    other_json,
    huge_input,
    data_in_a_file,
    broken_git,
    server_of_garbage,
)
COSTLY: Final[tuple[Break, ...]] = (
    *(full_disk, damaged_database, damaged_state, no_folder, no_name, server_that_is_gone),
    *(service_that_is_down, server_that_never_answers),
)
FAILING: Final = tuple(one for costly in COSTLY for one in (*CHEAP, costly))


def test_every_hook_fails_open(root: Path, environ: dict[str, str], tmp_path: Path) -> None:
    """Code 0, an output that the agent reads, in bounded time, whatever is broken. Falls without `guarded_hook`."""
    order = [*CHEAP, *COSTLY] if FAILURES < 100 else list(FAILING)
    for number in range(FAILURES):
        broken = order[number % len(order)]
        agent = random.choice(list(AGENTS.values()))
        event = random.choice([name for name, one in agent.events.items() if one.kind != "end"])
        with ExitStack() as stack:
            git, own = (root / ".git" / "config").read_bytes(), dict(environ)
            stack.callback((root / ".git" / "config").write_bytes, git)
            own["MEMORY_LAYER_DATA"] = str(tmp_path / f"data{number % 5}")
            given = broken(stack, root, own).encode("utf-8", "surrogatepass")
            began = monotonic()
            done = mem(own, root, "hook", agent.name, event, given=given)
            assert done.returncode == 0, (broken, done.stderr)
            assert_reads(done.stdout)
            assert monotonic() - began < 30, broken  # it ends by itself; how quickly is no matter of a test


def test_a_hook_ends_at_its_deadline_and_says_why(root: Path, environ: dict[str, str]) -> None:
    """Falls without the deadline of `guarded_hook`: the server never answers."""
    with ExitStack() as stack:
        given = server_that_never_answers(stack, root, environ)
        done = mem(environ, root, "hook", "cursor", "beforeSubmitPrompt", given=given.encode())
    assert (done.returncode, done.stdout) == (0, b"{}")
    assert b"no answer within" in done.stderr


def test_an_output_that_cannot_be_written_is_no_error(root: Path, environ: dict[str, str]) -> None:
    with open("/dev/full", "wb") as full:
        command = [*PROGRAM, "hook", "cursor", "preCompact"]
        done = subprocess.run(
            command, input=b"x", stdout=full, stderr=full, env=environ, cwd=root, check=False
        )
    assert done.returncode == 0


def test_a_hook_leaves_no_process_behind(root: Path, environ: dict[str, str]) -> None:
    """Falls where a hook starts another process, or its pipes stay open in one."""
    given = session_input("SessionStart", root, source="startup").encode()
    started = subprocess.Popen(
        [*PROGRAM, "hook", "claude", "SessionStart"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=root,
        env=environ,
        start_new_session=True,
    )
    started.communicate(given, timeout=60)
    with pytest.raises(ProcessLookupError):
        os.killpg(started.pid, 0)


def test_help_is_shown_and_an_unknown_event_is_told_on_stderr(root: Path, environ: dict[str, str]) -> None:
    assert b"Usage" in mem(environ, root, "hook", "--help").stdout
    done = mem(environ, root, "hook", "claude", "Elsewhen", given=b"{}")
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"there are: claude: SessionStart" in done.stderr


def test_hooks_are_handed_over_to_the_server_that_an_agent_itself_started(
    root: Path, environ: dict[str, str]
) -> None:
    """No daemon: `mem mcp`, which lives as long as its agent, answers the hooks. Falls where it does not listen."""
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
    hello["params"] = {
        **hello["params"],
        "capabilities": {},
        "clientInfo": {"name": "claude-code", "version": "2"},
    }  # type: ignore[dict-item]
    mem(environ, root, "add", *KNOWN["redis"])
    with subprocess.Popen(
        [*PROGRAM, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=root,
        env=environ,
    ) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        agent.stdin.write(json.dumps(hello).encode() + b"\n")
        agent.stdin.flush()
        assert json.loads(agent.stdout.readline())["id"] == 1
        given = session_input(
            "UserPromptSubmit", root, prompt="why does the nightly import of the catalogue die"
        )
        alone = {
            **environ,
            "PYTHONPATH": environ["PYTHONPATH"],
            "MEMORY_LAYER_MODEL_DIR": environ["MEMORY_LAYER_MODEL_DIR"],
        }
        assert "Redis" in hook(alone, root, "claude", "UserPromptSubmit", given)
        assert imported_by_a_hook(alone, root, given).isdisjoint(
            {"typer", "numpy", "pydantic", "memory_layer.cli.app"}
        )
        agent.stdin.close()
        assert agent.wait(30) == 0


def imported_by_a_hook(environ: dict[str, str], folder: Path, given: str) -> set[str]:
    """Modules that the process of a hook has loaded when it ends."""
    program = (
        "import sys, os; ended = os._exit\n"
        "def end(code):\n    sys.stderr.write(' '.join(sys.modules)); sys.stderr.flush(); ended(code)\n"
        "os._exit = end; sys.argv = ['mem', 'hook', 'claude', 'UserPromptSubmit']\n"
        "from memory_layer.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=given.encode(),
        cwd=folder,
        env=environ,
        capture_output=True,
        check=True,
    )
    return set(done.stderr.decode().split())


@pytest.mark.parametrize("with_auth", [False, True])
def test_a_session_is_told_and_learned_by_a_service_at_an_address(
    backend: EmbeddedBackend, environ: dict[str, str], root: Path, tmp_path: Path, with_auth: bool
) -> None:
    """As from a folder; also with a person's token the words are the agent's. Falls where a run is posted as theirs."""
    for content, *options in KNOWN.values():
        tags = {"tags": ("src/billing/**",)} if "--tag" in options else {}
        fields = {"content": content, "category": options[1], **tags}
        remember(backend.ports, OWNER, "shop", RememberRequest(fields=fields))
    data = Path(environ["MEMORY_LAYER_DATA"])
    with running(backend, data, with_auth=with_auth) as url:
        claims = {"tenant": "local", "principal": "ada@acme.test", "persona": None, "roles": ["agent"]}
        now = backend.ports.clock.now()
        token = mint(secret_of(data), now=now, lifetime=timedelta(1), **claims)  # type: ignore[arg-type]
        environ |= {"MEMORY_LAYER_URL": url} | ({"MEMORY_LAYER_TOKEN": token} if with_auth else {})

        def answered(agent: str, event: str, given: str) -> str:
            own = {"folder": tmp_path, "environ": environ, "url": url, "data_dir": tmp_path / "own"}
            return run_hook(agent, event, given.encode(), open_ports=_no_folder, **own)  # type: ignore[arg-type]

        day = replay("claude", root, tmp_path, answered)
    shown = {one: day.times_shown(one) for one in KNOWN}
    assert min(shown[one] for one in ("timeout", "cents", "redis", "worker")) >= 1, shown
    runs = list_runs(backend.ports, OWNER, "shop", after=None, limit=10).runs
    assert len(runs) == 3
    agent = "agent:claude-code:ada@acme.test" if with_auth else "agent:claude-code"
    assert {run.created_by for run in runs} == {agent}


def _no_folder() -> AbstractContextManager[Ports]:
    raise AssertionError("a service is named, and the folder is not opened")
