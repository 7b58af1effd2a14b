"""Commands and conversations of other processes at a running server, also when it is killed meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import memory_layer
from memory_layer.cli.handover.socket_file import SOCKET_NAME
from tests.e2e.test_serve_process import serving

ACK = "The queue worker acknowledges a message before it commits."


@pytest.fixture
def environment(tmp_path: Path, model_dir: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(Path(memory_layer.__path__[0]).parent),
        "MEMORY_LAYER_DATA": str(tmp_path / "data"),
        "MEMORY_LAYER_MODEL_DIR": str(model_dir.parent),
        "MEMORY_LAYER_PROJECT": "shop",
    }


@pytest.fixture
def server(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[subprocess.Popen[str]]:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with serving(tmp_path / "data") as (process, _):
        yield process


def mem(environment: dict[str, str], *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memory_layer.cli.main", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, input=given, timeout=60, check=False
    )


def test_commands_go_on_when_the_server_is_killed(
    server: subprocess.Popen[str], environment: dict[str, str], tmp_path: Path
) -> None:
    assert mem(environment, "add", "-", given=ACK).returncode == 0
    assert ACK in mem(environment, "list").stdout
    server.kill()
    server.wait()
    assert (tmp_path / "data" / SOCKET_NAME).exists()
    assert ACK in mem(environment, "list").stdout
    with serving(tmp_path / "data"):
        assert ACK in mem(environment, "list").stdout


def test_commands_are_counted_and_logged_as_requests_are(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where the server's counts are not those of its socket, or a command writes the log to its caller."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with serving(tmp_path / "data", "--log", "requests") as (process, http):
        done = mem(environment, "add", "-", given=ACK)
        page = http.get("/metrics").text
        process.kill()
        _, log = process.communicate()
    sample = 'memory_layer_requests_total{operation="create_memory",status="201"} 1'
    assert (sample in page, "create_memory" in done.stderr) == (True, False)
    assert '"operation": "create_memory", "status": 201' in log
    assert "acknowledges" not in log


def test_a_stop_takes_the_socket_away(server: subprocess.Popen[str], tmp_path: Path) -> None:
    assert (tmp_path / "data" / SOCKET_NAME).exists()
    server.send_signal(signal.SIGTERM)
    assert server.wait(timeout=30) == 128 + signal.SIGTERM
    assert not (tmp_path / "data" / SOCKET_NAME).exists()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_conversation_goes_on_when_the_server_is_killed(
    server: subprocess.Popen[str], environment: dict[str, str], mode: Any
) -> None:
    """Falls where the relay does not say the beginning again, or shows its answer a second time."""

    async def talk(client: Client) -> list[str]:
        await client.call_tool("add_memory", {"content": ACK})
        server.kill()
        server.wait()
        found = await client.call_tool("list_memories", {})
        again = await client.call_tool("list_memories", {})
        return [str(answer.structured_content["memories"][0]["content"]) for answer in (found, again)]  # type: ignore[index]

    assert _in_conversation(environment, talk, mode) == [ACK, ACK]


def test_a_conversation_holds_no_stop_up(server: subprocess.Popen[str], environment: dict[str, str]) -> None:
    async def talk(client: Client) -> int:
        await client.list_tools()
        server.send_signal(signal.SIGTERM)
        return await anyio.to_thread.run_sync(lambda: server.wait(timeout=10))

    assert _in_conversation(environment, talk, "auto") == 128 + signal.SIGTERM


def _in_conversation(environment: dict[str, str], talk: Callable[[Client], Any], mode: Any) -> Any:
    async def connect() -> Any:
        program = StdioServerParameters(
            command=sys.executable, args=["-m", "memory_layer.cli.main", "mcp"], env=environment
        )
        async with Client(program, mode=mode) as client:
            return await talk(client)

    return anyio.run(connect)
