"""Detection of failures that are the tools' and not the work's: such a run says nothing about what it cites.

Memory, time, network, limits, disk and credentials of the machine that a run works on, told by codes and messages.
Source: SPEC 4.19; docs/adr/0025-tool-failures.md has the error rates.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import takewhile
from typing import Final, get_args

from memory_layer.domain.learning.german_tellings import GERMAN_CRASHES, GERMAN_TELLINGS, GERMAN_WORK
from memory_layer.domain.learning.run import Iteration
from memory_layer.domain.learning.tool_tellings import CRASHES, TELLINGS, WORK_TELLINGS, ToolFailure, compiled
from memory_layer.domain.text.plain_words import READ_CHARS

# Patterns of hundreds of words are made when a run has failed: they would take a twentieth of every start.


@cache
def _of(kind: ToolFailure) -> re.Pattern[str]:
    return compiled(TELLINGS[kind] + GERMAN_TELLINGS[kind])


@cache
def _crash() -> re.Pattern[str]:
    return compiled(CRASHES + GERMAN_CRASHES)


@cache
def _work() -> re.Pattern[str]:
    return compiled(WORK_TELLINGS + GERMAN_WORK)


_NATIVE: Final = re.compile(
    r"\.(?:c|cc|cpp|cxx|c\+\+|h|hh|hpp|hxx|m|mm|cu|cuh|s|asm|rs|zig|nim|pyx|pxd|f|f90|f95|d|pas|swift|ino|wat)$",
    re.IGNORECASE,
)
"""Files in languages in which what is written can crash a process: the others leave it to their runtime."""

_LOCAL: Final = re.compile(
    r"\b(?:localhost|127\.0\.0\.\d+|0\.0\.0\.0)\b(?!:53\b)|\[?::1\]?:(?!53\b)\d", re.IGNORECASE
)
"""Hosts of the machine itself, where a refused connection is a server that the work did not start; no resolver."""

MESSAGES_READ: Final = 50
"""Messages of an iteration that are read for the cause of a run's failure, the last ones."""


def failed_by_tools(iterations: Sequence[Iteration]) -> ToolFailure | None:
    """Kind of the tools' failure that ended a run; None: the work failed, or nothing tells.

    The last iteration decides that has errors, unless one was completed after it; where a message of it tells of the
    work, the work failed. A process that crashed is the tools', unless the run changed files of a language that can
    make it crash.
    """
    ending = takewhile(lambda one: one.status != "completed", reversed(iterations))
    errors = next((one.analysis.errors for one in ending if one.analysis.errors), ())[-MESSAGES_READ:]
    if any(_tells_of_the_work(message) for message in errors):
        return None
    if _changed_native_code(iterations) and any(_crash().search(_read(message)) for message in errors):
        return None
    return next((kind for message in errors if (kind := tool_failure(message)) is not None), None)


def tool_failure(message: str) -> ToolFailure | None:
    """Kind of the tools' failure that an error message tells of; None: it tells of the work, or of nothing known."""
    if _tells_of_the_work(message):
        return None
    text = _read(message)
    return next((kind for kind in get_args(ToolFailure) if _tells(kind, text)), None)


def _tells_of_the_work(message: str) -> bool:
    return _work().search(_read(message)) is not None


def _changed_native_code(iterations: Sequence[Iteration]) -> bool:
    return any(_NATIVE.search(path) for one in iterations for path in one.files_modified)


def _tells(kind: ToolFailure, text: str) -> bool:
    if kind == "killed" and _crash().search(text) is not None:
        return True
    if kind != "network":
        return _of(kind).search(text) is not None
    return any(_LOCAL.search(line) is None for line in text.splitlines() if _of(kind).search(line))


def _read(message: str) -> str:
    """Beginning and end of a message: a log names its cause in one of them."""
    if len(message) <= READ_CHARS:
        return message
    return f"{message[: READ_CHARS // 2]}\n{message[-READ_CHARS // 2 :]}"
