"""Command line's side of a hand-over: finds the server of its data folder and has it run the command.

Imports the standard library only, and little of it: a handed-over command lives for some hundredths of a second.
"""

import os
import socket
import sys
from collections.abc import Mapping, Sequence
from io import BufferedRWPair, BytesIO, TextIOWrapper
from typing import Any

from memory_layer.cli.handover import socket_file
from memory_layer.manifest import coding_agents, env
from memory_layer.version import VERSION

GREETING_S = 1.0
"""Seconds that a server has for its greeting; a command that gets none runs by itself, and was never sent."""

OWN_PREFIX = "MEMORY_LAYER_"
TERMINAL_VARIABLES = (
    *("TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE"),
    *("TTY_INTERACTIVE", "HOME"),
)
PASSED_VARIABLES = frozenset({*TERMINAL_VARIABLES, *coding_agents.VARIABLES})
UNKNOWN_OUTCOME = (
    "mem: the server ended before it answered, and may have done it or not: look before you say it again"
)
REFUSED = 1


def hand_over(arguments: Sequence[str]) -> int | None:
    """Has the running server of the data folder run a command; None: it is to be run here."""
    if names_service(arguments, os.environ):
        return None
    connection = _connected(data_folder(arguments, os.environ))
    if connection is None:
        return None
    with connection, connection.makefile("rwb") as wire:
        try:
            if (socket_file.receive(wire) or {}).get("version") != VERSION:
                return None
            connection.settimeout(None)
            socket_file.send(wire, _request(arguments))
        except OSError:  # a request whose line has no end is not run
            return None
        return _followed(connection, wire)


def _connected(folder: str) -> socket.socket | None:
    """Connection to the server of a folder; None: there is none, or its socket is another user's."""
    try:
        with socket_file.socket_address(folder) as address:
            if os.stat(address).st_uid != os.geteuid():
                return None
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(GREETING_S)
            connection.connect(address)
            return connection
    except OSError:
        return None


def _request(arguments: Sequence[str]) -> dict[str, Any]:
    environ = {
        name: value
        for name, value in os.environ.items()
        if name in PASSED_VARIABLES or name.startswith(OWN_PREFIX)
    }
    return {
        "arguments": list(arguments),
        "folder": os.getcwd(),
        "environ": environ,
        "size": _terminal_size(),
        "terminals": [name for name in ("stdin", "stdout", "stderr") if getattr(sys, name).isatty()],
        "encoding": sys.stdout.encoding,
    }


def _terminal_size() -> tuple[int, int]:
    """Columns and lines, of whichever standard stream is a terminal that knows its own."""
    for descriptor in (0, 1, 2):
        try:
            columns, lines = os.get_terminal_size(descriptor)
        except OSError:
            continue
        if columns > 0 and lines > 0:
            return columns, lines
    return 80, 25


def _followed(connection: socket.socket, wire: BufferedRWPair) -> int | None:
    """Exit code of a command that was sent; None: it is to be run here, since it was not begun or changes nothing."""
    is_repeatable = True
    while (message := _answer(wire)) is not None:
        match message["do"]:
            case socket_file.RUN_HERE:
                return None
            case socket_file.BEGUN:
                is_repeatable = message["is_repeatable"]
            case socket_file.READ_INPUT:
                socket_file.send(wire, {"text": _whole_input().decode("latin-1")})
            case socket_file.RELAY:
                _shown(message["written"])
                return _relayed(connection, wire)
            case socket_file.END:
                return _shown(message["written"]) or int(message["code"])
    if is_repeatable:
        return None
    print(UNKNOWN_OUTCOME, file=sys.stderr)
    return REFUSED


def _relayed(connection: socket.socket, wire: BufferedRWPair) -> int | None:
    from memory_layer.cli.handover.relay import Relay

    return 0 if Relay(connection, wire).run() else None


def _answer(wire: BufferedRWPair) -> dict[str, Any] | None:
    try:
        return socket_file.receive(wire)
    except OSError:
        return None


def _whole_input() -> bytes:
    """Standard input, which stays readable for a command that has to be run here after all."""
    read = sys.stdin.buffer.read()
    sys.stdin = TextIOWrapper(BytesIO(read), encoding=sys.stdin.encoding)
    return read


def _shown(written: Sequence[tuple[str, str]]) -> int:
    """Writes what the command wrote, in its order; 1 if the reader has gone away, as for a command run here."""
    try:
        for stream, text in written:
            print(text, end="", file=getattr(sys, stream), flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return REFUSED
    return 0


def names_service(arguments: Sequence[str], environ: Mapping[str, str]) -> bool:
    """Tells if the command is for a service: --url names it, or the environment where no data folder is named."""
    if _option(arguments, "--url") is not None:
        return True
    return bool(environ.get(env.URL)) and _option(arguments, "--data") is None


def data_folder(arguments: Sequence[str], environ: Mapping[str, str]) -> str:
    """Data folder that the arguments name, else the environment. The server compares what it reads off them."""
    home = os.path.join(environ.get("HOME", "~"), ".memory-layer")
    return os.path.expanduser(_option(arguments, "--data") or environ.get(env.DATA_DIR) or home)


def _option(arguments: Sequence[str], name: str) -> str | None:
    """Value of an option, the last one given; None: it is not there."""
    value = None
    for number, word in enumerate(arguments):
        if word == name and number + 1 < len(arguments):
            value = arguments[number + 1]
        elif word.startswith(f"{name}="):
            value = word.partition("=")[2]
    return value
