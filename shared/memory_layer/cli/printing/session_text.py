"""Conversations as text for people."""

from __future__ import annotations

from typing import Any

from memory_layer.cli.printing.tables import (
    Document,
    dimmed,
    new_table,
    printable_cell,
    with_next_cursor,
    words_cell,
)
from memory_layer.cli.terminal.refusal_text import printable


def sessions(document: Document) -> Any:
    if not document["sessions"]:
        return "no conversations"
    table = new_table("conversation", "last turn", "at")
    for one in document["sessions"]:
        table.add_row(printable_cell(one["session_id"]), str(one["last_position"]), one["last_at"][:16])
    return with_next_cursor(table, document)


def turns(document: Document) -> Any:
    if not document["turns"]:
        return "no turns"
    table = new_table("#", "turn")
    for turn in document["turns"]:
        table.add_row(str(turn["position"]), words_cell(turn["content"]))
    return with_next_cursor(table, document)


def popped(document: Document) -> Any:
    turn = document["turn"]
    if turn is None:
        return dimmed("there is no turn to take back")
    return f"{turn['id']} (turn {turn['position']}) is archived: {printable(turn['content'])}"


def cleared(document: Document) -> str:
    kept = f", {document['kept']} that are not yours stay" if document["kept"] else ""
    more = "" if document["complete"] else "; there are more: say it again"
    return f"{document['cleared']} turns are gone{kept}{more}"
