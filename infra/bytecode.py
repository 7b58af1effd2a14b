"""Bytecode of our own code for Lambda, whose read-only disk would have each cold start make it anew."""

import os
import subprocess
from pathlib import Path
from typing import Final

from infra.errors import BadDeployment

TASK: Final = "/var/task"
"""Folder of a function's own code in the cloud, which tracebacks name."""

_SEED: Final = {"PYTHONHASHSEED": "0"}


def add_bytecode(folder: Path, interpreter: str) -> None:
    """Adds bytecode that is never compared with its source: the same source makes the same bytes, at any date.

    Args:
        interpreter: of the version that will run it; others pass the bytecode over.

    Raises:
        BadDeployment: it does not run, or cannot compile.
    """
    into = ["-s", str(folder), "-p", TASK, str(folder)]
    command = [interpreter, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", *into]
    try:
        done = subprocess.run(
            command, env={**os.environ, **_SEED}, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise BadDeployment(f"bytecode: {_missing(interpreter)}") from error
    if done.returncode != 0:
        raise BadDeployment(
            f"bytecode: {_missing(interpreter)}; it said: {(done.stdout + done.stderr)[:500]}"
        )


def _missing(interpreter: str) -> str:
    return f"{interpreter} does not run here, or cannot compile; install it, or leave bytecode out"
