"""Command line `mem`: handed over to a running server of the same data folder, else run in this process."""

import gc
import os
import sys
from collections.abc import Callable

from memory_layer.cli.handover.caller import hand_over
from memory_layer.manifest import env
from memory_layer.manifest.agent_hooks import COMMAND as HOOK

INTERRUPTED = 130


def main() -> None:
    """Runs the console script `mem`."""
    if sys.argv[1:2] == [HOOK]:
        from memory_layer.cli.handover.guarded_hook import run_guarded

        run_guarded(sys.argv[1:], _run_here)
    try:
        code = _handed_over()
        if code is None:
            _run_here()
        sys.exit(code)
    finally:
        _flush()


def _run_here() -> None:
    """Runs the command in this process."""
    os.environ.setdefault(env.BLAS_THREADS, "1")  # before anything loads numpy; the process is ours
    gc.disable()  # next to nothing that a start loads is garbage
    commands = _commands()
    gc.freeze()  # and it stays: no collection looks through it
    gc.enable()
    commands()


def _commands() -> Callable[[], object]:
    """Command line, whose import is half of what `mem --help` takes; without the engine there is a sentence alone."""
    try:
        from memory_layer.cli.app import app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "memory_layer":
            raise
        from memory_layer.wire.refusals import MISSING_ENGINE

        sys.exit(f"mem: {MISSING_ENGINE} ({error.name} is missing)")
    return app


def _handed_over() -> int | None:
    """Exit code of a command that a server ran; an interrupted one ends as it would here."""
    try:
        return hand_over(sys.argv[1:])
    except KeyboardInterrupt:
        return INTERRUPTED


def _flush() -> None:
    """Flushes stdout; a reader that has gone away (`mem list | head`) is no error worth a traceback."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
