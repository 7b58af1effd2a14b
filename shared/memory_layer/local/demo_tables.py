"""Tables of ranked memories for the demo."""

from collections.abc import Sequence
from textwrap import shorten

from rich import box
from rich.markup import escape
from rich.table import Table

from memory_layer.domain.memory import Memory
from memory_layer.domain.ranking import RankedMemory

LINE_CHARS = 90
SIGNALS = {
    "sem": "semantic",
    "lex": "lexical",
    "out": "outcome",
    "rec": "recency",
    "freq": "frequency",
    "conf": "confidence",
}
"""Heads of the columns, and the signals in them."""


def ranked_table(ranked: Sequence[RankedMemory]) -> Table:
    """Table of memories with their scores and the signals behind them."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("memory", ratio=1)
    for name in ("score", *SIGNALS):
        table.add_column(name, justify="right", no_wrap=True)
    for item in ranked:
        numbers = (item.score, *(getattr(item.signals, name) for name in SIGNALS.values()))
        table.add_row(_line(item.memory), *(f"{number:.2f}" for number in numbers))
    return table


def _line(memory: Memory) -> str:
    return f"[magenta]{memory.category}[/] {escape(shorten(memory.content, LINE_CHARS, placeholder=' …'))}"


def side_by_side(before: Sequence[RankedMemory], after: Sequence[RankedMemory]) -> Table:
    """Table of one question before and after, with the move of each memory."""
    places = {item.memory.id: place for place, item in enumerate(before, 1)}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("before", "score", "after", "score", "moved"):
        table.add_column(name, ratio=1 if name in ("before", "after") else None)
    for place, (old, new) in enumerate(zip(before, after, strict=False), 1):
        table.add_row(
            _line(old.memory),
            f"{old.score:.2f}",
            f"{_line(new.memory)} [dim]{_evidence(new.memory)}[/]",
            f"{new.score:.2f}",
            _rank_change(places.get(new.memory.id), place),
        )
    return table


def _evidence(memory: Memory) -> str:
    return f"(worked {memory.worked}, failed {memory.failed})" if memory.use_count else ""


def _rank_change(before: int | None, now: int) -> str:
    if before is None:
        return "[green]new[/]"
    if before == now:
        return "="
    return f"[green]▲ {before - now}[/]" if now < before else f"[red]▼ {now - before}[/]"
