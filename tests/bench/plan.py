"""What `make bench` measures: the sections for each size, and the rows of its table."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.bench.data_folder import Size

SIZES = "10000,100000x20,100000"
CACHE = Path("~/.cache/memory-layer/bench")
SMALL = (
    "recall",
    "embedding",
    "after_write",
    "threads",
    "http",
    "http_embedding",
    "writes",
    "context",
    "graph",
    "cli",
    "memory",
)
MANY = ("recall", "context", "memory")
LARGE = ("recall", "context", "stats", "prompt", "cli", "start", "memory")
HUGE = ("recall", "stats", "prompt", "memory")
HUGE_FROM = 500_000
WITHOUT_CONTEXT, WITH_CONTEXT = "without context", "with context"

Figures = dict[str, float]
Results = dict[str, dict[str, Figures]]
"""Figures by size and section."""


@dataclass(frozen=True, slots=True)
class Step:
    """A section on a corpus. Args: title: of the corpus."""

    title: str
    size: Size
    section: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: figures of a section, for each size that has them. Args: targets: by kind of size."""

    name: str
    section: str
    figures: tuple[str, ...]
    unit: str = "ms"
    targets: Mapping[str, str] | str = ""

    def target(self, size: Size) -> str:
        return self.targets if isinstance(self.targets, str) else self.targets.get(_kind(size), "")


def _timed_row(name: str, section: str, figure: str, targets: Mapping[str, str] | str = "") -> Row:
    figures = (f"{figure} p50 ms", f"{figure} p95 ms", f"{figure} processor p50 ms")
    return Row(f"{name}: p50 / p95 / processor", section, figures, targets=targets)


def _client_rows(
    name: str, section: str, kind: str, clients: int, targets: Mapping[str, str]
) -> Iterator[Row]:
    who = f"{clients} {kind}"
    worked = f"{who} processor ms a call" if section == "threads" else f"{who} server processor ms a call"
    yield Row(f"{name}, {clients}: calls a second", section, (f"{who} calls a second",), "/s", targets)
    figures = (f"{who} p50 ms", f"{who} p95 ms", worked)
    yield Row(f"{name}, {clients}: p50 / p95 / processor a call", section, figures)


RECALL = {
    "10000x1": ".8",
    "100000x20": ".9",
    "100000x1": "1.5",
    "1000000x1": "6",
}
CLIENTS = (1, 2, 4, 8)
ROWS: tuple[Row, ...] = (
    _timed_row("recall", "recall", "recall", RECALL),
    _timed_row("recall by 200 words", "recall", "of 200 words", "3 × recall"),
    Row("memory asked about is found", "recall", ("share of questions whose memory is found",), ""),
    _timed_row("recall with its embedding", "embedding", "recall with its embedding"),
    _timed_row("embedding of ten words", "embedding", "embedding of ten words", ".6"),
    Row(
        "recall after a write, × processor",
        "after_write",
        ("after a write, times the processor",),
        "×",
        "1.2",
    ),
    _timed_row("recall after a write", "after_write", "recall after a write"),
    *(
        row
        for name, section, kind in (
            ("threads", "threads", "threads"),
            ("HTTP clients, vector given", "http", "clients"),
            ("HTTP clients", "http_embedding", "clients"),
        )
        for clients in CLIENTS
        for row in _client_rows(
            name,
            section,
            kind,
            clients,
            {"10000x1": "600"} if clients == 8 and section != "http_embedding" else {},
        )
    ),
    _timed_row("create, without embedding", "writes", "create", "1.2"),
    _timed_row("create in the project, without embedding", "writes", "create in the project itself"),
    _timed_row("create with its embedding", "embedding", "create with its embedding"),
    Row("batch with embedding", "embedding", ("batch with embedding a second",), "/s", "300"),
    _timed_row("bare insert and fsync", "writes", "bare insert and fsync"),
    Row(
        "batch, a record: wall / processor",
        "writes",
        ("batch, a record ms", "batch, a record processor ms"),
        targets=".25",
    ),
    _timed_row("context of 4,000 tokens", "context", "context", "15"),
    Row("private memory grown by a context", "context", ("private bytes grown by a context",), "B", "0"),
    _timed_row("stats", "stats", "stats", {"100000x1": "10"}),
    _timed_row("prompt", "prompt", "prompt", {"100000x1": "5"}),
    _timed_row("strategy graph", "graph", "graph", {"10000x1": "6"}),
    Row(
        "mem search alone: wall / processor", "cli", ("mem search alone ms", "mem search alone processor ms")
    ),
    Row(
        "mem search beside a server: wall / processor / server's",
        "cli",
        (
            "mem search beside a server ms",
            "mem search beside a server processor ms",
            "mem search beside a server, the server's processor ms",
        ),
        targets="120 of processor",
    ),
    Row("start of mem serve", "start", ("start of mem serve s",), "s", ".5"),
    Row(
        "first recall: at once / after 3 s",
        "start",
        ("first recall at once s", "first recall after 3 s, s"),
        "s",
        ".3",
    ),
    Row(
        "loading of a project: wall / processor",
        "memory",
        ("first recall, loading ms", "first recall, loading, processor ms"),
    ),
    Row(
        "private memory a memory: loaded / after recalls",
        "memory",
        ("private bytes a memory, loaded", "private bytes a memory"),
        "B",
        "700, 400 more with context",
    ),
    Row("mapped files a memory", "memory", ("mapped file bytes a memory",), "B"),
    Row("text a memory", "memory", ("text bytes a memory",), "B"),
    Row("disk a memory", "memory", ("disk bytes a memory",), "B", "3,000"),
)


def steps(sizes: Sequence[Size], sections: Sequence[str] | None) -> list[Step]:
    """The sections of each size, those of memory also for corpora with and without contexts alone."""
    single = [size.records for size in sizes if size.projects == 1]
    found = [
        Step(size.name, size, section)
        for size in sizes
        for section in _sections_of(size, size.records == min(single, default=0))
        if sections is None or section in sections
    ]
    bounded = [size for size in sizes if size.projects == 1 and size.records < HUGE_FROM]
    if bounded and (sections is None or "memory" in sections):
        base = max(bounded, key=lambda size: size.records)
        for title, share in ((WITHOUT_CONTEXT, 0.0), (WITH_CONTEXT, 1.0)):
            of_share = replace(base, context_share=share)
            found.append(Step(f"{base.records:,} {title}", of_share, "memory"))
    return found


def _sections_of(size: Size, is_smallest: bool) -> Sequence[str]:
    if size.projects > 1:
        return MANY
    if size.records >= HUGE_FROM:
        return HUGE
    return SMALL if is_smallest else LARGE


def _kind(size: Size) -> str:
    return f"{size.records}x{size.projects}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", default=SIZES, help=f"records, or recordsxprojects; default {SIZES}")
    parser.add_argument(
        "--more", default="", help="further sizes, such as 1000000, which takes an hour to load"
    )
    parser.add_argument("--sections", type=lambda names: names.split(","), help="default: those of each size")
    parser.add_argument(
        "--texts", action="append", default=[], help="a folder of real sentences; repeat for more"
    )
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--cache", type=Path, default=CACHE, help="where loaded corpora are kept")
    parser.add_argument("--cores", type=int, help="stay on so many cores")
    parser.add_argument("--json", type=Path)


def asked_sizes(arguments: argparse.Namespace) -> list[Size]:
    texts = [str(Path(folder).resolve()) for folder in arguments.texts]
    named = [*arguments.sizes.split(","), *arguments.more.split(",")]
    return [Size.of(name, texts) for name in named if name]
