"""Audit log as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_layer.cli.printing.tables import new_table, printable_cell, with_next_cursor

Document = Mapping[str, Any]


def entries(document: Document) -> Any:
    """Page of the log, the last entry first."""
    if not document["entries"]:
        return "no entry"
    table = new_table("#", "at", "who", "what", "about", "version")
    for entry in document["entries"]:
        cells = (
            entry["position"],
            entry["at"],
            _who(entry),
            _what(entry),
            entry["about"] or "",
            _versions(entry),
        )
        table.add_row(*map(printable_cell, cells))
    return with_next_cursor(table, document)


def verification_text(document: Document) -> str:
    broken = document.get("broken")
    if broken:
        return (
            f"entry {broken['position']} is not what was written\n"
            f"  expected {broken['expected']}\n  found    {broken['found']}"
        )
    return f"{document['entries']} entries hold, {document['erased']} of them erased\nhead {document['head']}"


def _who(entry: Document) -> str:
    user = entry.get("user")
    return f"{entry.get('principal', '')} for {user}" if user else str(entry.get("principal", ""))


def _what(entry: Document) -> str:
    if entry["is_erased"]:
        return "(erased)"
    detail = entry.get("detail")
    return f"{entry['what']}: {detail}" if detail else str(entry["what"])


def _versions(entry: Document) -> str:
    after = entry.get("after")
    return "" if after is None else f"{entry.get('before', '')} → {after}"
