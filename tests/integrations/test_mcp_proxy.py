"""`mem mcp-proxy` between the official client and a server of somebody else's."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from memory_layer.client import Memory, MemoryProblem
from memory_layer.integrations.enrichment import AnswerEnrichment, enriched_content
from memory_layer.integrations.mcp_proxy import enriched_line
from tests.e2e.test_serve_process import PROGRAM, serving

SERVER = [sys.executable, str(Path(__file__).parent / "tool_server.py")]
KNOWN = "The table of orders is partitioned by day"


@pytest.fixture(scope="module")
def url(model_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a server that knows something of one table."""
    assert model_dir.is_dir()
    with serving(tmp_path_factory.mktemp("proxied")) as (_, client):
        url = str(client.base_url).rstrip("/")
        Memory(url, project="shop").create_memory(KNOWN, entities=["urn:table:orders"])
        yield url


def proxied(url: str, *options: str) -> list[str]:
    arguments = ["mcp-proxy", "--project", "shop", "--url", url, *options, "--", *SERVER]
    return [sys.executable, "-c", PROGRAM, *arguments]


def talk(command: list[str], conversation: Callable[[Client], Awaitable[Any]], mode: str = "legacy") -> Any:
    async def have() -> Any:
        parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
        async with Client(stdio_client(parameters), mode=mode) as client:
            return await conversation(client)

    return anyio.run(have)


async def use_all(client: Client) -> dict[str, Any]:
    """Answers of all tools, and the list of them, as the client read them."""
    listed = await client.list_tools()
    calls = [
        ("describe", {"table": "orders"}),
        ("describe", {"table": "refunds"}),
        ("count", {"table": "orders"}),
        ("fail", {}),
        ("unknown", {}),
    ]
    answers = []
    for name, arguments in calls:
        try:
            answers.append((await client.call_tool(name, arguments)).model_dump(mode="json"))
        except Exception as error:
            answers.append(repr(error))
    return {"tools": [tool.model_dump(mode="json") for tool in listed.tools], "answers": answers}


def without_blocks(answers: list[Any]) -> list[Any]:
    """Answers without the blocks that the proxy put behind them."""
    return [
        answer
        if isinstance(answer, str)
        else {**answer, "content": [part for part in answer["content"] if KNOWN not in part["text"]]}
        for answer in answers
    ]


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
def test_all_passes_and_known_urns_bring_their_memories(url: str, mode: str) -> None:
    """Falls where a message is changed, or a memory is missing behind a result."""
    direct, through = talk(SERVER, use_all, mode), talk(proxied(url), use_all, mode)
    assert through["tools"] == direct["tools"]
    assert without_blocks(through["answers"]) == direct["answers"]
    blocks = [KNOWN in json.dumps(answer) for answer in through["answers"]]
    assert blocks == [True, False, True, True, False]


def test_a_memory_that_is_away_changes_no_answer() -> None:
    """Falls where a failure of ours reaches the agent."""
    assert talk(proxied("http://127.0.0.1:1"), use_all) == talk(SERVER, use_all)


def test_an_answer_waits_for_nobody(url: str) -> None:
    """Falls where a slow result holds up those that came after it."""

    async def race(client: Client) -> list[str]:
        ended: list[str] = []

        async def call(name: str, **arguments: Any) -> None:
            await client.call_tool(name, arguments)
            ended.append(name)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: call("wait", seconds=1.5))
            await anyio.sleep(0.3)
            tasks.start_soon(lambda: call("describe", table="orders"))
        return ended

    assert set(talk(proxied(url), race)) == {"wait", "describe"}


def run(command: list[str], text: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=60, check=False, **options
    )


def test_the_exit_code_is_the_servers(url: str) -> None:
    base = proxied(url)[: -len(SERVER)]
    assert run([*base, sys.executable, "-c", "import sys; sys.exit(3)"]).returncode == 3
    absent = run([*base, "no-such-program"])
    assert absent.returncode == 127
    assert "no-such-program cannot be started: No such file" in absent.stderr


