"""Servers in processes of their own: `mem serve`, and the same with the vectors of the questions given to it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.worker import product

READY_S = 120.0


@dataclass(frozen=True, slots=True)
class Server:
    """A server that is ready. Args: start_s: seconds from its process to its first line."""

    pid: int
    port: int
    start_s: float


@contextmanager
def running_server(folder: Path, *, questions: int) -> Iterator[Server]:
    """Serves a folder while it is open. Args: questions: number of those whose vectors are given; 0: it embeds.

    Raises:
        RuntimeError: it did not say that it is ready.
    """
    port = free_port()
    given = [sys.executable, "-m", "tests.bench.servers", str(folder), str(questions), str(port)]
    plain = [*product().COMMAND, "serve", "--port", str(port), "--data", str(folder / "data")]
    with tempfile.TemporaryFile("w+") as errors:
        begun = time.perf_counter()
        process = subprocess.Popen(
            given if questions else plain, stdout=subprocess.PIPE, stderr=errors, text=True, env=os.environ
        )
        try:
            line = process.stdout.readline() if process.stdout else ""
            if "ready" not in line:
                errors.seek(0)
                raise RuntimeError(f"the server did not start: {line} {errors.read()[-500:]}")
            yield Server(process.pid, port, time.perf_counter() - begun)
        finally:
            process.terminate()
            process.wait(READY_S)


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


def main() -> None:
    """Serves with given vectors: python -m tests.bench.servers FOLDER QUESTIONS PORT"""
    from tests.bench.questions import load_sample, questions_of
    from tests.bench.vectors import LookupEmbedder

    folder, count, port = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    sample = load_sample(folder)
    known = questions_of(sample, count, seed=5).vectors
    product().serve(folder / "data", LookupEmbedder(product().MODEL, known, sample.noise), port)


if __name__ == "__main__":
    main()
