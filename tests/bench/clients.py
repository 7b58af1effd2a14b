"""Clients side by side: in threads of one process, and over HTTP from a process beside the server's."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from tests.bench.questions import Question, load_sample, questions_of
from tests.bench.servers import running_server
from tests.bench.timing import Figures, processor_seconds

CLIENTS = (1, 2, 4, 8)


def thread_clients(ask: Callable[[Question], object], asked: Sequence[Question], count: int) -> Figures:
    """Calls a second of 1, 2, 4, 8 threads, each with `count` questions."""
    figures: Figures = {}
    for clients in CLIENTS:
        worked = time.process_time()
        figures |= _side_by_side(f"{clients} threads", [ask] * clients, asked, count)
        figures[f"{clients} threads processor ms a call"] = (
            (time.process_time() - worked) * 1000 / (clients * count)
        )
    return figures


def http_clients(folder: Path, count: int, *, is_given: bool) -> Figures:
    """Recalls a second over HTTP by 1, 2, 4, 8 clients that keep their connections."""
    questions = questions_of(load_sample(folder), 8 * count, seed=5)
    figures: Figures = {}
    with running_server(folder, questions=8 * count if is_given else 0) as server:
        for question in {question.project: question for question in questions.asked}.values():
            Caller(server.port).ask(question)
        _side_by_side("warm", [Caller(server.port).ask for _ in range(2)], questions.asked, 20)
        for clients in CLIENTS:
            worked = processor_seconds(server.pid)
            callers = [Caller(server.port).ask for _ in range(clients)]
            figures |= _side_by_side(f"{clients} clients", callers, questions.asked, count)
            taken = (processor_seconds(server.pid) - worked) * 1000
            figures[f"{clients} clients server processor ms a call"] = taken / (clients * count)
    return figures


class Caller:
    """A client with a connection of its own."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, question: Question) -> None:
        body = json.dumps({"query": question.text})
        address = f"/v1/projects/{question.project}/recall"
        self._connection.request("POST", address, body, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        told = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{answer.status}: {told[:200]!r}")


def _side_by_side(
    name: str, asks: Sequence[Callable[[Question], object]], asked: Sequence[Question], count: int
) -> Figures:
    """Each asks `count` questions of its own, all begin at once."""
    barrier = threading.Barrier(len(asks) + 1)
    taken: list[list[float]] = [[] for _ in asks]
    failed: list[Exception] = []

    def work(number: int) -> None:
        own = asked[number * count :][:count]
        barrier.wait()
        try:
            for question in own:
                begun = time.perf_counter()
                asks[number](question)
                taken[number].append((time.perf_counter() - begun) * 1000)
        except Exception as error:  # raised by the thread that measures
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(asks))]
    for thread in threads:
        thread.start()
    barrier.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - begun
    if failed:
        raise failed[0]
    calls = [one for of_client in taken for one in of_client]
    return {
        f"{name} calls a second": len(calls) / seconds,
        f"{name} p50 ms": float(np.percentile(calls, 50)),
        f"{name} p95 ms": float(np.percentile(calls, 95)),
    }
