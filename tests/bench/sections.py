"""What is measured on a data folder, each section in a process of its own: figures by name, in ms unless said."""

from __future__ import annotations

import gc
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.clients import http_clients, thread_clients
from tests.bench.commands import command_line, start_of_server
from tests.bench.data_folder import bytes_on_disk
from tests.bench.questions import Question, Questions, load_sample, long_question, questions_of
from tests.bench.timing import Figures, measured, percentiles, process_memory, timed
from tests.bench.vectors import LookupEmbedder
from tests.bench.worker import product

WARM_UP = 30
CONTEXT_TOKENS = 4_000
BATCH = 1_000


@contextmanager
def opened(folder: Path, count: int, seed: int = 5) -> Iterator[tuple[Any, Questions]]:
    """The product over this folder with its vectors given, and questions about what it holds."""
    sample = load_sample(folder)
    questions = questions_of(sample, count, seed)
    running = product().Product(
        folder / "data", LookupEmbedder(product().MODEL, questions.vectors, sample.noise)
    )
    try:
        yield running, questions
    finally:
        running.close()


def settle(running: Any, asked: Sequence[Question], work: Callable[[Question], object]) -> None:
    """Loads every project and what is loaded late; what is there then is no longer looked through by the collector."""
    for question in {question.project: question for question in asked}.values():
        running.recall(question.project, question.text)
    for question in asked[:WARM_UP]:
        work(question)
    gc.collect()
    gc.freeze()


def recall(folder: str, count: int) -> Figures:
    """Recall with the vector given; how often the memory that was asked about is among the ten."""
    with opened(Path(folder), count) as (running, questions):
        found: list[bool] = []

        def ask(question: Question) -> None:
            ids = running.recall(question.project, question.text)
            found.append(question.about["id"] in ids)

        settle(running, questions.asked, ask)
        found.clear()
        figures = measured("recall", (partial(ask, question) for question in questions.asked))
        sample = load_sample(Path(folder))
        randomness = np.random.default_rng(6)
        long = [(question.project, long_question(sample, randomness)) for question in questions.asked[:50]]
        figures |= measured("of 200 words", (partial(running.recall, *one) for one in long))
    return figures | {"share of questions whose memory is found": float(np.mean(found))}


def after_write(folder: str, count: int) -> Figures:
    """Recall right after a write in its project, beside recall without one."""
    with opened(Path(folder), 2 * count) as (running, questions):
        settle(running, questions.asked, lambda one: running.recall(one.project, one.text))
        still: list[list[float]] = [[], []]
        fresh: list[list[float]] = [[], []]
        for number, question in enumerate(questions.asked):
            is_after = number % 2 == 1
            if is_after:
                running.remember(question.project, [f"note {number} {time.time_ns()}: {question.text}"])
                running.drain()
            for kept, taken in zip(
                fresh if is_after else still,
                timed([partial(running.recall, question.project, question.text)]),
                strict=True,
            ):
                kept += taken
    ratio = float(np.median(fresh[1]) / np.median(still[1]))
    return (
        percentiles("recall without a write", *still)
        | percentiles("recall after a write", *fresh)
        | {"after a write, times the processor": ratio}
    )


def context(folder: str, count: int) -> Figures:
    """A context of 4,000 tokens, assembled anew for each question; what private memory grows by meanwhile."""
    with opened(Path(folder), count) as (running, questions):

        def ask(question: Question) -> None:
            running.context(question.project, question.text, CONTEXT_TOKENS)

        settle(
            running,
            questions.asked,
            lambda one: running.context(one.project, f"{one.text} now", CONTEXT_TOKENS),
        )
        before = process_memory()["RssAnon"]
        figures = measured("context", (partial(ask, question) for question in questions.asked))
        grown = (process_memory()["RssAnon"] - before) / len(questions.asked)
    return figures | {"private bytes grown by a context": grown}


def prompt(folder: str, count: int) -> Figures:
    """A prompt for a task."""
    with opened(Path(folder), count) as (running, questions):

        def ask(question: Question) -> object:
            return running.prompt(question.project, question.text)

        settle(running, questions.asked, ask)
        return measured("prompt", (partial(ask, question) for question in questions.asked))


def stats(folder: str, count: int) -> Figures:
    """Statistics of a project."""
    with opened(Path(folder), count) as (running, questions):
        settle(running, questions.asked, lambda one: running.recall(one.project, one.text))
        projects = [question.project for question in questions.asked[: min(count, 20)]]
        return measured("stats", (partial(running.stats, project) for project in projects))


def graph(folder: str, count: int) -> Figures:
    """Strategy graph, for questions that name an entity."""
    with opened(Path(folder), 3 * count) as (running, questions):
        asked = questions.about_entities[:count]
        texts = {one.text: f"{one.text} {one.about['entities'][0]}" for one in asked}

        def ask(question: Question) -> object:
            return running.recall(question.project, texts[question.text], "graph")

        settle(running, asked, ask)
        return measured("graph", (partial(ask, question) for question in asked))


