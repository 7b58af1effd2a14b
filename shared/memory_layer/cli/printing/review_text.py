"""Text of what waits for a person, with what stands near to it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memory_layer.cli.printing.memory_text import kind_cell, stacked_cell
from memory_layer.cli.printing.pair_text import DECIDE, pair_text
from memory_layer.cli.printing.tables import Document, dimmed, hint, new_table, with_next_cursor
from memory_layer.cli.terminal.refusal_text import printable

if TYPE_CHECKING:
    from rich.text import Text

NEAR_CHARS = 160
"""Characters of what stands near: who decides sees what it is, and reads it whole by its id."""

SAYS = {"same": "says the same", "otherwise": "says otherwise", "related": "is near"}


def reviews(document: Document) -> Any:
    """Page of what waits, each item with what is in force and near to it, in `near`."""
    if not document["reviews"]:
        return "nothing waits"
    table = new_table("kind", "memory")
    for item in document["reviews"]:
        table.add_row(*_review(item))
    return _with_ways(with_next_cursor(table, document), document)


def _with_ways(shown: Any, document: Document) -> Any:
    """Page with the commands that decide on pairs, and on what one principal has waiting, or alone doubts."""
    from rich.console import Group

    ways = [DECIDE] if any("memories" in item for item in document["reviews"]) else []
    ways += [_group(one) for one in document["groups"] if one["count"] > 1]
    return Group(shown, *map(hint, ways)) if ways else shown


def _group(group: Document) -> str:
    """Sum of a group, and the command that shows all that its principal has waiting, or alone doubts."""
    is_doubt = group["kind"] == "doubted"
    runs = f" in {', '.join(group['runs'])}" if group["runs"] else ""
    said = (
        f"doubted by {group['principal']} alone{runs}"
        if is_doubt
        else f"{group['kind']} of {group['principal']}"
    )
    way = f"mem review --by {shlex.quote(group['principal'])}{' --doubts' if is_doubt else ''}"
    return f"{group['count']:,} {said}: {way}"


def _review(item: Document) -> tuple[str, Text]:
    if "memories" in item:
        return str(item["kind"]), pair_text(item)
    return kind_cell(item), stacked_cell(
        item, [dimmed(_waiting(item)), *(_near(one, item) for one in item["near"])]
    )


def _near(memory: Document, item: Document) -> Text:
    words = " ".join(memory["content"].split())
    shown = words if len(words) <= NEAR_CHARS else f"{words[:NEAR_CHARS]} ..."
    why = f", {memory['difference']}" if memory.get("difference") else ""
    return dimmed(printable(f"{memory['id']} {_tie(memory, item)}{why}: {shown}"))


def _tie(memory: Document, item: Document) -> str:
    """Tells how a memory stands to an item: proposed for its place, waiting for it, or near by its words."""
    if memory["id"] in _proposals(item):
        return "is proposed instead"
    id, _, _ = item["id"].partition("@")  # its version stands behind it
    return "stays until this is approved" if id in _proposals(memory) else SAYS[memory["verdict"]]


def _proposals(memory: Document) -> Sequence[str]:
    proposals: Sequence[str] = (memory.get("doubted") or {}).get("proposals") or ()
    return proposals


def _waiting(memory: Document) -> str:
    reason = f": {_review_reason(memory)}" if _review_reason(memory) else ""
    return f"{memory['kind']} for {memory['age_days']} days{reason}"


def _review_reason(memory: Document) -> str:
    if memory["kind"] == "doubted":
        return "; ".join(memory["doubted"]["reasons"])
    return memory.get("status_reason") or ""
