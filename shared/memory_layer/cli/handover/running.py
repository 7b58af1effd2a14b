"""One command of a caller, run in a thread of the server over its open backend."""

import logging
import socket
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BufferedRWPair
from pathlib import Path
from typing import Any, TextIO

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.cli.handover import socket_file, streams
from memory_layer.cli.terminal.served import SERVED_AS, NotServed, Served, Surroundings, surround
from memory_layer.ports.counting import Counting
from memory_layer.ports.process import Ports
from memory_layer.settings import EmbeddedSettings

CRASHED = 1

_log = logging.getLogger(__name__)


@dataclass
class HandedOver:
    """Command of one connection.

    Args:
        program: the root of the command line's commands.
        counting: counts what it asks.
    """

    program: Any
    backend: EmbeddedBackend
    settings: EmbeddedSettings
    counting: Counting
    request: Mapping[str, Any]
    connection: socket.socket
    wire: BufferedRWPair
    is_begun: bool = False
    is_talking: bool = False
    written: list[tuple[str, str]] = field(default_factory=list)

    def run(self) -> None:
        """Runs it, and answers with what it wrote and its exit code, or that it is the caller's to run."""
        served = served_kind(self.program, self.request["arguments"])
        code = None if served is None else self._exit_code(served)
        if (
            code is None or not self.is_begun
        ):  # help and wrong usage the caller words as wide as its terminal is
            socket_file.send(self.wire, {"do": socket_file.RUN_HERE})
        elif not self.is_talking:
            socket_file.send(self.wire, {"do": socket_file.END, "code": code, "written": self.written})

    def _exit_code(self, served: Served) -> int | None:
        self._surround(served)
        try:
            self.program.main(args=list(self.request["arguments"]), prog_name="mem")
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else int(end.code is not None)
        except NotServed:
            return None
        except Exception:
            _log.exception("a command that was handed over failed")
            traceback.print_exc(file=sys.stderr)
            return CRASHED
        return 0

    def _surround(self, served: Served) -> None:
        columns, lines = self.request["size"]
        environ = self.request["environ"]
        streams.CALLER.set({name: self._stream(name) for name in streams.NAMES})
        surround(
            Surroundings(
                folder=Path(self.request["folder"]),
                environ=environ,
                begin=lambda settings: self._begin(served, settings),
                talk=self._talk,
                counting=self.counting,
                console={"_environ": {"COLUMNS": str(columns), "LINES": str(lines), **environ}},
            )
        )

    def _stream(self, name: str) -> Any:
        shape: Mapping[str, Any] = {
            "encoding": self.request["encoding"],
            "is_terminal": name in self.request["terminals"],
        }
        if name == "stdin":
            return streams.AskedInput(self._ask_input, **shape)
        return streams.WrittenText(name, self.written, **shape)

    def _ask_input(self) -> bytes:
        self._tell({"do": socket_file.READ_INPUT})
        answer = socket_file.receive(self.wire)
        if answer is None:
            raise NotServed
        return str(answer["text"]).encode("latin-1")

    def _tell(self, message: Mapping[str, Any]) -> None:
        """Sends the caller word. Raises: NotServed: it has gone away."""
        try:
            socket_file.send(self.wire, message)
        except OSError as error:
            raise NotServed from error

    def _begin(self, served: Served, settings: EmbeddedSettings) -> Ports:
        if _places(settings) != _places(self.settings):
            raise NotServed
        self._tell({"do": socket_file.BEGUN, "is_repeatable": served == "reads"})
        self.is_begun = True
        return self.backend.ports

    def _talk(self) -> tuple[TextIO, TextIO]:
        self._tell({"do": socket_file.RELAY, "written": self.written})
        self.is_talking = True
        streams.CALLER.set(None)
        return (
            self.connection.makefile("r", encoding="utf-8", errors="replace", newline="\n"),
            self.connection.makefile("w", encoding="utf-8", newline="\n"),
        )


def served_kind(program: Any, arguments: Sequence[str]) -> Served | None:
    """Kind of the command that the first words name; None: it is not one for a server."""
    found = program
    for word in arguments:
        found = getattr(found, "commands", {}).get(word)
        if not hasattr(found, "commands"):
            break
    return getattr(getattr(found, "callback", None), SERVED_AS, None)


def _places(settings: EmbeddedSettings) -> tuple[Path, Path]:
    return settings.data_dir.resolve(), settings.model_dir.resolve()
