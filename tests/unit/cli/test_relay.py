"""Relay of a conversation: what a client writes that is no request of JSON-RPC is the server's to refuse."""

from __future__ import annotations

import io
import json
import socket
import sys
import threading
from typing import Any

import pytest

from memory_layer.cli.handover import relay
from memory_layer.cli.handover.relay import Relay


def answered(monkeypatch: pytest.MonkeyPatch, *lines: bytes) -> list[Any]:
    """What a client reads whose lines a server answers, each with its own id, until the client ends."""
    written: list[bytes] = []
    monkeypatch.setattr(relay, "_write", written.append)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"".join(lines))))
    ours, theirs = socket.socketpair()

    def answer() -> None:
        with theirs, theirs.makefile("rwb") as wire:
            for line in wire:
                wire.write(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"]}).encode() + b"\n")
                wire.flush()

    server = threading.Thread(target=answer)
    server.start()
    with ours, ours.makefile("rwb") as wire:
        assert Relay(ours, wire).run()
    server.join()
    return [json.loads(line)["id"] for line in written]


@pytest.mark.parametrize("id", [[1], {"a": 1}, None, True])
def test_an_id_of_another_kind_is_passed_on(monkeypatch: pytest.MonkeyPatch, id: Any) -> None:
    """Falls where an id is taken for a text or a number: a list ended the conversation with a traceback."""
    odd = json.dumps({"jsonrpc": "2.0", "id": id, "method": "ping"}).encode() + b"\n"
    plain = b'{"jsonrpc": "2.0", "id": "b", "method": "ping"}\n'
    assert answered(monkeypatch, odd, plain) == [id, "b"]
