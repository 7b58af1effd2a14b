"""How fast is it? Recall, writes, contexts and the rest of the embedded backend, by size, beside their targets.

    python -m tests.bench.speed [--sizes 10000,100000x20,100000] [--more 1000000] [--texts FOLDER] [--json FILE]

A size is `records` or `recordsxprojects`. Corpora are loaded once and kept in --cache; each section works on a copy,
in a process of its own.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.bench.data_folder import Size, working_copy
from tests.bench.machine import commit_of, machine_facts, told, use_cores
from tests.bench.plan import ROWS, Figures, Results, Row, Step, add_arguments, asked_sizes, steps
from tests.bench.worker import ROOT, run_worker


def main() -> None:
    arguments = _arguments()
    use_cores(arguments.cores)
    cache = arguments.cache.expanduser()
    cache.mkdir(parents=True, exist_ok=True)
    facts, console = machine_facts(), Console(width=150)
    asked = steps(asked_sizes(arguments), arguments.sections)
    results = measured(ROOT, asked, cache, arguments.queries, console)
    console.print(table(asked, results))
    console.print(f"{commit_of(ROOT)}; {told(facts)}")
    if arguments.json:
        report = {
            "commit": commit_of(ROOT),
            "machine": facts,
            "queries": arguments.queries,
            "results": results,
        }
        arguments.json.write_text(json.dumps(report, indent=2))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    return parser.parse_args()


def measured(checkout: Path, asked: Sequence[Step], cache: Path, queries: int, console: Console) -> Results:
    """Figures of the steps, each on a copy of its corpus."""
    results: Results = {}
    for step in asked:
        folder = load(checkout, step.size, cache)
        if "problem" in folder:
            found: dict[str, Any] = folder
        else:
            with working_copy(Path(folder["folder"])) as copy:
                found = run_worker(checkout, step.section, folder=str(copy), count=queries)
        results.setdefault(step.title, {})[step.section] = found
        console.print(f"{step.title}: {step.section} {found.get('problem', 'done')}", highlight=False)
    return results


def load(checkout: Path, size: Size, cache: Path) -> dict[str, Any]:
    """Folder of a corpus, loaded by the product of this checkout, or the problem that kept it from that."""
    named = f"{size.records}x{size.projects}"
    given = {"size": named, "texts": list(size.texts), "context_share": size.context_share}
    return run_worker(checkout, "load", cache=str(cache), **given)


def table(asked: Sequence[Step], results: Results) -> Table:
    """The rows of the plan that were measured."""
    shown = Table("", "corpus", "measured", "unit", "target", title="Embedded backend", title_justify="left")
    sizes = {step.title: step.size for step in asked}
    for title, section, found in problems(results):
        shown.add_row(section, title, f"does not run here: {found}")
    for row in ROWS:
        for title, found in results.items():
            if row.section in found and "problem" not in found[row.section]:
                shown.add_row(
                    row.name, title, cell(row, found[row.section]), row.unit, row.target(sizes[title])
                )
    return shown


def problems(results: Results) -> list[tuple[str, str, str]]:
    """Corpus, section and problem of what was not measured."""
    return [
        (title, section, str(figures["problem"]))
        for title, found in results.items()
        for section, figures in found.items()
        if "problem" in figures
    ]


def cell(row: Row, figures: Figures) -> str:
    """Figures of a row."""
    return " / ".join(number(figures[name]) for name in row.figures)


def number(value: float) -> str:
    """Three digits that count."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


if __name__ == "__main__":
    main()
