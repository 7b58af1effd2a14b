"""Trial of inverted lists over heads: what they save, and what they lose where they were not trained.

    python -m tests.bench.inverted_lists LOCOMO ENGINEERING [--size 1000000] [--lists 2048] [--json FILE]

The folders' real texts are embedded once; rows are their vectors mixed and turned by noise of their own covariance.
Lists are trained on the first folder's subject; a tenth of all rows, of the second folder's, comes later. Everything is
held against the product's exact answer. The heads lie in the order of their lists, so that no row is kept twice.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from memory_layer.adapters.project_index import vector_matrix
from memory_layer.adapters.project_index.vector_matrix import VectorMatrix, VectorView, nearest
from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.settings import read_settings
from tests.bench.centroid_lists import Lists, Positions, assigned, by_lists, listed, trained
from tests.bench.sentences import real_sentences
from tests.bench.vectors import Matrix, SeedVectors, question_vectors

CHUNK = 10_000
LATE_SHARE = 0.1
SAMPLED = 40_000
QUESTIONS = 60
K, SHOWN, RECALLED = 100, 10, 50


@dataclass(frozen=True, slots=True)
class Subject:
    """Rows and questions of one subject. Args: asked: vectors of real questions."""

    seeds: SeedVectors
    asked: Matrix

    def rows(self, count: int, seed: int) -> Iterator[Matrix]:
        for start in range(0, count, CHUNK):
            randomness = np.random.default_rng((seed, start))
            drawn = min(CHUNK, count - start)
            first = randomness.integers(0, len(self.seeds.vectors), drawn)
            second = self.seeds.neighbours[first, randomness.integers(0, 30, drawn)]
            yield self.seeds.mixed(first, second, randomness)

    def questions(self, about: Matrix) -> Matrix:
        return question_vectors(about, self.seeds.noise, np.random.default_rng(5))


def subject(folder: Path, cache: Path) -> Subject:
    """The folder's texts and questions, embedded once."""
    file = cache / f"{folder.name}.npz"
    if not file.exists():
        backend = open_embedded(read_settings(data_dir=cache / "data"))
        texts = real_sentences([folder])
        batches = [backend.ports.embedder.embed(texts[at : at + 64]) for at in range(0, len(texts), 64)]
        lines = (folder / "questions.jsonl").read_text("utf-8").splitlines()
        asked = backend.ports.embedder.embed([json.loads(line)["question"] for line in lines])
        backend.close()
        np.savez(file, v=np.concatenate(batches), q=asked)
    with np.load(file) as arrays:
        return Subject(SeedVectors.of(arrays["v"].astype(np.float32)), arrays["q"].astype(np.float32))


@dataclass(frozen=True, slots=True)
class Trial:
    """A matrix of two subjects: the rows from `late_from` on came after training."""

    view: VectorView
    late_from: int
    centroids: Matrix
    of_rows: Positions
    covered: NDArray[np.float32]

    def lists(self, overflow_below: float) -> Lists:
        """Lists whose overflow holds the late rows that are no nearer to a centroid than that."""
        of_rows = self.of_rows.copy()
        of_rows[self.late_from :][self.covered[self.late_from :] < overflow_below] = len(self.centroids)
        return listed(self.view, self.centroids, of_rows)


def trial(size: int, lists: int, early: Subject, late: Subject) -> Trial:
    matrix, late_count = VectorMatrix(early.seeds.vectors.shape[1]), int(size * LATE_SHARE)
    matrix.reserve(size)
    for rows in early.rows(size - late_count, 1):
        _extend(matrix, rows)
    sample = np.sort(np.random.default_rng(1).choice(len(matrix), min(SAMPLED, len(matrix)), replace=False))
    centroids = trained(matrix.view.stored_rows(sample).astype(np.float32), lists, np.random.default_rng(2))
    late_from = len(matrix)
    for rows in late.rows(late_count, 2):
        _extend(matrix, rows)
    of_rows, covered = _placed(matrix.view, centroids)
    return Trial(_fitted(matrix), late_from, centroids, of_rows, covered)


def _extend(matrix: VectorMatrix, rows: Matrix) -> None:
    matrix.extend(np.arange(len(matrix), len(matrix) + len(rows)), rows.astype(np.float16))


def _placed(view: VectorView, centroids: Matrix) -> tuple[Positions, NDArray[np.float32]]:
    parts = [np.arange(at, min(at + CHUNK, len(view.rows))) for at in range(0, len(view.rows), CHUNK)]
    found = [assigned(view.stored_rows(part).astype(np.float32), centroids) for part in parts]
    return np.concatenate([one for one, _ in found]), np.concatenate([cosine for _, cosine in found])


