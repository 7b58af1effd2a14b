"""How fast is it? Recall, writes and import of the embedded backend, by size, through the use cases.

    python -m tests.bench.speed [--sizes 1000,10000,100000x20] [--queries 200] [--json FILE]

A size is `records` or `recordsxprojects`. All of them take about a quarter of an hour, most of it to fill the tables.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.record_rows import INSERT_MEMORY, WRITE_SEARCH_ROW, row_of
from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory, content_hash
from memory_layer.domain.text.analyzer import analyze, encode_terms
from memory_layer.ports.process import Embedder, Ports
from memory_layer.settings import EmbeddedSettings, read_settings
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember, remember_many
from tests.bench.synthetic import clustered_vectors, zipfian_texts

SIZES = "1000,10000,100000x20,1000000x1000,1000000x20,1000000"
ADMIN = Principal(tenant="bench", subject="bench", roles=frozenset({"admin"}))
START = datetime(2026, 1, 1, tzinfo=UTC)
SEED_CHUNK = 20_000
RAM_MEASURED_FROM = 100_000
"""Below it the process's own memory hides that of the index."""


class PrecomputedEmbedder:
    """Stands for the model where only the search is measured: a query's vector is one of the stored kind."""

    def __init__(self, model: str, vectors: NDArray[np.float16]) -> None:
        self.model, self.dimensions = model, vectors.shape[1]
        self._vectors = vectors.astype(np.float32)
        self._next = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self._next += len(texts)
        picked = np.arange(self._next - len(texts), self._next) % len(self._vectors)
        return self._vectors[picked]


