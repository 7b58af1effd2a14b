"""The command line: `mem search` with and without a server, and the start of `mem serve`."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import numpy as np

from tests.bench.clients import Caller
from tests.bench.questions import Question, load_sample, questions_of
from tests.bench.servers import running_server
from tests.bench.timing import Figures, processor_seconds
from tests.bench.worker import product

SETTLED_S = 3.0


def command_line(folder: Path, count: int) -> Figures:
    """Wall and processor time of `mem search`; beside a server, also what the server spends on it."""
    asked = questions_of(load_sample(folder), count + 1, seed=5).asked
    figures = _searches("mem search alone", folder, asked)
    with running_server(folder, questions=0) as server:
        for question in {question.project: question for question in asked}.values():
            Caller(server.port).ask(question)
        worked = processor_seconds(server.pid)
        figures |= _searches("mem search beside a server", folder, asked)
        spent = (processor_seconds(server.pid) - worked) * 1000
    return figures | {"mem search beside a server, the server's processor ms": spent / len(asked)}


def _searches(name: str, folder: Path, asked: list[Question]) -> Figures:
    taken = np.array([_search(folder, question) for question in asked])[1:]
    wall, processor = np.median(taken, axis=0)
    return {f"{name} ms": float(wall), f"{name} processor ms": float(processor)}


def _search(folder: Path, question: Question) -> tuple[float, float]:
    """Milliseconds by the wall and of processor of one process."""
    given = ["search", question.text, "--project", question.project, "--data", str(folder / "data")]
    begun = time.perf_counter()
    process = subprocess.Popen([*product().COMMAND, *given], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"mem {' '.join(given)} ended with {process.returncode}")
    return wall * 1000, (used.ru_utime + used.ru_stime) * 1000


def start_of_server(folder: Path, count: int) -> Figures:
    """Seconds until `mem serve` is ready; its first recall at once, or when it had time to warm up."""
    asked = questions_of(load_sample(folder), 2 * count, seed=5).asked
    starts, at_once, settled = [], [], []
    for number, question in enumerate(asked):
        with running_server(folder, questions=0) as server:
            starts.append(server.start_s)
            if number % 2:
                time.sleep(SETTLED_S)
            begun = time.perf_counter()
            Caller(server.port).ask(question)
            (settled if number % 2 else at_once).append(time.perf_counter() - begun)
    return {
        "start of mem serve s": float(np.median(starts)),
        "first recall at once s": float(np.median(at_once)),
        f"first recall after {SETTLED_S:.0f} s, s": float(np.median(settled)),
    }
