"""Socket of a running server in its data folder, and the lines that pass over it. Standard library only.

The server greets, the command line asks, the server answers; each message is one JSON object on a line. Nothing is
begun before the whole request was read, so that a caller who went away before that may run the command itself.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedRWPair
from typing import Any

SOCKET_NAME = "server.sock"
LOCK_NAME = "server.lock"
LONGEST_ADDRESS = 100
"""Bytes of a socket's path that every system takes; Linux allows 108, macOS 104."""

RUN_HERE = "run_here"
BEGUN = "begun"
READ_INPUT = "read_input"
RELAY = "relay"
END = "end"


@contextmanager
def socket_address(folder: str) -> Iterator[str]:
    """Path of the folder's socket, by a descriptor of the folder where the path itself is too long for an address.

    Raises:
        OSError: there is no such folder, or this system has no way for so long a path.
    """
    path = os.path.join(folder, SOCKET_NAME)
    if len(os.fsencode(path)) <= LONGEST_ADDRESS:
        yield path
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        yield f"/proc/self/fd/{opened}/{SOCKET_NAME}"
    finally:
        os.close(opened)


def send(wire: BufferedRWPair, message: Mapping[str, Any]) -> None:
    wire.write(json.dumps(message).encode() + b"\n")
    wire.flush()


def receive(wire: BufferedRWPair) -> dict[str, Any] | None:
    """Next message; None: the other side has gone, perhaps in the middle of it."""
    line = wire.readline()
    if not line.endswith(b"\n"):
        return None
    message: dict[str, Any] = json.loads(line)
    return message
