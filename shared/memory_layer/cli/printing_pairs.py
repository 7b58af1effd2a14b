"""Pairs of memories as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memory_layer.cli.printing import dimmed, new_table, shown, with_next

if TYPE_CHECKING:
    from rich.text import Text

Document = Mapping[str, Any]


def pairs(document: Document) -> Any:
    found = document.get("conflicts", document.get("duplicates", []))
    if not found and not document["next_cursor"]:
        return "nothing waits"
    table = new_table("severity", "alike", "memories")
    for pair in found:
        severity = f"{pair['severity']:.2f}" if pair["kind"] == "conflict" else ""
        table.add_row(severity, f"{pair['similarity']:.2f}", pair_text(pair))
    return with_next(table, document)


def pair_text(pair: Document) -> Text:
    """Both contents, why they stand here, and what to type."""
    from rich.text import Text

    lines = [line for memory in pair["memories"] for line in _memory(memory)]
    waiting = f"{pair['reason']}; for {pair['age_days']} days"
    return Text("\n").join([*lines, dimmed(waiting), dimmed(f"mem resolve {pair['id']}")])


def _memory(memory: Document) -> list[Text]:
    approved = "approved" if memory["approved"] else "not approved"
    told = f"  {memory['id']}  confidence {memory['confidence']:g}, {approved}, {memory['updated_at'][:10]}"
    return [shown(memory["content"]), dimmed(told)]


def resolved(document: Document) -> str:
    if document["winner"] is None:
        return f"{' and '.join(document['ids'])} both stay"
    (other,) = (id for id in document["ids"] if id != document["winner"])
    return f"{other} is superseded by {document['winner']}; undo brings it back: mem undo {other}"
