"""Standard streams of a process that runs commands of several callers, each in a thread of its own."""

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

NAMES: Final = ("stdin", "stdout", "stderr")


class WrittenText(io.TextIOBase):
    """Output stream that keeps what is written, in the order of all streams of its caller."""

    def __init__(
        self, name: str, written: list[tuple[str, str]], *, encoding: str, is_terminal: bool
    ) -> None:
        self._name, self._written = name, written
        self._encoding, self._is_terminal = encoding, is_terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return self._is_terminal

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):  # by this writers of bytes find out that they may not
            raise TypeError(f"text is written here, not {type(text).__name__}")
        self._written.append((self._name, text))
        return len(text)


class AskedInput:
    """Input stream that asks the caller for all of its own once somebody reads. Args: ask: returns it."""

    def __init__(self, ask: Callable[[], bytes], *, encoding: str, is_terminal: bool) -> None:
        self._ask, self._encoding, self._is_terminal = ask, encoding, is_terminal
        self._read: io.TextIOWrapper | None = None

    def isatty(self) -> bool:
        return self._is_terminal

    def __getattr__(self, name: str) -> Any:
        if self._read is None:
            self._read = io.TextIOWrapper(io.BytesIO(self._ask()), encoding=self._encoding)
        return getattr(self._read, name)


CALLER: ContextVar[dict[str, Any] | None] = ContextVar("caller", default=None)
"""Streams by name of the caller for whom this thread runs a command; None: the process's own are meant."""


class CallersStream:
    """Standard stream that is the caller's where a caller's command runs, and the process's own elsewhere."""

    def __init__(self, name: str) -> None:
        self._name, self._own = name, getattr(sys, name)

    def __getattr__(self, attribute: str) -> Any:
        found = CALLER.get()
        return getattr(self._own if found is None else found[self._name], attribute)


@contextmanager
def callers_streams() -> Iterator[None]:
    """Puts a `CallersStream` in the place of each standard stream, and the own ones back at the end."""
    own = {name: getattr(sys, name) for name in NAMES}
    for name in NAMES:
        setattr(sys, name, CallersStream(name))
    try:
        yield
    finally:
        for name, stream in own.items():
            setattr(sys, name, stream)
