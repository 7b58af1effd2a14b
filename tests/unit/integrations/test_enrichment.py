"""Enrichment of tools' answers, and the proxy's lines, where something fails or is slow."""

from __future__ import annotations

import io
import json
import logging
import sys
import time
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from memory_layer.cli.handover import http_relay, relay
from memory_layer.integrations.enrichment import AnswerEnrichment
from memory_layer.integrations.mcp_proxy import enriched_line, run_proxy

DEEP = b'{"id": 1, "method": "x", "params": ' + b"[" * 200_000 + b"]" * 200_000 + b"}\n"
ECHO = "import sys; [print(line, end='', flush=True) for line in sys.stdin]"
CALL = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}\n'
RESULT = b'{"jsonrpc": "2.0",  "id": 1, "result": {"content": []}}\n'


class Known:
    """Client that knows something of every URN."""

    def enrich(self, _: Any, **__: Any) -> Any:
        return SimpleNamespace(memory_context="known")

    def close(self) -> None:
        """Has nothing to let go of."""


class Failing:
    """Enrichment that breaks its promise never to fail."""

    def block(self, _: Any) -> str:
        raise RuntimeError


def passed(lines: bytes, enrichment: Any, server: str = ECHO) -> bytes:
    outward = io.BytesIO()
    assert run_proxy([sys.executable, "-c", server], enrichment, io.BytesIO(lines), outward) == 0
    return outward.getvalue()


def test_a_line_nested_too_deep_passes_and_so_do_those_after_it() -> None:
    """Falls where one line ends the proxy, in the one direction or in the other."""
    lines = DEEP + b'{"id": [1], "method": "tools/call"}\n{"id": [1], "result": {}}\n' + CALL
    assert passed(lines, AnswerEnrichment(Known)) == lines  # type: ignore[arg-type]


def test_a_line_nested_too_deep_is_no_message_of_a_relay() -> None:
    assert relay._message(DEEP) == {}
    assert http_relay._message(DEEP) is None


def test_a_result_whose_enrichment_fails_is_sent_as_it_came(caplog: pytest.LogCaptureFixture) -> None:
    """Falls where the client waits for ever for a result that the server gave."""
    server = f"import sys; sys.stdin.readline(); print({RESULT.decode()!r}, end=''); sys.stdin.read()"
    assert passed(CALL, Failing(), server) == RESULT
    assert "goes as it came: RuntimeError" in caplog.text


def test_half_a_surrogate_beside_a_block_stays_as_it_was_said() -> None:
    message = json.loads(RESULT) | {"_meta": "\ud800"}
    line = enriched_line(RESULT, message, lambda _: "known")
    assert json.loads(line)["_meta"] == "\ud800"
    assert json.loads(line)["result"]["content"] == [{"type": "text", "text": "known"}]


def test_the_first_answer_waits_until_the_client_is_open() -> None:
    """Falls where the first answer goes without memories because the client opens beside it."""

    def opened() -> Any:
        time.sleep(0.3)
        return Known()

    enrichment = AnswerEnrichment(opened, wait_s=0.05)
    enrichment.open_beside()
    assert enrichment.block("urn:table:orders") == "known"


def test_an_answer_without_memories_says_why(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    may_open = Event()

    def opened() -> Any:
        may_open.wait()
        raise KeyError

    enrichment = AnswerEnrichment(opened, wait_s=0.01, opening_s=0.01)
    assert enrichment.block("urn:table:orders") == ""
    assert caplog.messages == ["a tool's answer goes without memories: they were not there in time"]
    may_open.set()
    assert AnswerEnrichment(opened).block("urn:table:orders") == ""
    assert caplog.messages[1:] == ["a tool's answer goes without memories: KeyError"]
    enrichment.close()
