"""Contexts and their tuning as text for people."""

from collections import Counter
from typing import Any

from memory_layer.cli.printing.memory_text import what_helped
from memory_layer.cli.printing.tables import Document, dimmed, memory_count, new_table
from memory_layer.cli.terminal.next_command import runnable
from memory_layer.cli.terminal.refusal_text import printable


def context(document: Document) -> str:
    """Page alone, its lines not wrapped: it is to be copied or piped on whole."""
    return printable(document["rendered"]).rstrip("\n")


def context_notes(document: Document) -> str:
    """Notes on a context: the reason for an empty page, omitted memories, and the command for feedback."""
    from memory_layer.edge.shapes.context_answers import why_empty

    empty = [] if document["rendered"] else [why_empty(document)]
    return "\n".join(map(printable, [*empty, *_warning_lines(document), *_summary(document)]))


_BUDGET_OPTIONS = {"raise tokens_max": "raise --tokens", "raise cost_max": "raise --cost-max"}
"""Ways out of a budget as a request has them, and as a command has them."""


def _warning_lines(document: Document) -> list[str]:
    warnings = [f"{one['code']}: {_with_options(one['detail'])}" for one in document["warnings"]]
    conflicts = [
        f"conflict of {' and '.join(one['ids'])} ({one['strategy']}): {one['reasoning']}"
        for one in document["conflicts"]
    ]
    return [*warnings, *conflicts]


def _with_options(detail: str) -> str:
    for field, option in _BUDGET_OPTIONS.items():
        detail = detail.replace(field, option)
    return detail


def _summary(document: Document) -> list[str]:
    about, left_out = document["metadata"], Counter(one["reason"] for one in document["omitted"])
    omitted = ", ".join(f"{count} {reason}" for reason, count in sorted(left_out.items()))
    helped = [what_helped(document["recall_id"], len(document["fragments"]))]
    length = f"{about['total_tokens']} tokens ({about['tokenizer']}){_cost(about)}"
    return [
        f"{memory_count(len(document['fragments']))}, {length}, "
        f"{about['assembly_time_ms']:.0f} ms; left out: {omitted or 'none'}",
        *(helped if document["fragments"] else ()),
        runnable(f"how good was it: mem feedback {document['request_id']} --completeness 0.9"),
    ]


def feedback(document: Document) -> Any:
    from rich.console import Group

    return Group(_became(document), tuning(document["tuning"]))


def _became(document: Document) -> str:
    from memory_layer.domain.context.feedback_tuning import (
        COHERENCE_MIN,
        COMPLETENESS_MIN,
        CONTRADICTION_RATE_MAX,
    )

    if not document["counted"]:
        return "feedback on this request was given before; it counts once"
    if any(change["request_id"] == document["request_id"] for change in document["tuning"]["history"][-1:]):
        return "noted, and tuned by it"
    if document["tuning"]["learned"]["pages"]:
        return "noted; mem tuning tells what moved, and what the learned priority weighs"
    return (
        f"noted; it moves nothing: that takes --coherence below {COHERENCE_MIN:g}, --completeness below "
        f"{COMPLETENESS_MIN:g} or --contradictions above {CONTRADICTION_RATE_MAX:g}, and room within the bounds, "
        "of which an agent has one step"
    )


def tuning(document: Document) -> Any:
    from rich.console import Group

    weights = new_table("of content", *next(iter(document["weights"].values())), "cooling")
    for name, of_class in document["weights"].items():
        weights.add_row(name, *map("{:g}".format, of_class.values()), f"{document['cooling'][name]:g} ×")
    changes = [dimmed(f"{change['at']} {'; '.join(change['why'])}") for change in document["history"]]
    said = (
        f"conflict_sensitivity {document['conflict_sensitivity']:g}, entity_share {document['entity_share']:g}\n"
        "cooling: times the hours after which the tier_policy lets a class cool (mem settings get)"
    )
    return Group(
        weights,
        runnable(said),
        _learned(document["learned"]),
        *(changes or [dimmed("nothing has tuned it yet")]),
    )


def _learned(learned: Document) -> str:
    """Learned priority in words: what it weighs, and what the replay said."""
    is_on = "on" if learned["on"] else "off"
    if learned["set_aside"]:
        is_on = "off, for the settings say context_weights, which stand (mem settings get)"
    if not learned["pages"]:
        return f"learned priority: {is_on}; it takes pages of which mem feedback --useful says what was used"
    weights = ", ".join(f"{name} {weight:+g}" for name, weight in learned["weights"].items())
    said = f"learned priority: {is_on}; {learned['pages']} judged pages: {weights}"
    if not learned["held_out"]:
        return f"{said}; too few pages to replay"
    return (
        f"{said}\nreplay of the newest {learned['held_out']}: {learned['learned']:g} of the pairs in order, "
        f"{learned['fixed']:g} by the fixed weights; {learned['gained']} pages better, {learned['lost']} worse"
    )


def _cost(about: Document) -> str:
    return "" if about.get("cost") is None else f", ${about['cost']:.6g} of {about['model']}"