def _fitted(matrix: VectorMatrix) -> VectorView:
    """The view with heads that are fitted to all rows."""
    matrix.view  # noqa: B018  (it has the heads fitted)
    vector_matrix._fitter.submit(int).result()
    return matrix.view


def compared(
    at: Trial, lists: Lists, questions: Matrix, accepted: NDArray[np.bool_], share: float
) -> dict[str, float]:
    """Recall and agreement of the lists with the exact answer, and processor time of both, in turn."""
    rows = [_one(at.view, lists, query, accepted, share) for query in questions]
    recalls, agreements, told, exact, quick = (np.array(column) for column in zip(*rows, strict=True))
    return {
        "recall@50": float(recalls.mean()),
        "worst recall@50": float(recalls.min()),
        "ten equal": float(agreements.mean()),
        "cosine to centroid p5": float(np.percentile(told, 5)),
        "cosine to centroid p50": float(np.median(told)),
        "exact ms": float(np.median(exact)),
        "lists ms": float(np.median(quick)),
    }


def _one(
    view: VectorView, lists: Lists, query: Matrix, accepted: NDArray[np.bool_], share: float
) -> tuple[float, float, float, float, float]:
    begun = process_time()
    slots, cosines = nearest(view, query, accepted, K)
    between = process_time()
    found, _, told = by_lists(view, lists, query, accepted, share, K)
    ended = process_time()
    first = slots[np.argsort(-cosines, kind="stable")].tolist()
    here = found.tolist()
    return (
        len(set(first[:RECALLED]) & set(here[:RECALLED])) / max(1, min(RECALLED, len(first))),
        len(set(first[:SHOWN]) & set(here[:SHOWN])) / max(1, min(SHOWN, len(first))),
        told,
        (between - begun) * 1000,
        (ended - between) * 1000,
    )


def cases(at: Trial, early: Subject, late: Subject) -> Iterator[tuple[str, Matrix, NDArray[np.bool_]]]:
    """What is asked: name, questions, mask."""
    randomness, everything = np.random.default_rng(3), np.ones(len(at.view.rows), np.bool_)
    is_late = np.arange(len(everything)) >= at.late_from
    asked = [
        one.questions(at.view.stored_rows(drawn).astype(np.float32))
        for one, drawn in (
            (early, randomness.integers(0, at.late_from, QUESTIONS)),
            (late, randomness.integers(at.late_from, len(everything), QUESTIONS)),
        )
    ]
    yield "real questions on the subject", early.asked[:: len(early.asked) // QUESTIONS], everything
    yield "real questions on the late subject", late.asked, everything
    yield "on the subject", asked[0], everything
    yield "on the subject, half of it accepted", asked[0], randomness.random(len(everything)) < 0.5
    yield "on the late subject", asked[1], everything
    yield "on the late subject, accepted alone", asked[1], is_late
    yield "on the subject, late alone accepted", asked[0], is_late


def main() -> None:
    arguments = _arguments()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    early, late = (subject(folder, arguments.cache) for folder in (arguments.early, arguments.late))
    at = trial(arguments.size, arguments.lists, early, late)
    sizes = np.bincount(at.of_rows, minlength=arguments.lists)
    coverage = {
        name: np.percentile(part, (5, 50, 95)).round(3).tolist()
        for name, part in (("early", at.covered[: at.late_from]), ("late", at.covered[at.late_from :]))
    }
    report = {"size": arguments.size, "lists": arguments.lists, "cosine to own centroid": coverage}
    report["largest list / mean"] = float(sizes.max() / sizes.mean())
    report["runs"] = [
        {"lists": name, "probed": share, "overflow": int(np.diff(lists.starts)[-1]), "case": case, **figures}
        for name, bound in (("late rows in lists", -1.0), ("badly covered apart", coverage["early"][0]))
        for lists in (at.lists(bound),)
        for share in arguments.share
        for case, questions, accepted in cases(at, early, late)
        for figures in (compared(at, lists, questions, accepted, share),)
    ]
    _print(report)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("early", type=Path, help="folder of the subject that the lists are trained on")
    parser.add_argument("late", type=Path, help="folder of the subject that comes later")
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--lists", type=int, default=2_048)
    parser.add_argument(
        "--share", type=float, nargs="+", default=[0.06], help="share of the rows that is probed"
    )
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/memory-layer/bench-lists").expanduser())
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _print(report: dict[str, Any]) -> None:
    runs: Sequence[dict[str, Any]] = report["runs"]
    table = Table(*runs[0])
    for run in runs:
        table.add_row(*(f"{value:.3f}" if isinstance(value, float) else str(value) for value in run.values()))
    console = Console(width=220)
    console.print({name: value for name, value in report.items() if name != "runs"})
    console.print(table)


if __name__ == "__main__":
    main()
