"""How fast is a search beside mem0, Chroma, LangGraph, sqlite-vec and LanceDB, on the same data and embedder?

    python -m tests.bench.peers.run [--sizes 10000,100000] [--queries 100] [--products NAME,…] [--json FILE]

Each peer runs in a process of the environment .venv-peers (make bench-peers); those on SQLite write as durably as we
do, with synchronous=FULL. Ours goes through the recall use
case: both arms, every hit read again and checked, ranked, and a receipt written.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from memory_layer.bootstrap.embedded import build_embedding_model, open_embedded
from memory_layer.domain.access import Principal
from memory_layer.ports.process import Embedder, Ports
from memory_layer.settings import read_settings
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember_many
from memory_layer.version import VERSION
from tests.bench.data_folder import Size, corpus_of
from tests.bench.peers.dataset import Dataset, GivenVectors, save
from tests.bench.peers.products import FILL_CHUNK, OPENERS, SCOPE
from tests.bench.peers.timing import TOP, time_searches
from tests.bench.plan import CACHE
from tests.bench.questions import Sample, questions_of

ROOT = Path(__file__).parents[3]
WORKER = (ROOT / ".venv-peers" / "bin" / "python", "-m", "tests.bench.peers.worker")
HEADINGS = (
    *("of exact top", "vector given\np50 / p95 ms", "ratio", "with embedding\np50 / p95 ms", "ratio"),
    "filled in s",
)
ADMIN = Principal(tenant="bench", subject="bench", roles=frozenset({"admin"}))
OURS = "Memory Layer"
MEASURES = ("vector_given_ms", "with_embedding_ms")


def main() -> None:
    arguments = _arguments()
    model_folder = build_embedding_model(read_settings(), print)
    report = []
    for n in arguments.sizes:
        dataset = generate(
            Size(n, texts=tuple(arguments.texts)), arguments.queries, arguments.cache.expanduser()
        )
        rows = [
            time_memory_layer(dataset, model_folder),
            *_time_peers(dataset, model_folder, arguments.products),
        ]
        report.append({"memories": n, "queries": arguments.queries, "products": rows})
        _print(n, rows)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=_numbers, default=[10_000, 100_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument(
        "--texts", action="append", default=[], help="a folder of real sentences; repeat for more"
    )
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--products", type=_peers, default=list(OPENERS))
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def _peers(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in OPENERS]:
        raise argparse.ArgumentTypeError(f"no peer {unknown[0]!r}; there are: {', '.join(OPENERS)}")
    return names


def generate(size: Size, count: int, cache: Path) -> Dataset:
    """Contents of a corpus with their vectors, and questions about them."""
    cache.mkdir(parents=True, exist_ok=True)
    corpus = corpus_of(size, cache)
    chunks = list(corpus.chunks())
    documents = [document for chunk in chunks for document in chunk.documents]
    vectors = np.concatenate([chunk.vectors for chunk in chunks])
    questions = questions_of(Sample(documents, vectors, corpus.seeds.noise), count, seed=5)
    asked = [question.text for question in questions.asked]
    texts = [str(document["content"]) for document in documents]
    return Dataset(texts, vectors, asked, np.stack([questions.vectors[text] for text in asked]))


def time_memory_layer(dataset: Dataset, model_folder: Path) -> dict[str, Any]:
    """This product on the same data: stored by its own use case, asked by its own recall."""
    from memory_layer.adapters.onnx.embedder import OnnxEmbedder

    model = OnnxEmbedder(model_folder)
    given, paid = GivenVectors(dataset, model.model), GivenVectors(dataset, model.model, paid=model)
    with tempfile.TemporaryDirectory() as folder:
        with _running(Path(folder), given) as ports:
            started = time.perf_counter()
            _fill(ports, dataset)
            fill_s = time.perf_counter() - started
            without = time_searches(lambda question: _search(ports, question), dataset.questions, least=0)
        with _running(Path(folder), paid) as ports:
            with_embedding = time_searches(
                lambda question: _search(ports, question), dataset.questions, least=0
            )
    return {
        "product": OURS,
        "version": VERSION,
        "searches": "vectors, int8 then exact, and BM25",
        "fill_s": fill_s,
        "share_of_exact": None,
        "vector_given_ms": without,
        "with_embedding_ms": with_embedding,
    }


@contextmanager
def _running(folder: Path, embedder: Embedder) -> Iterator[Ports]:
    backend = open_embedded(read_settings(data_dir=folder), embedder=embedder)
    try:
        yield backend.ports
    finally:
        backend.close()


def _fill(ports: Ports, dataset: Dataset) -> None:
    for start in range(0, len(dataset.texts), FILL_CHUNK):
        texts = dataset.texts[start : start + FILL_CHUNK]
        asked = [RememberRequest(fields={"content": text}, on_duplicate="create") for text in texts]
        remember_many(ports, ADMIN, SCOPE, asked)


def _search(ports: Ports, question: str) -> list[str]:
    answer = recall(ports, ADMIN, SCOPE, RecallRequest(query=question, limit=TOP))
    return [ranked.memory.content for ranked in answer.memories]


def _time_peers(dataset: Dataset, model_folder: Path, products: Sequence[str]) -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        save(dataset, Path(folder))
        result = Path(folder) / "result.json"
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "shared")])}
        for name in products:
            peer: list[str | Path] = [name, folder, model_folder, result]
            result.unlink(missing_ok=True)
            ended = subprocess.run(
                [*WORKER, *peer], env=environment, check=False, capture_output=True, text=True
            )
            yield json.loads(result.read_text()) if result.exists() else _ended(name, ended)


def _ended(name: str, process: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The row of a peer whose process ended without an answer."""
    last = (process.stderr.strip().splitlines() or [f"its process ended with {process.returncode}"])[-1]
    return {"product": name, "problem": last[:200]}


def _print(n: int, rows: Sequence[dict[str, Any]]) -> None:
    table = Table("product", "searches", title=f"{n:,} memories, top {TOP}", title_justify="left")
    for heading in HEADINGS:
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(row["product"], *(_problem(row) if "problem" in row else _figures(row, rows[0])))
    Console(width=130).print(table)


def _problem(row: dict[str, Any]) -> list[str]:
    return [f"does not run here: {row['problem']}"]


def _figures(row: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    found = row["share_of_exact"]
    share = "" if found is None else f"{found:.0%}"
    times = [cell for measure in MEASURES for cell in _cells(row[measure], ours[measure])]
    return [f"{row['searches']} ({row['version']})", share, *times, f"{row['fill_s']:.1f}"]


def _cells(times: dict[str, float], ours: dict[str, float]) -> tuple[str, str]:
    return f"{times['p50']:.2f} / {times['p95']:.2f}", f"{times['p50'] / ours['p50']:.1f}"


if __name__ == "__main__":
    main()
