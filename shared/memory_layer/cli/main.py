"""Command line `mem`: handed over to a running server of the same data folder, else run in this process."""

import os
import sys

from memory_layer.cli.handover.caller import hand_over
from memory_layer.manifest import env

INTERRUPTED = 130


def main() -> None:
    """Runs the console script `mem`."""
    try:
        code = _handed_over()
        if code is None:
            os.environ.setdefault(env.BLAS_THREADS, "1")  # before anything loads numpy; the process is ours
            from memory_layer.cli.app import app  # imports all commands: half of what `mem --help` takes

            app()
        sys.exit(code)
    finally:
        _flush()


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
