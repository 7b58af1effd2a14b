"""Hook of a coding agent that fails open: it ends in time, with code 0 and an output that its agent reads.

Imports the standard library only, and little of it: an agent runs a hook at each prompt, and waits for it.
"""

import io
import os
import sys
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable, Sequence
from time import sleep
from typing import NoReturn

from memory_layer.cli.handover.caller import hand_over
from memory_layer.manifest import agent_hooks

HELP = ("-h", "--help")
STDOUT, STDERR = 1, 2

_ENDING = allocate_lock()
"""Held by the thread that ends the process, so that an output and what is said at the deadline never mix."""


def run_guarded(arguments: Sequence[str], run_here: Callable[[], None]) -> None:
    """Runs a hook and ends the process; `mem hook --help`, and what a person types without an event, goes on.

    Args:
        arguments: `hook AGENT EVENT` and options.
        run_here: runs the command in this process, where no server does.
    """
    if len(arguments) < 3 or not set(HELP).isdisjoint(arguments):
        return
    agent, event = arguments[1], arguments[2]
    empty = agent_hooks.nothing(agent)
    start_new_thread(_end_late, (agent_hooks.deadline_s(agent, event), empty))
    try:
        said = _output(arguments, run_here)
    except BaseException as error:  # a hook that fails must not stop the agent that runs it
        _tell(f"mem hook: {type(error).__name__}: {error}")
        said = ""
    _end(said or empty)


def _output(arguments: Sequence[str], run_here: Callable[[], None]) -> str:
    """Output of the hook; empty if it was refused, or its input is too large."""
    raw = sys.stdin.buffer.read(agent_hooks.INPUT_MAX_BYTES + 1) if sys.stdin is not None else b""
    if len(raw) > agent_hooks.INPUT_MAX_BYTES:
        _tell(
            f"mem hook: the input is larger than {agent_hooks.INPUT_MAX_BYTES:,} bytes; nothing is looked up"
        )
        return ""
    sys.stdin = io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8")
    written = io.BytesIO()
    sys.stdout = io.TextIOWrapper(written, encoding="utf-8", write_through=True)
    code = _handed_over(arguments)
    if code is None:
        code = _code_of(run_here)
    return written.getvalue().decode("utf-8", "replace") if code == 0 else ""


def _handed_over(arguments: Sequence[str]) -> int | None:
    """Exit code by a server of the data folder; None where none serves, one went away, or a service is named.

    What a hook asks may be asked again.
    """
    try:
        return hand_over(arguments)
    except OSError:
        return None


def _code_of(run_here: Callable[[], None]) -> int:
    try:
        run_here()
    except SystemExit as end:
        if isinstance(end.code, str):
            _tell(end.code)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _end_late(seconds: float, empty: str) -> None:
    sleep(seconds)
    _end(empty, f"mem hook: no answer within {seconds:g} seconds; the agent goes on without")


def _end(said: str, why: str = "") -> NoReturn:
    """Writes the output whole and ends the process, whatever its other threads do. Args: why: told on stderr."""
    _ENDING.acquire()
    if why:
        _tell(why)
    _write(STDOUT, said)
    os._exit(0)


def _tell(sentence: str) -> None:
    _write(STDERR, f"{sentence}\n")


def _write(descriptor: int, text: str) -> None:
    """Writes a text; a reader that has gone, or a full disk, is nobody's to be told."""
    left = text.encode("utf-8", "replace")
    while left:
        try:
            left = left[os.write(descriptor, left) :]
        except OSError:
            return