def main() -> None:
    arguments = _arguments()
    recalls = [_measure_size(size, arguments.queries) for size in arguments.sizes.split(",")]
    report = {"recall": recalls, "writes": _measure_writes()}
    _print(report)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _measure_size(size: str, queries: int) -> dict[str, Any]:
    records, _, split = size.partition("x")
    n, projects = int(records), int(split or 1)
    vectors, texts = clustered_vectors(n, 384, seed=1), zipfian_texts(n, seed=2)
    questions = zipfian_texts(queries, seed=3)
    questions = [
        " ".join(question.split()[:5]) for question in questions
    ]  # some 15 word pieces, as real ones have
    with tempfile.TemporaryDirectory() as folder:
        settings = read_settings(data_dir=Path(folder))
        model = open_embedded(settings)
        embedder = model.ports.embedder
        seed_project_tables(settings, texts, vectors, projects, embedder.model)
        try:
            before = _resident_bytes()
            load_s = _timed(lambda: [_ask(model, f"p{number}", texts[0]) for number in range(projects)])
            ram = (_resident_bytes() - before) / n
            times = {"with embedding": _recall_times(model, projects, questions)}
        finally:
            model.close()
        precomputed = PrecomputedEmbedder(embedder.model, clustered_vectors(queries, 384, seed=4))
        times["without"] = _without_embedding(settings, precomputed, projects, questions)
    scan = _scan_times(vectors[: n // projects].astype(np.float32), queries=20)
    return {
        "records": n,
        "projects": projects,
        "load_s": load_s,
        "ram_bytes_a_memory": ram,
        "recall_ms": {name: _percentiles(values) for name, values in times.items()},
        "numpy_scan_ms": _percentiles(scan),
        "memory_floor_ms": vectors[: n // projects].shape[0] * 384 / _bandwidth() * 1000,
    }


def seed_project_tables(
    settings: EmbeddedSettings, texts: Sequence[str], vectors: NDArray[np.float16], projects: int, model: str
) -> None:
    """Straight into the tables: what is measured is recall, and a million commits would take an hour."""
    database = Database(settings.database)
    with database.writing() as connection:
        connection.executemany(
            "INSERT INTO projects (tenant, project, position) VALUES ('bench', ?, ?)",
            [(f"p{number}", len(texts)) for number in range(projects)],
        )
    for start in range(0, len(texts), SEED_CHUNK):
        numbers = range(start, min(len(texts), start + SEED_CHUNK))
        memories = [seed_memory(number, texts[number], projects, model) for number in numbers]
        with database.writing() as connection:
            connection.executemany(
                INSERT_MEMORY,
                [
                    (number % projects + 1, number + 1, None, None, None, *row_of(memory))
                    for number, memory in zip(numbers, memories, strict=True)
                ],
            )
            connection.executemany(
                WRITE_SEARCH_ROW,
                [
                    (
                        number + 1,
                        vectors[number].tobytes(),
                        None,
                        encode_terms(analyze(texts[number])),
                        None,
                        None,
                    )
                    for number in numbers
                ],
            )
    database.close()


def seed_memory(number: int, text: str, projects: int, model: str) -> Memory:
    """The one of this number, in the project whose turn it is."""
    moment = START + timedelta(seconds=number)
    return Memory(
        id=f"mem_{number:032x}",
        tenant="bench",
        project=f"p{number % projects}",
        content=text,
        content_hash=content_hash(text),
        created_by="bench",
        embedding_model=model,
        created_at=moment,
        updated_at=moment,
    )


def _ask(backend: EmbeddedBackend, project: str, question: str) -> None:
    recall(backend.ports, ADMIN, project, RecallRequest(query=question))


def _recall_times(backend: EmbeddedBackend, projects: int, questions: Sequence[str]) -> list[float]:
    for number, question in enumerate(questions[:10]):
        _ask(backend, f"p{number % projects}", question)
    return [
        _timed(lambda: _ask(backend, f"p{number % projects}", question)) * 1000  # noqa: B023
        for number, question in enumerate(questions)
    ]


def _without_embedding(
    settings: EmbeddedSettings, embedder: Embedder, projects: int, questions: Sequence[str]
) -> list[float]:
    backend = open_embedded(settings, embedder=embedder)
    try:
        for number in range(projects):
            _ask(backend, f"p{number}", questions[0])
        return _recall_times(backend, projects, questions)
    finally:
        backend.close()


def _scan_times(vectors: NDArray[np.float32], queries: int) -> list[float]:
    """The plain numpy scan of one project's vectors in float32, top ten."""
    return [
        _timed(lambda: np.argpartition(vectors @ vectors[number % len(vectors)], -10)) * 1000  # noqa: B023
        for number in range(queries)
    ]


def _bandwidth() -> float:
    """Bytes a second that one core reads from memory."""
    block = np.ones(64 * 2**20, np.float32)
    return block.nbytes / min(_timed(block.sum) for _ in range(3))


def _measure_writes() -> dict[str, float]:
    texts = zipfian_texts(7_000, seed=5)
    with tempfile.TemporaryDirectory() as folder:
        backend = open_embedded(read_settings(data_dir=Path(folder)))
        try:
            return dict(_write_figures(backend, texts))
        finally:
            backend.close()


def _write_figures(backend: EmbeddedBackend, texts: Sequence[str]) -> Iterator[tuple[str, float]]:
    ports = backend.ports
    ports.embedder.embed(["warm"])
    single = [
        _timed(lambda: remember(ports, ADMIN, "w", RememberRequest(fields={"content": text}))) * 1000  # noqa: B023
        for text in texts[:100]
    ]
    yield "single write p50 ms", float(np.percentile(single, 50))
    questions = [f"what about {' '.join(text.split()[:6])}?" for text in texts[:200]]
    embedding = [_timed(lambda: ports.embedder.embed([question])) * 1000 for question in questions]  # noqa: B023
    yield "embedding of a question p50 ms", float(np.percentile(embedding, 50))
    batch = [RememberRequest(fields={"content": text}) for text in texts[1_000:2_000]]
    yield "import a second", len(batch) / _timed(lambda: remember_many(ports, ADMIN, "b", batch))
    turns = [RememberRequest(fields={"content": text}) for text in texts[2_000:2_500]]
    yield "turns with context a second", len(turns) / _timed(lambda: add_turns(ports, ADMIN, "t", "s", turns))
    with tempfile.TemporaryDirectory() as folder:
        plain = PrecomputedEmbedder(ports.embedder.model, clustered_vectors(len(texts), 384, seed=6))
        without = open_embedded(read_settings(data_dir=Path(folder)), embedder=plain)
        yield from _figures_without_embedding(without.ports, texts)
        without.close()


def _figures_without_embedding(ports: Ports, texts: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Into a new project, and into one that has thousands."""
    asked = iter([RememberRequest(fields={"content": text}) for text in texts])

    def import_(count: int) -> float:
        batches = [list(islice(asked, 1_000)) for _ in range(count // 1_000)]
        return count / _timed(lambda: [remember_many(ports, ADMIN, "b", batch) for batch in batches])

    def single_ms(project: str) -> float:
        times = [_timed(lambda: remember(ports, ADMIN, project, one)) for one in islice(asked, 100)]  # noqa: B023
        return 1_000 * float(np.percentile(times, 50))

    yield "import a second, without embedding", import_(2_000)
    yield "single write without embedding p50 ms", single_ms("w")
    import_(3_000)
    yield "import a second into 5,000, without embedding", import_(1_000)
    yield "single write into 6,000 without embedding p50 ms", single_ms("b")


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    return {"p50": float(np.percentile(values, 50)), "p95": float(np.percentile(values, 95))}


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def _print(report: dict[str, Any]) -> None:
    table = Table(
        *("records", "projects", "recall p50/p95 ms", "without embedding", "numpy scan", "memory floor"),
        *("first recalls s", "RAM B/memory"),
    )
    for row in report["recall"]:
        with_, without = (row["recall_ms"][name] for name in ("with embedding", "without"))
        table.add_row(
            f"{row['records']:,}",
            f"{row['projects']:,}",
            f"{with_['p50']:.2f} / {with_['p95']:.2f}",
            f"{without['p50']:.2f} / {without['p95']:.2f}",
            f"{row['numpy_scan_ms']['p50']:.2f}",
            f"{row['memory_floor_ms']:.2f}",
            f"{row['load_s']:.2f}",
            f"{row['ram_bytes_a_memory']:.0f}" if row["records"] >= RAM_MEASURED_FROM else "",
        )
    console = Console(width=120)
    console.print(table)
    for name, value in report["writes"].items():
        console.print(f"{name}: {value:,.1f}")


if __name__ == "__main__":
    main()
