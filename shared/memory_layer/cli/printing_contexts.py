"""Contexts, and what tunes them, as people read them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from memory_layer.cli.call import printable
from memory_layer.cli.printing import Document, counted, dimmed, new_table


def context(document: Document) -> str:
    """The page alone, its lines not wrapped: it is to be copied or piped on whole."""
    return printable(document["rendered"]).rstrip("\n")


def beside_context(document: Document) -> str:
    """What became of the request: why a page is empty, what was left out, and how to say how good it was."""
    from memory_layer.edge.context_answers import why_empty

    empty = [] if document["rendered"] else [why_empty(document)]
    return "\n".join(map(printable, [*empty, *_told(document), *_summary(document)]))


def _told(document: Document) -> list[str]:
    warnings = [f"{warned['code']}: {warned['detail']}" for warned in document["warnings"]]
    conflicts = [
        f"conflict of {' and '.join(one['ids'])} ({one['strategy']}): {one['reasoning']}"
        for one in document["conflicts"]
    ]
    return [*warnings, *conflicts]


def _summary(document: Document) -> list[str]:
    about, left_out = document["metadata"], Counter(one["reason"] for one in document["omitted"])
    omitted = ", ".join(f"{count} {reason}" for reason, count in sorted(left_out.items()))
    helped = [f"what helped: mem outcome ID worked --recall {document['recall_id']}"]
    return [
        f"{counted(len(document['fragments']))}, {about['total_tokens']} tokens ({about['tokenizer']}), "
        f"{about['assembly_time_ms']:.0f} ms; left out: {omitted or 'none'}",
        *(helped if document["fragments"] else ()),
        f"how good was it: mem feedback {document['request_id']} --completeness 0.9",
    ]


def feedback(document: Document) -> Any:
    from rich.console import Group

    told = "noted" if document["counted"] else "feedback on this request was given before; it counts once"
    return Group(told, tuning(document["tuning"]))


def tuning(document: Document) -> Any:
    from rich.console import Group

    weights = new_table("of content", *next(iter(document["weights"].values())), "cools after")
    for name, of_class in document["weights"].items():
        factor = document["cooling"][name]
        cooling = "its hours" if factor == 1 else f"{factor:g} × its hours"
        weights.add_row(name, *(f"{value:g}" for value in of_class.values()), cooling)
    changes = [dimmed(f"{change['at']} {'; '.join(change['why'])}") for change in document["history"]]
    said = f"conflict_sensitivity {document['conflict_sensitivity']:g}, entity_share {document['entity_share']:g}"
    return Group(weights, said, *(changes or [dimmed("nothing has tuned it yet")]))
