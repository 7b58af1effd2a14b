"""Rows of the table, and what the measures are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from memory_layer.ports.process import Embedder
from tests.bench.judgement.corpus import Corpus

MET: Final[Mapping[bool | None, str]] = {True: "yes", False: "no", None: "\u2013"}

OWN_LABELS: Final = Path(__file__).parent / "labels"
"""Sentences of our own with their labels, for a corpus that has none."""

LISTED_MAX = 60
"""Lines of one list that are printed; the JSON has all."""


@dataclass(frozen=True, slots=True)
class Row:
    """Row of the table.

    Args:
        figures: the numbers behind `measured`, for a program.
        listed: what a person has to judge, a line each.
        met: the target is reached; None: not measured.
    """

    measure: str
    measured: str
    target: str
    figures: Mapping[str, Any] = field(default_factory=dict)
    listed: Sequence[Mapping[str, Any]] = ()
    met: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Texts and labels that are measured with; None: not given.

    Args:
        foreign: questions of another subject.
        pairs: folder with natural.jsonl, of lines {a, b, kind}.
        verdicts: judged refusals, of lines {text, known, verdict: same or distinct}.
        labels: lines with their category, {text, category}.
    """

    corpus: Corpus
    embedder: Embedder
    foreign: Sequence[str] = ()
    locomo: Path | None = None
    pairs: Path = OWN_LABELS
    verdicts: Path | None = None
    labels: Path = OWN_LABELS / "categories.jsonl"


Measure = Callable[[Given], Iterable[Row]]


def missing(measure: str, target: str, what: str) -> Row:
    """Row of a measure whose data are not given."""
    return Row(measure, f"not measured: {what}", target)


def count_of(count: int, total: int) -> str:
    """Count and share, as `12 of 96 (12.5 %)`."""
    return f"{count:,} of {total:,} ({100 * count / total:.1f} %)" if total else "0 of 0"


def is_within(count: int, total: int, percent: float) -> bool:
    """Tells if a count is at most so many per cent of a total."""
    return 100 * count <= percent * total


def print_rows(rows: Sequence[Row], console: Console) -> None:
    table = Table("measure", "measured", "target", "met")
    for row in rows:
        table.add_row(row.measure, row.measured, row.target, MET[row.met])
    console.print(table)
    for row in rows:
        for line in row.listed[:LISTED_MAX]:
            told = "; ".join(f"{name}: {value}" for name, value in line.items())
            console.print(f"  {row.measure.split(':')[0]} · {told}", markup=False, highlight=False)
        if len(row.listed) > LISTED_MAX:
            console.print(f"  … and {len(row.listed) - LISTED_MAX:,} more: --json has them")


def document_of(rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [
        {
            "measure": row.measure,
            "measured": row.measured,
            "target": row.target,
            "met": row.met,
            "figures": dict(row.figures),
            "listed": [dict(line) for line in row.listed],
        }
        for row in rows
    ]
