"""Memories, lists and numbers of a project as text for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from memory_layer.cli.printing.attribution_text import said_by, told_in, version_told
from memory_layer.cli.printing.receipt_text import receipt_lines
from memory_layer.cli.printing.tables import (
    SHOWN_CHARS,
    Document,
    dimmed,
    hint,
    new_table,
    printable_cell,
    with_next_cursor,
    words_cell,
)
from memory_layer.cli.terminal.next_command import runnable
from memory_layer.cli.terminal.refusal_text import printable
from memory_layer.domain.dated_words import with_dates
from memory_layer.domain.resolved_time import times_from_json

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


LEVEL_STYLES = {"ok": "green", "warning": "yellow", "error": "bold red"}


def recalled_with_signals(document: Document) -> Any:
    return recalled(document, with_signals=True)


def recalled(document: Document, *, with_signals: bool = False) -> Any:
    from rich.console import Group

    note = [hint(f"note: {document['note']}")] if document.get("note") else []
    note += (
        [dimmed(f"not covered: {', '.join(document['evidence_gaps'])}")] if document["evidence_gaps"] else []
    )
    if not document["memories"]:
        return Group(dimmed(f"nothing relevant is known (evidence {document['evidence']:.2f})"), *note)
    table = new_table("relevance", "kind", "memory")
    for memory in document["memories"]:
        signals = {"score": memory["score"], **memory["signals"]}
        why = [dimmed(f"{_signals(signals)}  placed by {memory['placed_by']}")] if with_signals else []
        table.add_row(f"{memory['relevance']:.2f}", kind_cell(memory), stacked_cell(memory, why))
    evidence = dimmed(f"evidence {document['evidence']:.2f}{_order(document['memories'])}")
    report = f"mem outcome {document['memories'][0]['id']} worked"
    return Group(table, evidence, *note, hint(f"recall {document['recall_id']}; did it help: {report}"))


def _order(memories: Sequence[Document]) -> str:
    """Order of a list that is not that of its relevance column: words are left out where both are one."""
    if any(memory["placed_by"] in ("file", "release") for memory in memories):
        return "; lines of files in the order of their file, or the newest release first (--why says which)"
    shown = [memory["relevance"] for memory in memories]
    is_plain = all(one >= next_one for one, next_one in pairwise(shown))
    return "" if is_plain else "; in the order of score: relevance with standing (--why shows both)"


def _signals(signals: Document) -> str:
    return "  ".join(f"{name} {value:.2f}" for name, value in signals.items())


def page(document: Document) -> Any:
    if not document["memories"]:
        return "no memories"
    return with_next_cursor(_memory_table(document["memories"], _standing), document)


def stale(document: Document) -> Any:
    if not document["stale"]:
        return "nothing is stale"
    return with_next_cursor(_memory_table(document["stale"], _gone_stale), document)


def _memory_table(memories: Iterable[Document], describe: Any) -> Table:
    table = new_table("kind", "memory")
    for memory in memories:
        table.add_row(kind_cell(memory), stacked_cell(memory, [dimmed(describe(memory))]))
    return table


def _standing(memory: Document) -> str:
    tags = f"  tags {', '.join(memory['tags'])}" if memory["tags"] else ""
    state = "" if memory["active"] else f"{memory['status']}  "
    return (
        f"{state}confidence {memory['confidence']:g}  outcome {memory['outcome_score']:+g}"
        f"  used {memory['use_count']}×{tags}"
    )


def _gone_stale(memory: Document) -> str:
    since = f" since {memory['since'][:10]}" if memory["since"] else ""
    return f"stale{since}: {memory['status_reason'] or 'no reason given'}"


def stacked_cell(memory: Document, below: Sequence[Text]) -> Text:
    from rich.text import Text

    content = with_dates(memory["content"], times_from_json(memory.get("times", ())))
    last = dimmed(f"{memory['id']}{told_in(memory)}{said_by(memory)}")
    return Text("\n").join([words_cell(content), *below, last])


def kind_cell(memory: Document) -> str:
    category, type_ = str(memory.get("category", memory["type"])), str(memory["type"])
    return category if category == type_ else f"{category}\n{type_}"


def record(document: Document) -> Any:
    """Table of every field that says something, with the version that the headings of a changelog name."""
    table = new_table("field", "value")
    for name, value in {**document, "of version": version_told(document)}.items():
        if value not in (None, [], {}, ""):
            table.add_row(name, printable_cell(value))
    return table


def history(document: Document) -> Any:
    table = new_table("version", "when", "who", "what")
    for version in document["versions"]:
        memory, reason = version["memory"], version["reason"]
        said = f"{version['verb']}{f' ({reason})' if reason else ''}: {memory['content']}"
        table.add_row(
            f"{memory['id'][-6:]} v{version['version']}",
            version["at"][:19],
            version["by"],
            words_cell(said),
        )
    return table


def stored_text(document: Document) -> str:
    """One line for what happened, and one for each thing worth knowing."""
    kind = f"{document['category']}, {document['type']}"
    until = f", until {document['expires_at'][:10]}" if document["expires_at"] else ""
    until += ", pinned" if document["pinned"] else ""
    return "\n".join(
        [
            f"{document['id']} v{document['version']} is {document['status']} ({kind}){until}",
            *receipt_lines(document),
        ]
    )


def memory_merge_text(document: Document, *, others: Sequence[str]) -> str:
    """Memory that stands after a merge, and the command that takes it back."""
    back = [f"mem restore-version {document['id']} {document['version'] - 1}"]
    back += [f"mem undo {id}" for id in others]
    words = " ".join(document["content"].split())
    says = words if len(words) <= SHOWN_CHARS else f"{words[:SHOWN_CHARS]} ..."
    return "\n".join(
        [
            stored_text(document),
            f"  it says now: {printable(says)}",
            f"  to take it back: {runnable('; '.join(back))}",
        ]
    )


def undo_text(document: Document, successor: Document, *, took_in: bool) -> str:
    """Result of an undo. Args: successor: what stood in its place until now; took_in: as the outcome of a merge."""
    if not successor["active"]:
        return status_text(document)
    rest = (
        "what it took in besides stays in it"
        if took_in
        else runnable(f"if it does not hold: mem forget {successor['id']}")
    )
    return f"{status_text(document)}\n  {successor['id']} stays active as well; {rest}"


def status_text(document: Document) -> str:
    reason = f": {document['status_reason']}" if document["status_reason"] and not document["active"] else ""
    return f"{document['id']} v{document['version']} is {document['status']}{reason}"


def approval_text(document: Document) -> str:
    """Status of what was approved, the memory whose place it has taken, and what is proposed for that place yet."""
    place = f"\n  in the place of {document['supersedes']}" if document["supersedes"] else ""
    count = len((document.get("doubted") or {}).get("proposals", ()))
    others = f"{count} more are" if count > 1 else "1 more is"
    rest = runnable(f"\n  {others} proposed for that place: mem review") if count else ""
    return f"{status_text(document)}{place}{rest}"


def outcome_text(document: Document) -> str:
    return (
        f"{status_text(document)}, outcome {document['outcome_score']:+g}, confidence {document['confidence']:g}"
        f" (worked {document['worked']}, failed {document['failed']}, partial {document['partial']})"
    )


def what_helped(recall_id: str, shown: int) -> str:
    """Command that reports on the memories of a page. Args: shown: how many there are, at least one."""
    numbers = "1 2" if shown > 1 else "1"
    return runnable(f"what helped, by its numbers: mem outcome --recall {recall_id} {numbers} --worked")


def page_outcome_lines(document: Document) -> str:
    return "\n".join(map(_page_outcome_line, document["results"]))


def _page_outcome_line(result: Document) -> str:
    named = f"{result['ref']} {printable(result['id'])}"
    if "problem" in result:
        return f"{named}: {printable(result['problem']['detail'])}"
    return (
        f"{named}: {result['memory_status']}, outcome {result['outcome_score']:+g}, "
        f"confidence {result['confidence']:g}"
    )


_DECIDED: Final = {"approve": "approved", "reject": "rejected", "archive": "archived", "confirm": "confirmed"}


def decision_lines(document: Document, decisions: Sequence[str]) -> str:
    """Lines with the outcome of each item. Args: decisions: on them, in their order."""
    return "\n".join(
        f"{result['id']}: {result['problem']['detail'] if 'problem' in result else _DECIDED[decision]}"
        for result, decision in zip(document["results"], decisions, strict=True)
    )


def findings(document: Document) -> Any:
    from rich.text import Text

    text = Text()
    for finding in document["findings"]:
        text.append(f"{finding['level']:8}", LEVEL_STYLES[finding["level"]]).append(f"{finding['what']}\n")
        if finding["what_to_do"]:
            text.append(f"{'':8}→ {runnable(finding['what_to_do'])}\n")
    text.rstrip()
    return text
