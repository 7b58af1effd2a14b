"""Judgement on real text, through the product's own use cases: the table of measures with their targets.

    python -m tests.bench.judgement CORPUS_FOLDER [--foreign FOLDER] [--locomo FOLDER] [--pairs FOLDER]
        [--verdicts FILE] [--labels FILE] [--only NAME,NAME] [--json FILE]

The corpus has facts.jsonl ({text}) and questions.jsonl ({question, right}: the pattern of a right answer, if there is
one).
Foreign questions are those of another folder's questions.jsonl, or LoCoMo's, which is also looked for beside the
corpus. What is not given of them, and of pairs and labels, is read from this package's folder `labels`. Vectors are
kept, so that a second run embeds nothing.
"""

from __future__ import annotations

import argparse
import json
import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rich.console import Console

from tests.bench.judgement.corpus import read_corpus, read_questions
from tests.bench.judgement.kept_vectors import KeptVectors
from tests.bench.judgement.pages import pages
from tests.bench.judgement.recalls import recalls
from tests.bench.judgement.sweeps_and_runs import exact_days, learnings, swept_pairs
from tests.bench.judgement.table import OWN_LABELS, Given, Measure, Row, document_of, print_rows
from tests.bench.judgement.writes import categories, concurrent_writers, losses, refusals
from tests.bench.product import real_embedder

CACHE: Final = Path("~/.cache/memory-layer/bench")
FOREIGN_QUESTIONS: Final = 60

MEASURES: Final[Mapping[str, Measure]] = {
    "recalls": recalls,
    "refusals": refusals,
    "losses": losses,
    "writers": concurrent_writers,
    "pairs": swept_pairs,
    "learnings": learnings,
    "days": exact_days,
    "categories": categories,
    "pages": pages,
}
"""Measures in the order of the table; a new one is added here."""


def main() -> None:
    arguments = _arguments()
    logging.getLogger("memory_layer").setLevel(logging.ERROR)
    console = Console(width=None if Console().is_terminal else 160)
    embedder = KeptVectors(real_embedder(), CACHE.expanduser())
    given = _given(arguments, embedder)
    told = f"{len(given.corpus.texts):,} facts, {len(given.corpus.answerable)} answerable questions"
    console.print(f"{arguments.corpus}: {told}, {len(given.foreign)} foreign ones of another folder")
    rows: list[Row] = []
    seconds: dict[str, tuple[float, float]] = {}
    try:
        for name in arguments.only or MEASURES:
            started = time.perf_counter(), time.process_time()
            for row in MEASURES[name](given):
                rows.append(row)
                console.print(f"{row.measure}: {row.measured}", markup=False, highlight=False)
            embedder.keep()
            seconds[name] = time.perf_counter() - started[0], time.process_time() - started[1]
    finally:
        embedder.keep()
    _report(rows, seconds, console, arguments.json)


def _report(
    rows: list[Row], seconds: Mapping[str, tuple[float, float]], console: Console, file: Path | None
) -> None:
    print_rows(rows, console)
    told = ", ".join(f"{name} {took:.0f} ({worked:.0f})" for name, (took, worked) in seconds.items())
    console.print(f"seconds, and those of the processor: {told}")
    if file:
        document = {"rows": document_of(rows), "seconds": seconds}
        file.write_text(json.dumps(document, indent=2, ensure_ascii=False))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path)
    for name in ("foreign", "locomo", "pairs", "verdicts", "labels", "json"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--only", type=_measures, help=f"some of: {', '.join(MEASURES)}")
    return parser.parse_args()


def _measures(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in MEASURES]:
        raise argparse.ArgumentTypeError(f"no measure {', '.join(unknown)}; there are: {', '.join(MEASURES)}")
    return names


def _given(arguments: argparse.Namespace, embedder: KeptVectors) -> Given:
    beside = arguments.corpus.resolve().parent / "locomo"
    locomo = arguments.locomo or (beside if beside.is_dir() else None)
    other = arguments.foreign or locomo or OWN_LABELS
    return Given(
        corpus=read_corpus(arguments.corpus),
        embedder=embedder,
        foreign=read_questions(other, FOREIGN_QUESTIONS),
        locomo=locomo,
        pairs=arguments.pairs or OWN_LABELS,
        verdicts=arguments.verdicts,
        labels=arguments.labels or OWN_LABELS / "categories.jsonl",
    )


if __name__ == "__main__":
    main()
