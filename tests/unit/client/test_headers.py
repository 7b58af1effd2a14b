"""Headers that cannot be sent are refused in a sentence that does not repeat them."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_layer.cli.handover.http_relay import HttpRelay
from memory_layer.client import Memory
from memory_layer.plugin.hooks.remote_memory import RemoteMemory
from memory_layer.wire.api import Api
from memory_layer.wire.http import HttpTransport
from memory_layer.wire.message import Request
from memory_layer.wire.problem import MemoryProblem
from tests.given import REPOSITORY

BAD = ("eyJsecret\r\neyJmore", "eyJsecret\x7f", "eyJ secret", "eyJ\u2028secret")
MEM = "from memory_layer.cli.main import main; main()"


@pytest.fixture
def transport() -> Iterator[HttpTransport]:
    """Way to an address that takes connections, and answers none."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        opened = HttpTransport(f"http://127.0.0.1:{listening.getsockname()[1]}", timeout_s=0.5)
        yield opened
        opened.close()


def speakers(transport: HttpTransport, token: str) -> list[Callable[[], object]]:
    """All that speak with a token."""
    relay = HttpRelay(Api(transport, token), "shop")
    return [
        lambda: Memory(transport.place, project="shop", token=token, timeout=0.5).list_memories(),
        lambda: RemoteMemory(transport, token, "shop", "codex").about("what", "run-1"),
        lambda: relay._headers({}),
    ]


@pytest.mark.parametrize("token", BAD)
@pytest.mark.parametrize("speaker", range(3))
def test_a_token_that_cannot_be_sent_is_not_printed(
    transport: HttpTransport, token: str, speaker: int
) -> None:
    """Falls where an error names the token, which then stands in logs."""
    with pytest.raises(MemoryProblem, match="the token has characters that no token has") as refused:
        speakers(transport, token)[speaker]()
    assert "eyJ" not in repr(refused.value)
    assert refused.value.__context__ is None


def test_the_line_break_of_a_file_is_none_of_the_token(transport: HttpTransport) -> None:
    assert HttpRelay(Api(transport, " eyJgood\r\n"), "shop")._headers({})["authorization"] == "Bearer eyJgood"
    assert "authorization" not in HttpRelay(Api(transport, "\n"), "shop")._headers({})


@pytest.mark.parametrize("value", ["ann\r\nx: y", "ann\nx", "\u0142"])
def test_another_header_that_cannot_be_sent_is_named_without_its_value(
    transport: HttpTransport, value: str
) -> None:
    with pytest.raises(MemoryProblem, match="header memory-user has characters") as refused:
        transport.perform(Request("GET", "/v1/me", {"memory-user": value}))
    assert value not in str(refused.value)


@pytest.mark.parametrize("arguments", [["list"], ["hook", "claude", "UserPromptSubmit"]])
def test_a_command_prints_no_token(tmp_path: Path, transport: HttpTransport, arguments: list[str]) -> None:
    """Falls where a command ends in a traceback, or a hook says on stderr what was in the environment."""
    environ = {
        "MEMORY_LAYER_TOKEN": BAD[0],
        "MEMORY_LAYER_URL": transport.place,
        "MEMORY_LAYER_PROJECT": "shop",
        "MEMORY_LAYER_DATA_DIR": str(tmp_path),
        "HOME": str(tmp_path),
    }
    ran = subprocess.run(
        [sys.executable, "-c", MEM, *arguments],
        input='{"session_id": "s1", "cwd": "/", "prompt": "why does the import die at night"}',
        env=environ,
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "the token has characters that no token has" in ran.stderr
    assert "eyJ" not in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr
