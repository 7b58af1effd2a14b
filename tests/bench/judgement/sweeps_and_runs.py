"""Measures of what is found after writing: contradictions and paraphrases by the sweep, and learnings of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, get_args

from memory_layer.domain.conflicts.pair import PairKind
from memory_layer.domain.learning.run import Analysis, Iteration, Run
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.review.list_pairs import list_pairs
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from tests.bench import exact_days as days
from tests.bench.judgement.corpus import read_lines
from tests.bench.judgement.judged_product import JudgedProduct, opened
from tests.bench.judgement.statistics import is_kept_in
from tests.bench.judgement.table import Given, Row, missing

SWEEP_S: Final = 300
LABEL_OF: Final[Mapping[str, str]] = {"conflict": "contradiction", "duplicate": "paraphrase"}
TITLES: Final = {
    "conflict": ("contradictions found by the sweep", "precision ≥ .8; recall ≥ .5 on 30 natural ones"),
    "duplicate": ("paraphrased duplicates found after writing", "≥ 6 of 9, precision ≥ .9"),
}
LEAST: Final = {"conflict": (0.8, 0.5), "duplicate": (0.9, 2 / 3)}
"""Precision and recall that are asked for."""
LEARNINGS_A_RUN: Final = 4
RUNS: Final = 20
DAYS_BUDGET, DAYS_OF_32 = 1_000, 29


def swept_pairs(given: Given) -> Iterator[Row]:
    """Pairs that the weekly sweep finds among the corpus, and among labelled pairs."""
    found = _found_among(given, given.corpus.texts)
    labelled = read_lines(given.pairs / "natural.jsonl")
    among = _found_among(given, [line[side] for line in labelled for side in ("a", "b")])
    for kind, (title, target) in TITLES.items():
        judged = judged_pairs(among.get(kind, []), labelled, LABEL_OF[kind])
        precision, recall = LEAST[kind]
        told = f"; labelled: precision {judged['precision']:.2f}, {judged['right']} of {judged['all']} found"
        yield Row(
            title,
            f"{len(found[kind])} in the corpus{told}",
            target,
            judged,
            found[kind],
            met=judged["precision"] >= precision and judged["right"] >= recall * judged["all"],
        )


def _found_among(given: Given, texts: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    with opened(given.embedder) as product:
        product.store("swept", list(dict.fromkeys(texts)))
        product.backend.drain()
        run_sweep(product.ports, "consolidate", holder="benchmark", seconds=SWEEP_S)
        return {kind: list(_open_pairs(product, kind)) for kind in get_args(PairKind)}


def _open_pairs(product: JudgedProduct, kind: PairKind) -> Iterator[dict[str, Any]]:
    after = None
    while True:
        page = list_pairs(product.ports, LOCAL_PRINCIPAL, "swept", kind, after=after, limit=100)
        for item in page.items:
            one, other = (memory.content for memory in item.memories)
            yield {"a": one, "b": other, "reason": item.pair.reason, "severity": item.pair.severity}
        after = page.next_key
        if after is None:
            return


def judged_pairs(
    found: Sequence[Mapping[str, Any]], labelled: Sequence[Mapping[str, Any]], kind: str
) -> dict[str, Any]:
    """Right and wrong ones of the found pairs by their labels; a pair that nobody labelled is told apart."""
    labels = {frozenset((line["a"], line["b"])): line["kind"] for line in labelled}
    told = [labels.get(frozenset((one["a"], one["b"]))) for one in found]
    right, known = told.count(kind), sum(label is not None for label in told)
    return {
        "right": right,
        "wrong": known - right,
        "unlabelled": len(told) - known,
        "all": [line["kind"] for line in labelled].count(kind),
        "precision": right / known if known else float("nan"),
    }


def learnings(given: Given) -> Iterator[Row]:
    """Right sentences as learnings that a run says once: are they kept whole, and found by the questions about them?"""
    said = [(question, given.corpus.right(question)[0]) for question in given.corpus.answerable]
    runs = [said[start : start + LEARNINGS_A_RUN] for start in range(0, len(said), LEARNINGS_A_RUN)][:RUNS]
    lost: list[dict[str, Any]] = []
    asked = kept = found = 0
    with opened(given.embedder) as product:
        for number, run in enumerate(runs):
            project = f"run{number}"
            learn_from_run(
                product.ports, LOCAL_PRINCIPAL, project, _run(number, [text for _, text in run]), "auto"
            )
            product.backend.drain()
            contents = [memory.content for memory in product.contents(project)]
            for question, text in run:
                asked += 1
                is_kept = any(is_kept_in(text, content) for content in contents)
                hits = product.recalled(project, question.text).hits
                is_found = is_kept and any(is_kept_in(text, hit.text) for hit in hits)
                kept, found = kept + is_kept, found + is_found
                if not is_found:
                    lost.append({"learning": text, "question": question.text, "kept": is_kept})
    yield Row(
        "learnings said once in a run: kept whole / found by a question",
        f"{kept} / {found} of {asked}",
        "all",
        {"kept": kept, "found": found, "of": asked},
        lost,
        met=found == asked,
    )


def _run(number: int, texts: Sequence[str]) -> Run:
    iterations = tuple(
        Iteration(
            number=place,
            status="completed",
            duration=60_000.0,
            analysis=Analysis(progress_made=True),
            learnings=(text,),
        )
        for place, text in enumerate(texts, 1)
    )
    return Run(
        run_id=f"run-{number}",
        objective="Document how the tools behave",
        status="completed",
        current_iteration=len(iterations),
        iterations=iterations,
    )


def exact_days(given: Given) -> Iterator[Row]:
    """Exact-day questions whose page holds the right day, by the benchmark of its own."""
    title, target = "exact-day questions whose page holds the right day (LoCoMo)", "≥ 29 of 32; wrong ≤ 2 %"
    if given.locomo is None:
        yield missing(title, target, "give LOCOMO=folder")
        return
    report = days.measure(given.locomo, given.embedder)
    counts = "; ".join(
        f"{kind}: {', '.join(f'{held} in {budget:,}' for budget, held in report['held'][kind].items())} of {count}"
        for kind, count in report["questions"].items()
    )
    held = sum(of_kind[DAYS_BUDGET] for of_kind in report["held"].values())
    asked = sum(report["questions"].values())
    yield Row(title, counts, target, report, met=DAYS_OF_32 * asked <= 32 * held)
