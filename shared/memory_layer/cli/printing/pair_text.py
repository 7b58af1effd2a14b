"""Pairs of memories as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_layer.cli.printing.tables import dimmed, hint, new_table, with_next_cursor, words_cell
from memory_layer.cli.terminal.next_command import runnable

if TYPE_CHECKING:
    from rich.text import Text

Document = Mapping[str, Any]


WAYS = "--winner ID | --merge | --keep-both"
DECIDE = f"decide: mem resolve PAIR {WAYS}"


def pairs(document: Document, *, looked_at: datetime | None, is_here: bool = True) -> Any:
    """Page of pairs.

    Args:
        looked_at: when all memories were last held against each other; None: never.
        is_here: the store is on this machine, where a sweep can be run.
    """
    from rich.console import Group

    found = document.get("conflicts", document.get("duplicates", []))
    if not found and not document["next_cursor"]:
        return f"nothing waits; {_last_search(looked_at)}" if is_here else "nothing waits"
    with_severity = "conflicts" in document
    table = new_table(*(["severity"] if with_severity else []), "similarity", "memories")
    for pair in found:
        severity = [f"{pair['severity']:.2f}"] if with_severity else []
        table.add_row(*severity, f"{pair['similarity']:.2f}", pair_text(pair))
    return Group(with_next_cursor(table, document), hint(DECIDE))


def _last_search(at: datetime | None) -> str:
    when = "nobody has looked yet" if at is None else f"last looked for at {at:%Y-%m-%d %H:%M} UTC"
    return runnable(f"{when}; look now: mem sweep consolidate")


def pair_text(pair: Document) -> Text:
    """Both contents, the reason for the pair, and its id."""
    from rich.text import Text

    lines = [line for memory in pair["memories"] for line in _memory(memory)]
    waiting = f"{pair['reason']}; found {_ago(pair['age_days'])}"
    return Text("\n").join([*lines, dimmed(waiting), dimmed(pair["id"])])


def _ago(days: int) -> str:
    return "today" if days == 0 else "yesterday" if days == 1 else f"{days} days ago"


def _memory(memory: Document) -> list[Text]:
    approved = "approved" if memory["approved"] else "not approved"
    heading = (
        f"  {memory['id']}  confidence {memory['confidence']:g}, {approved}, {memory['updated_at'][:10]}"
    )
    return [words_cell(memory["content"]), dimmed(heading)]


def resolution_text(document: Document) -> str:
    if document["winner"] is None:
        return f"{' and '.join(document['ids'])} both stay"
    (other,) = (id for id in document["ids"] if id != document["winner"])
    sentence = runnable(
        f"{other} is superseded by {document['winner']}; undo brings it back: mem undo {other}"
    )
    if document["resolution"] != "merge":
        return sentence
    winner = document["winner"]
    back = runnable(f"mem history {winner}, then mem restore-version {winner} N")
    return f"{sentence}\n  {winner} may say now what {other} said; if so, before that: {back}"
