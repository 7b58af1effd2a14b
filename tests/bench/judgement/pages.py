"""Measures of context pages: evidence in a budget against plain top-k, and the share of references, on LoCoMo."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tests.bench.judgement.table import Given, Row, missing

EVERY: Final = 6
"""Every so manieth question: a sixth of 997 takes a minute."""

REFERENCES_MAX: Final = 0.06
TARGET: Final = (
    "references and marks ≤ 6 %; evidence at 500 / 1,000 / 2,000 / 4,000 above plain top-k with default ids"
)
TITLE: Final = "page of a context: evidence against top-k; references"


def pages(given: Given) -> Iterator[Row]:
    """Evidence on pages, by the benchmark of contexts, in a process of its own."""
    if given.locomo is None:
        yield missing(TITLE, TARGET, "give LOCOMO=folder")
        return
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "context.json"
        asked = [str(given.locomo), "--every", str(EVERY), "--json", str(report)]
        subprocess.run(
            [sys.executable, "-m", "tests.bench.context", *asked], check=True, stdout=subprocess.DEVNULL
        )
        yield page_row(json.loads(report.read_text("utf-8")))


def page_row(report: Mapping[str, Any]) -> Row:
    """Row of a report of tests/bench/context.py; the plain top-k is the one with ids, where there is one."""
    runs = report["runs"]
    plain = runs.get("top-k, lines with ids", runs["top-k, bare lines"])
    ours, theirs = ([run[budget]["coverage"] for budget in run] for run in (runs["assembled"], plain))
    shares = [run.get("references") for run in runs["assembled"].values()]
    told = (
        f"references {100 * max(shares):.1f} % at most"
        if None not in shares
        else "references not measured: this checkout's tests/bench/context.py does not tell them"
    )
    return Row(
        TITLE,
        f"{_thousandths(ours)} against {_thousandths(theirs)}; {told}",
        TARGET,
        {"assembled": ours, "top-k": theirs, "references": shares, "questions": report["questions"]},
        met=all(one > other for one, other in zip(ours, theirs, strict=True))
        and None not in shares
        and max(shares) <= REFERENCES_MAX,
    )


def _thousandths(values: list[float]) -> str:
    return " ".join(f"{value:.3f}".removeprefix("0") for value in values)
