"""Surroundings of a command: its own process, or a running server that runs it for a caller in another process."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

from memory_layer.ports.counting import Counting, uncounted

if TYPE_CHECKING:
    from memory_layer.ports.process import Ports
    from memory_layer.settings import EmbeddedSettings

Served = Literal["reads", "writes", "talks"]
"""Kind of a command that a server may run: one that reads may be said again, one that talks goes on."""

SERVED_AS = "served_as"
"""Attribute of a command's function that has its kind; a command without one runs in its caller's process."""


class NotServed(Exception):
    """Signals that this command is for its caller's own process; nothing of it has been done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Folder and environment of the caller.

    Args:
        begin: tells the caller that the command begins, and returns the ports of the server; NotServed if it serves
            other settings. None: the command runs in its caller's own process.
        talk: streams from and to the caller, for a command that goes on.
        console: arguments of rich's Console, of the caller's terminal.
        counting: counts what the command asks of the server's data folder.
    """

    folder: Path = field(default_factory=Path.cwd)
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    begin: Callable[[EmbeddedSettings], Ports] | None = None
    talk: Callable[[], tuple[TextIO, TextIO]] | None = None
    console: Mapping[str, Any] = field(default_factory=dict)
    counting: Counting = uncounted


_CURRENT: ContextVar[Surroundings | None] = ContextVar("surroundings", default=None)


def surroundings() -> Surroundings:
    return _CURRENT.get() or Surroundings()


def surround(found: Surroundings) -> None:
    """Sets the surroundings of all that this thread runs."""
    _CURRENT.set(found)


def settings_here(data: Path | None) -> EmbeddedSettings:
    """Settings of the caller. Args: data: the folder of `--data`, from the caller's own folder on."""
    from memory_layer.settings import read_settings

    here = surroundings()
    return read_settings(here.environ, data_dir=None if data is None else here.folder / data.expanduser())
