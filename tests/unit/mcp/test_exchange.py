"""Exchanges over HTTP with messages whose texts have no bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from memory_layer.mcp.exchange import INVALID_REQUEST, META, MODERN, exchanged

HALF = "\ud800"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "none", "arguments": {}}}
MODERN_HEADERS = {"mcp-protocol-version": MODERN, "mcp-method": "tools/list"}


def told(message: Mapping[str, Any], headers: Mapping[str, str]) -> tuple[int, Any]:
    """Status and message of an answer, written as the server writes it."""
    answer = exchanged(headers, json.dumps(message), lambda *_: (None, {}), str)  # type: ignore[arg-type, return-value]
    return answer.status, json.loads(json.dumps(answer.message, ensure_ascii=False).encode())


@pytest.mark.parametrize("headers", [{}, MODERN_HEADERS])
@pytest.mark.parametrize(
    "message",
    [
        {**CALL, "id": HALF},
        {**CALL, "method": HALF},
        {"jsonrpc": "2.0", "method": HALF},
        {**CALL, "params": {"name": HALF}},
        {**CALL, "params": {"name": "none", "arguments": {HALF: 1}}},
        {**CALL, "method": "tools/list", "params": {"_meta": {f"{META}protocolVersion": HALF}}},
    ],
)
def test_half_a_surrogate_pair_is_refused(message: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    """Falls where an answer repeats what no bytes are for, and the server ends with a 500."""
    status, answer = told(message, headers)
    assert (status, answer["id"], answer["error"]["code"]) == (400, None, INVALID_REQUEST)
    assert "half a surrogate pair" in answer["error"]["message"]


def test_values_of_arguments_are_for_the_tool() -> None:
    """Falls where a text that a model wrote is refused by the protocol, which tells the model nothing."""
    values = {"name": "none", "arguments": {"content": HALF, "whole": "\U0001f600"}}
    status, answer = told({**CALL, "params": values}, {})
    assert (status, answer["id"]) == (200, 1)
    assert "no tool none" in answer["error"]["message"]
