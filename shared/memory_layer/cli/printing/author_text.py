"""Authors whose lines were judged, as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memory_layer.cli.printing.tables import hint, new_table, printable_cell, with_next_cursor

Document = Mapping[str, Any]


def authors_table(document: Document) -> Any:
    """Page of authors, those who rank lowest first."""
    if not document["authors"]:
        return "nobody's lines were judged"
    from rich.console import Group

    table = new_table("id", "author", "wrong", "right", "ranks lower by", "last found")
    for one in document["authors"]:
        judged = _judged(one, "wrong"), _judged(one, "right"), _lowered(one)
        table.add_row(*map(printable_cell, (one["id"], _name(one), *judged, one["last_found"] or "")))
    told = [hint(line) for one in document["authors"] for line in _told(one)]
    return Group(with_next_cursor(table, document), *told)


def _told(one: Document) -> Iterator[str]:
    """Lines below the table: which memories were found wrong, and the reset."""
    if one["memories"]:
        yield f"{one['author'] or one['id']} was found wrong in {', '.join(one['memories'])}"
    if "reset_at" in one:
        by = one.get("reset_by", "somebody erased")
        yield f"the record of {one['author'] or one['id']} was reset at {one['reset_at']} by {by}"


def _name(one: Document) -> str:
    return f"{one['author'] or ''}{' (end user)' if one['is_end_user'] else ''}"


def _judged(one: Document, how: str) -> str:
    """Lines that people judged, and those that agents did."""
    people, agents = one[f"{how}_by_people"], one[f"{how}_by_agents"]
    return f"{people}, by agents {agents}" if agents else str(people)


def _lowered(one: Document) -> str:
    return f"{one['lowered_by']:.0%}" if one["lowered_by"] else ""
