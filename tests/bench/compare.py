"""Is it faster than before? The measurements of speed.py on two checkouts in one run, in turns, with the same data.

    python -m tests.bench.compare --before FOLDER [--after FOLDER] [--rounds 3] [--fresh] [--sizes ...] [--json FILE]

Every section runs on one checkout and then on the other, the first one first in odd rounds and last in even ones.
Shown are the medians over the rounds, the ratio of these, and the widest ratio of two rounds of the same checkout:
what differs less than that is noise. Each checkout has a copy of its own of the data that the older one has loaded,
and migrates it; with --fresh each loads the corpora itself. A checkout without tests/bench/product.py is driven by
this one's.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.bench.data_folder import copy_folder
from tests.bench.machine import commit_of, machine_facts, told, use_cores
from tests.bench.plan import ROWS, Results, Step, add_arguments, asked_sizes, steps
from tests.bench.speed import load, number
from tests.bench.worker import ROOT, run_worker


@dataclass(frozen=True, slots=True)
class Side:
    """A checkout with the results of its rounds. Args: cache: where its corpora lie."""

    name: str
    checkout: Path
    cache: Path
    rounds: list[Results]


def main() -> None:
    arguments = _arguments()
    use_cores(arguments.cores)
    facts, console = machine_facts(), Console(width=170)
    asked = steps(asked_sizes(arguments), arguments.sections)
    sides = _sides(arguments)
    for number_of_round in range(arguments.rounds):
        for side in sides:
            side.rounds.append({})
        for step in asked:
            in_turn = sides if number_of_round % 2 == 0 else sides[::-1]
            _measure(in_turn, step, arguments.queries, arguments.fresh)
            console.print(f"round {number_of_round + 1}: {step.title}, {step.section}", highlight=False)
    console.print(_table(asked, *sides))
    commits = {side.name: commit_of(side.checkout) for side in sides}
    console.print(f"{commits}; {arguments.rounds} rounds; {told(facts)}", highlight=False)
    if arguments.json:
        rounds = {side.name: side.rounds for side in sides}
        arguments.json.write_text(
            json.dumps({"commits": commits, "machine": facts, "rounds": rounds}, indent=2)
        )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--after", type=Path, default=ROOT)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fresh", action="store_true", help="each checkout loads the corpora itself")
    add_arguments(parser)
    return parser.parse_args()


def _sides(arguments: argparse.Namespace) -> tuple[Side, Side]:
    cache = arguments.cache.expanduser()
    caches = [cache / commit_of(folder) for folder in (arguments.before, arguments.after)]
    if not arguments.fresh:
        caches = [caches[0], caches[0]]
    for folder in caches:
        folder.mkdir(parents=True, exist_ok=True)
    before, after = arguments.before.resolve(), arguments.after.resolve()
    return Side("before", before, caches[0], []), Side("after", after, caches[1], [])


def _measure(sides: Sequence[Side], step: Step, queries: int, fresh: bool) -> None:
    """Measures a section on both, each on a copy of its own; both copies are there before the first begins."""
    older = min(sides, key=lambda side: side.name != "before")
    with ExitStack() as kept:
        copies = []
        for side in sides:
            found = load((side if fresh else older).checkout, step.size, side.cache)
            if "problem" not in found:
                copy = kept.enter_context(tempfile.TemporaryDirectory(prefix="copy-", dir=side.cache))
                copy_folder(Path(found["folder"]), Path(copy))
                found = {"folder": copy}
            copies.append(found)
        for side, found in zip(sides, copies, strict=True):
            if "problem" not in found:
                found = run_worker(side.checkout, step.section, count=queries, **found)
            side.rounds[-1].setdefault(step.title, {})[step.section] = found


def _table(asked: Sequence[Step], before: Side, after: Side) -> Table:
    headings = ("corpus", "before", "after", "after / before", "noise", "unit", "target")
    table = Table("", *headings, title="Medians of the rounds", title_justify="left")
    sizes = {step.title: step.size for step in asked}
    for title in sizes:
        for side in (before, after):
            for section, found in side.rounds[-1].get(title, {}).items():
                if "problem" in found:
                    table.add_row(section, title, f"{side.name} does not run here: {found['problem']}")
    for row in ROWS:
        for title in sizes:
            pairs = [_pair(before, after, title, row.section, figure) for figure in row.figures]
            if all(pairs):
                cells = _cells([pair for pair in pairs if pair])
                table.add_row(row.name, title, *cells, row.unit, row.target(sizes[title]))
    return table


def _pair(
    before: Side, after: Side, title: str, section: str, figure: str
) -> tuple[list[float], list[float]] | None:
    """Values of a figure in the rounds of both; None if one has none."""
    found = tuple(
        [
            of_round[title][section][figure]
            for of_round in side.rounds
            if figure in _section(of_round, title, section)
        ]
        for side in (before, after)
    )
    return (found[0], found[1]) if all(found) else None


def _section(of_round: Results, title: str, section: str) -> dict[str, Any]:
    return of_round.get(title, {}).get(section, {})


def _cells(pairs: Sequence[tuple[list[float], list[float]]]) -> list[str]:
    medians = [(median(old), median(new)) for old, new in pairs]
    noise = max(max(values) / min(values) if min(values) > 0 else 1.0 for pair in pairs for values in pair)
    return [
        " / ".join(number(old) for old, _ in medians),
        " / ".join(number(new) for _, new in medians),
        " / ".join(f"{new / old:.2f}" if old else "" for old, new in medians),
        f"{noise:.2f}",
    ]


if __name__ == "__main__":
    main()
