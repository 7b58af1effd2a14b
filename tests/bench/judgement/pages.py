"""Measures of context pages: evidence in a budget against plain top-k, and the share of references, on LoCoMo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.bench import context
from tests.bench.judgement.table import Given, Row, missing

EVERY: Final = 6
"""Every so manieth question: a sixth of 997 takes a minute."""

REFERENCES_MAX: Final = 0.06
TARGET: Final = (
    "references and marks ≤ 6 %; evidence at 500 / 1,000 / 2,000 / 4,000 above plain top-k with default ids"
)
TITLE: Final = "page of a context: evidence against top-k; references"
PLAIN, OURS = context.TOP_K_WITH_IDS, context.ASSEMBLED


def pages(given: Given) -> Iterator[Row]:
    """Evidence on pages, by the benchmark of contexts."""
    if given.locomo is None:
        yield missing(TITLE, TARGET, "give LOCOMO=folder")
        return
    yield page_row(context.measure(given.locomo, every=EVERY, ways=(PLAIN, OURS), embedder=given.embedder))


def page_row(report: Mapping[str, Any]) -> Row:
    """Row of a report of tests/bench/context.py; the plain top-k is the one with ids."""
    runs = report["runs"]
    ours, theirs = ([of_budget["coverage"] for of_budget in runs[way].values()] for way in (OURS, PLAIN))
    shares = [of_budget["references"] for of_budget in runs[OURS].values()]
    return Row(
        TITLE,
        f"{_thousandths(ours)} against {_thousandths(theirs)}; references {100 * max(shares):.1f} % at most",
        TARGET,
        {"assembled": ours, "top-k": theirs, "references": shares, "questions": report["questions"]},
        met=all(one > other for one, other in zip(ours, theirs, strict=True))
        and max(shares) <= REFERENCES_MAX,
    )


def _thousandths(values: list[float]) -> str:
    return " ".join(f"{value:.3f}".removeprefix("0") for value in values)
