"""What sweeps did, as people read it."""

from __future__ import annotations

from typing import Any

from memory_layer.cli.call import printable
from memory_layer.cli.printing import Document, dimmed, new_table


def swept(document: Document) -> str:
    """One run."""
    lines = [
        "a dry run: nothing was changed" if document["dry_run"] else "",
        f"{document['name']}: looked at {document['looked_at']:,}{_did(document)}",
        *(f"  {printable(sentence)}" for sentence in document["failed"]),
        _and_more(document),
        "" if document["complete"] else f"there is more to do: mem sweep {document['name']}",
    ]
    return "\n".join(line for line in lines if line)


def sweeps(document: Document) -> Any:
    """All there are."""
    table = new_table("sweep", "every", "last run", "what it did")
    for one in document["sweeps"]:
        report = one["last_report"]
        table.add_row(
            one["name"],
            _period(one["every_minutes"]),
            _when(one, report),
            "" if report is None else _told(report),
        )
    return table


def _did(document: Document) -> str:
    counts = ", ".join(f"{count:,} {verb}" for verb, count in sorted(document["did"].items()))
    return f"; {counts}" if counts else "; nothing to do"


def _told(report: Document) -> str:
    failed = f", {report['failed_count']:,} failed" if report["failed_count"] else ""
    rest = "" if report["complete"] else ", to be continued"
    return f"{_did(report).removeprefix('; ')}{failed}{rest}"


def _and_more(document: Document) -> str:
    more = document["failed_count"] - len(document["failed"])
    return f"  and {more:,} more" if more else ""


def _when(one: Document, report: Document | None) -> Any:
    if one["running"]:
        return f"right now ({printable(one['holder'] or '')})"
    return dimmed("never") if report is None else report["ended_at"][:16].replace("T", " ")


def _period(minutes: int | None) -> str:
    if minutes is None:
        return "by hand"
    for size, unit in ((7 * 24 * 60, "week"), (24 * 60, "day"), (60, "hour")):
        if minutes % size == 0:
            return unit if minutes == size else f"{minutes // size} {unit}s"
    return f"{minutes} minutes"