def writes(folder: str, count: int) -> Figures:
    """Durable creates and batches without embedding into new projects, beside a bare insert and fsync."""
    with opened(Path(folder), 10) as (running, questions):
        running.recall(questions.asked[0].project, questions.asked[0].text)
        texts = iter(_new_texts(load_sample(Path(folder)).documents))
        running.remember("w", [next(texts) for _ in range(10)])
        bare = _bare_inserts(Path(folder), count)
        single = [partial(running.remember, "w", [next(texts)]) for _ in range(count)]
        figures = measured("create", single) | measured("bare insert and fsync", bare)
        batch = [[next(texts) for _ in range(BATCH)] for _ in range(3)]
        wall, processor = timed(partial(running.remember, "b", one) for one in batch)
        figures["batch, a record ms"] = float(np.median(wall)) / BATCH
        figures["batch, a record processor ms"] = float(np.median(processor)) / BATCH
        into = [partial(running.remember, questions.asked[0].project, [next(texts)]) for _ in range(count)]
        return figures | measured("create in the project itself", into)


def embedding(folder: str, count: int) -> Figures:
    """The same with the product's own model: questions, creates, a batch, each embedded."""
    sample = load_sample(Path(folder))
    asked = questions_of(sample, count, seed=5).asked
    model = product().real_embedder()
    model.embed(["ready"])
    twelve = [" ".join(question.about["content"].split()[:10]) for question in asked]
    figures = measured("embedding of ten words", (partial(model.embed, [text]) for text in twelve))
    running = product().Product(Path(folder) / "data", model)
    try:
        settle(running, asked, lambda one: running.recall(one.project, one.text))
        recalls = (partial(running.recall, one.project, one.text) for one in asked)
        figures |= measured("recall with its embedding", recalls)
        texts = iter(_new_texts(sample.documents))
        creates = [partial(running.remember, "w", [next(texts)]) for _ in range(count)]
        figures |= measured("create with its embedding", creates)
        batch = [next(texts) for _ in range(BATCH)]
        (wall,), _ = timed([partial(running.remember, "b", batch)])
    finally:
        running.close()
    return figures | {"batch with embedding a second": BATCH / wall * 1000}


def _new_texts(documents: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Texts of which no two say the same."""
    number = 0
    while True:
        for one in documents:
            number += 1
            yield f"{one['content']} Item {number} of {time.time_ns() % 10**9}."


def _bare_inserts(folder: Path, count: int) -> Iterator[Callable[[], object]]:
    """Inserts of a kilobyte into a table of its own in this folder, each durable by itself."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        connection = sqlite3.connect(Path(place) / "bare.sqlite3", isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE bare (key INTEGER PRIMARY KEY, value BLOB)")
        for _ in range(count):
            yield lambda: connection.execute("INSERT INTO bare (value) VALUES (randomblob(1024))")
        connection.close()


def memory(folder: str, count: int) -> Figures:
    """What an index in RAM takes for a memory, and the first recall that loads it."""
    size = json.loads((Path(folder) / "loaded.json").read_text())
    on_disk = bytes_on_disk(Path(folder))
    with opened(Path(folder), count) as (running, questions):
        texts = [question.text for question in questions.asked[:WARM_UP]]
        running.remember("small", texts)  # what is loaded late is there before the first figure
        for text in texts:
            running.recall("small", text)
        gc.collect()
        before = process_memory()
        projects = {question.project: question for question in questions.asked}
        wall, processor = timed(partial(running.recall, name, one.text) for name, one in projects.items())
        gc.collect()
        loaded = process_memory()
        for question in questions.asked:
            running.recall(question.project, question.text)
        gc.collect()
        after = process_memory()
    held = size["records"] * len(projects) / size["projects"]
    grown = {name: (after[name] - before[name]) / held for name in after}
    return {
        "private bytes a memory, loaded": (loaded["RssAnon"] - before["RssAnon"]) / held,
        "private bytes a memory": grown["RssAnon"],
        "mapped file bytes a memory": grown["RssFile"],
        "text bytes a memory": size["text_bytes"],
        "disk bytes a memory": on_disk / size["records"],
        "first recall, loading ms": float(np.sum(wall)) / len(wall),
        "first recall, loading, processor ms": float(np.sum(processor)) / len(wall),
    }


def threads(folder: str, count: int) -> Figures:
    """1, 2, 4, 8 threads of one process that recall, the vector given."""
    with opened(Path(folder), 8 * count) as (running, questions):
        settle(running, questions.asked, lambda one: running.recall(one.project, one.text))
        return thread_clients(lambda one: running.recall(one.project, one.text), questions.asked, count)


def http(folder: str, count: int) -> Figures:
    """1, 2, 4, 8 clients of a server, the vector given to it."""
    return http_clients(Path(folder), count, is_given=True)


def http_embedding(folder: str, count: int) -> Figures:
    """1, 2, 4, 8 clients of `mem serve`, which embeds the questions."""
    return http_clients(Path(folder), count, is_given=False)


def cli(folder: str, count: int) -> Figures:
    """`mem search` with and without a server."""
    return command_line(Path(folder), max(3, count // 40))


def start(folder: str, count: int) -> Figures:
    """Start of `mem serve`, and its first recalls."""
    return start_of_server(Path(folder), max(2, count // 60))


SECTIONS: dict[str, Callable[[str, int], Figures]] = {
    section.__name__: section
    for section in (
        *(
            recall,
            embedding,
            after_write,
            threads,
            http,
            http_embedding,
            writes,
            context,
            stats,
            prompt,
            graph,
        ),
        *(cli, start, memory),
    )
}
