"""Authors whose lines were judged, as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_layer.cli.printing.tables import new_table, printable_cell, with_next_cursor

Document = Mapping[str, Any]


def authors_table(document: Document) -> Any:
    """Page of authors, those who rank lowest first."""
    if not document["authors"]:
        return "nobody's lines were judged"
    table = new_table("id", "author", "wrong", "right", "ranks lower by", "last found", "found wrong")
    for one in document["authors"]:
        cells = (
            *(one["id"], _name(one), _judged(one, "wrong"), _judged(one, "right"), _lowered(one)),
            *(_last_found(one), ", ".join(one["memories"])),
        )
        table.add_row(*map(printable_cell, cells))
    return with_next_cursor(table, document)


def _name(one: Document) -> str:
    return f"{one['author'] or ''}{' (end user)' if one['is_end_user'] else ''}"


def _judged(one: Document, how: str) -> str:
    """Lines that people judged, and those that agents did."""
    people, agents = one[f"{how}_by_people"], one[f"{how}_by_agents"]
    return f"{people}, by agents {agents}" if agents else str(people)


def _lowered(one: Document) -> str:
    return f"{one['lowered_by']:.0%}" if one["lowered_by"] else ""


def _last_found(one: Document) -> str:
    reset = (
        f"reset at {one['reset_at']} by {one.get('reset_by', 'somebody erased')}" if "reset_at" in one else ""
    )
    return "; ".join(each for each in (one["last_found"] or "", reset) if each)
