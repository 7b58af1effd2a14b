"""Are the answers those of before? Random recalls and prompts on two checkouts with equal data, ids compared.

    python -m tests.bench.same_answers --before FOLDER [--after FOLDER] [--queries 10000] [--size 10000] [--json FILE]

The clock stands still, vectors are given, and both answer the same queries in the same order over copies of one
folder. A difference is of a kind: other members, the same members in another order, members equal up to a place whose
scores are tied, another evidence or relevance, or another flag (abstained, degraded, refused). All of them are in the
JSON file, with both lists.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.bench.corpus import NOW
from tests.bench.data_folder import Size, working_copy
from tests.bench.machine import commit_of
from tests.bench.plan import CACHE
from tests.bench.questions import load_sample
from tests.bench.random_queries import NearEmbedder, Query, random_queries
from tests.bench.speed import load
from tests.bench.worker import ROOT, product, run_worker

TIED = 1e-6
"""Scores that differ by less are tied: their order is not told by the ranking."""

LONGEST_SHOWN = 700
"""Characters of a query that are printed."""

Answer = Mapping[str, Any]


def main() -> None:
    arguments = _arguments()
    before, after = arguments.before.resolve(), arguments.after.resolve()
    cache = arguments.cache.expanduser() / commit_of(before)
    cache.mkdir(parents=True, exist_ok=True)
    found = load(
        before, Size.of(arguments.size, [str(Path(one).resolve()) for one in arguments.texts]), cache
    )
    if "problem" in found:
        raise SystemExit(found["problem"])
    queries = random_queries(load_sample(Path(found["folder"])), arguments.queries, arguments.seed)
    old, new = _both(Path(found["folder"]), before, after, queries)
    report = compared(queries, old, new)
    report["commits"] = {"before": commit_of(before), "after": commit_of(after)}
    _print(report, arguments.shown)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--after", type=Path, default=ROOT)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--size", default="10000", help="records, or recordsxprojects")
    parser.add_argument(
        "--texts", action="append", default=[], help="a folder of real sentences; repeat for more"
    )
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--shown", type=int, default=10, help="differences printed")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _both(
    folder: Path, before: Path, after: Path, queries: Sequence[Query]
) -> tuple[list[Answer], list[Answer]]:
    """Answers of both checkouts, which work side by side."""
    with ExitStack() as kept, ThreadPoolExecutor(2) as side_by_side:
        asked = []
        for checkout in (before, after):
            copy = kept.enter_context(working_copy(folder))
            (copy / "queries.json").write_text(json.dumps(queries))
            asked.append(side_by_side.submit(run_worker, checkout, "answers", folder=str(copy)))
        found = [one.result() for one in asked]
        for one in found:
            if "problem" in one:
                raise SystemExit(one["problem"])
        return found[0]["answers"], found[1]["answers"]


def answers(folder: str) -> dict[str, list[Answer]]:
    """Answers the queries of a folder: the task of a worker."""
    sample = load_sample(Path(folder))
    queries = json.loads((Path(folder) / "queries.json").read_text())
    embedder = NearEmbedder(product().MODEL, sample)
    running = product().Product(Path(folder) / "data", embedder, at=NOW)
    try:
        return {"answers": [running.answer(query["project"], query) for query in queries]}
    finally:
        running.close()


def compared(queries: Sequence[Query], old: Sequence[Answer], new: Sequence[Answer]) -> dict[str, Any]:
    """Differences with their kind, counted by kind and by what was asked."""
    differences = [
        {"kind": kind, "query": query, "before": one, "after": other}
        for query, one, other in zip(queries, old, new, strict=True)
        if (kind := difference(one, other)) is not None
    ]
    return {
        "queries": len(queries),
        "with hits": sum(bool(one["hits"]) for one in old),
        "refused": sum("problem" in one for one in old),
        "equal": len(queries) - len(differences),
        "greatest difference of scores": max(map(_score_difference, old, new), default=0.0),
        "kinds": Counter(one["kind"] for one in differences),
        "by": {
            part: Counter(str(_part(one["query"], part)) for one in differences)
            for part in ("strategy", "profile", "persona", "label")
        },
        "differences": differences,
    }


def difference(one: Answer, other: Answer) -> str | None:
    """Kind of a difference between two answers; None: there is none."""
    flags = [
        {name: answer.get(name) for name in ("problem", "abstained", "degraded")} for answer in (one, other)
    ]
    if flags[0] != flags[1]:
        told = [name for name in flags[0] if flags[0][name] != flags[1][name]]
        return f"another flag: {', '.join(told)}"
    ids, others = ([id for id, _ in answer["hits"]] for answer in (one, other))
    if ids == others:
        return None if one.get("chances") == other.get("chances") else "another evidence or relevance"
    if _are_tied(one["hits"], other["hits"]):
        return "other places among tied scores"
    if sorted(ids) == sorted(others):
        return "the same members in another order"
    return "other members" if len(ids) == len(others) else "more or fewer members"


def _are_tied(hits: Sequence[tuple[str, float]], others: Sequence[tuple[str, float]]) -> bool:
    """Tells if both have the same scores place by place."""
    return len(hits) == len(others) and all(
        abs(score - other) < TIED for (_, score), (_, other) in zip(hits, others, strict=True)
    )


def _score_difference(one: Answer, other: Answer) -> float:
    """Greatest difference of the scores of a memory in both."""
    scores = dict(one["hits"])
    return max((abs(scores[id] - score) for id, score in other["hits"] if id in scores), default=0.0)


def _part(query: Query, part: str) -> Any:
    return query["body"].get(part) if part in ("strategy", "profile") else query[part]


def _print(report: Mapping[str, Any], shown: int) -> None:
    console = Console(width=150)
    differing = report["queries"] - report["equal"]
    console.print(
        f"{report['queries']:,} queries ({report['with hits']:,} with hits, {report['refused']:,} refused):"
        f" {report['equal']:,} answers equal, {differing:,} differ;"
        f" scores differ by {report['greatest difference of scores']:.2g} at most",
        f"{report['commits']}",
        highlight=False,
    )
    table = Table("kind of difference", "answers")
    for kind, count in report["kinds"].most_common():
        table.add_row(kind, f"{count:,}")
    for part in ("strategy", "profile", "persona"):
        table.add_section()
        for name, count in report["by"][part].most_common():
            table.add_row(f"{part} {name}", f"{count:,}")
    console.print(table)
    for one in report["differences"][:shown]:
        told = json.dumps(one["query"])
        console.print(f"{one['kind']}: {told[:LONGEST_SHOWN]}", highlight=False, markup=False)
        for side in ("before", "after"):
            console.print(f"  {side}: {_told(one[side])}", highlight=False, markup=False)


def _told(answer: Answer) -> str:
    hits = " ".join(f"{id.removeprefix('mem_').lstrip('0')}:{score:.4f}" for id, score in answer["hits"])
    return f"{ {name: value for name, value in answer.items() if name != 'hits'} } {hits}"


if __name__ == "__main__":
    main()
