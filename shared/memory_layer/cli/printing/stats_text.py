"""Numbers of a project as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memory_layer.cli.printing.tables import Document, memory_count, new_table

if TYPE_CHECKING:
    from rich.table import Table

GROUPS = {"category": "By category", "type": "By type", "source": "By source", "task_type": "By task type"}
"""Groups with a block of their own, a value a line; the others have a line each."""

_UNITS = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"))


def stats(document: Document, database_bytes: int | None = None) -> Any:
    """Totals, shares and sizes. Args: database_bytes: of the file, where it is at hand."""
    from rich.console import Group

    lines = [f"Total: {memory_count(document['total'])}", *_statuses(document)]
    for group, title in GROUPS.items():
        lines += _shares(title, document["by"].get(group, {}), document["total"])
    lines += _shares("Outcome scores", _bands(document["outcome_bands"]), document["total"])
    lines += _beside(document)
    sizes = f"Text: {size(document['bytes'])}, found by meaning: {document['index_coverage']:.2%}"
    database = [] if database_bytes is None else [f"Database size: {size(database_bytes)}"]
    return Group("\n".join([*lines, "", sizes, *database, ""]), _tiers(document["tiers"]))


def size(bytes_: int) -> str:
    """Size in the unit that fits it."""
    unit = next(((of, name) for of, name in _UNITS if bytes_ >= of), None)
    return f"{bytes_} B" if unit is None else f"{bytes_ / unit[0]:.1f} {unit[1]}"


def _statuses(document: Document) -> list[str]:
    found = {"active": document["active"], **document["by"].get("status", {})}
    return [f"{name.capitalize()}: {count}" for name, count in found.items()]


def _bands(bands: Mapping[str, int]) -> dict[str, int]:
    titles = {"high": "high (> 0.5)", "neutral": "neutral", "low": "low (< -0.5)"}
    return {title: bands[band] for band, title in titles.items()}


def _shares(title: str, counts: Mapping[str, int], total: int) -> list[str]:
    """Block of counts with their shares of all memories, aligned."""
    if not any(counts.values()):
        return []
    width, digits = max(map(len, counts)), len(f"{max(counts.values()):,}")
    return [
        f"\n{title}:",
        *(f"  {name:{width}}  {n:{digits},}  ({n / total:.0%})" for name, n in counts.items()),
    ]


def _beside(document: Document) -> list[str]:
    """Lines about what waits, and about what was told of things."""
    waiting = document["waiting_long"]
    lines = [f"\nWaiting for a person for 14 days: {waiting}; see: mem review"] if waiting else []
    told = {name: count for name, count in document["entity_events"].items() if count}
    events = (f"{'of things no memory names' if name == 'unknown' else name} {n}" for name, n in told.items())
    return [*lines, f"\nEntity events: {', '.join(events)}"] if told else lines


def _tiers(found: Document) -> Table:
    """Contents of each tier, and the cost of its texts there in the cloud."""
    table = new_table("tier", "memories", "text", "of it in blobs", "USD a month, on AWS")
    for tier, one in found.items():
        if one["records"]:
            cost = f"{one['usd_per_month']:.6f}"
            table.add_row(tier, f"{one['records']:,}", size(one["bytes"]), size(one["body_bytes"]), cost)
    return table