def test_lines_that_are_no_messages_pass(url: str) -> None:
    """Falls where a line is written anew, or one that nobody understands ends the proxy."""
    program = "import sys; [print(line, end='', flush=True) for line in sys.stdin]"
    base = proxied(url)[: -len(SERVER)]
    lines = 'no message\n[{"id": 1}]\n{"id":  1, "result":{}}\n{"id": 2, "method": "tools/call"}\n'
    assert run([*base, sys.executable, "-c", program], lines).stdout == lines


def test_a_signal_ends_both(url: str, tmp_path: Path) -> None:
    """Falls where the server is left behind."""
    pid_file = tmp_path / "pid"
    program = f"import os, time; open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    command = [*proxied(url)[: -len(SERVER)], sys.executable, "-c", program]
    proxy = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    while not pid_file.exists() or not pid_file.read_text():
        assert proxy.poll() is None
    proxy.send_signal(signal.SIGTERM)
    assert proxy.wait(30) != 0
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


def test_a_signal_that_comes_while_the_server_is_started_ends_it_too() -> None:
    """Falls where signals are passed on only once the server is there: it would be left behind."""
    program = """
        import os, signal, subprocess, sys
        from memory_layer.integrations import mcp_proxy
        start, (inward, _) = subprocess.Popen, os.pipe()
        def interrupted(*given, **named):
            os.kill(os.getpid(), signal.SIGTERM)
            return start(*given, **named)
        subprocess.Popen = interrupted
        command = [sys.executable, "-c", "import time; time.sleep(600)"]
        print(mcp_proxy.run_proxy(command, None, os.fdopen(inward, "rb"), sys.stdout.buffer), flush=True)
        os._exit(0)  # a thread still waits for the client
    """
    ended = subprocess.run(
        [sys.executable, "-c", dedent(program)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.stdout.strip(), ended.returncode) == (str(-signal.SIGTERM), 0), ended.stderr


RESULT = {"content": [{"type": "text", "text": "urn:a:b"}], "isError": False}
LINE = b'{"id":1,  "result": "as it was written"}\n'


def test_a_result_without_memories_is_passed_as_its_bytes() -> None:
    """Falls where a line is written anew though nothing was put behind it."""
    assert enriched_line(LINE, {"id": 1, "result": RESULT}, lambda _: "") is LINE
    assert enriched_line(LINE, {"id": 1, "result": {"taskId": "t"}}, lambda _: "block") is LINE
    enriched = json.loads(enriched_line(LINE, {"id": 1, "result": RESULT}, lambda _: "block"))
    assert enriched["result"]["content"] == [*RESULT["content"], {"type": "text", "text": "block"}]  # type: ignore[misc]
    assert enriched["result"]["isError"] is False


def test_a_block_is_asked_for_where_a_urn_is_named_and_never_fails() -> None:
    asked: list[Any] = []

    class Failing:
        def enrich(self, payload: Any, **_: Any) -> Any:
            asked.append(payload)
            raise MemoryProblem("internal", "down")

        def close(self) -> None:
            asked.append("closed")

    enrichment = AnswerEnrichment(Failing)  # type: ignore[arg-type]
    assert enrichment.block("no names here") == ""
    assert enrichment.block({"of": object()}) == ""
    assert enrichment.block("urn:table:orders" + "x" * 1_000_001) == ""
    assert asked == []
    assert enrichment.block({"text": "URN:table:orders"}) == ""
    enrichment.close()
    assert asked == [{"text": "URN:table:orders"}, "closed"]


def test_a_block_stands_behind_texts_and_parts() -> None:
    assert enriched_content("answer", "") == "answer"
    assert enriched_content("answer", "block") == "answer\n\nblock"
    assert enriched_content(["a", {"type": "image"}], "block") == [
        "a",
        {"type": "image"},
        {"type": "text", "text": "block"},
    ]
