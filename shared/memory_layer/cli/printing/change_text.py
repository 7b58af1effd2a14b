"""Changes and webhooks as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_layer.cli.printing.tables import hint, new_table, printable_cell
from memory_layer.cli.terminal.refusal_text import printable

Document = Mapping[str, Any]


def changes(document: Document) -> Any:
    """Page of changes."""
    if not document["events"]:
        return "no change" if document["is_last"] else hint(f"more: --after {document['next_after']}")
    from rich.console import Group

    table = new_table("#", "at", "type", "about", "version", "by", "now")
    for event in document["events"]:
        table.add_row(*map(printable_cell, _cells(event)))
    return table if document["is_last"] else Group(table, hint(f"more: --after {document['next_after']}"))


def line(event: Document) -> str:
    """One change as one line."""
    return printable("  ".join(cell for cell in _cells(event) if cell))


def _cells(event: Document) -> tuple[str, ...]:
    data = event["data"]
    now = data.get("now")
    state = f"{now['status']}, {now['standing']}{', doubted' if now['doubted'] else ''}" if now else ""
    version = str(data.get("version", ""))
    at = f"{event['time'].partition('.')[0]}Z"
    return event["id"], at, event["type"], event.get("subject", ""), version, data.get("by", ""), state


def new_webhook(document: Document) -> str:
    return (
        f"{document['id']} is told of changes at {printable(document['url'])} while mem serve runs\n"
        f"secret {document['secret']}\n"
        "keep it now: it is not shown again"
    )


def webhooks(document: Document) -> Any:
    """Webhooks, each with its last error."""
    if not document["webhooks"]:
        return "no webhook"
    table = new_table("id", "url", "types", "told up to", "state")
    for one in document["webhooks"]:
        types = ", ".join(one["types"]) or "all"
        cells = (one["id"], one["url"], types, one["delivered"], _state(one))
        table.add_row(*map(printable_cell, cells))
    return table


def attempt(document: Document) -> str:
    error = document.get("error")
    end = f"not taken: {error}" if error else f"taken with {document['status']}"
    return printable(f"{end}, {document['ms']} ms")


def _state(one: Document) -> str:
    if not one["failures"]:
        return "ready"
    error = one.get("last_error", "")
    if "paused_at" in one:
        return f"paused after {one['failures']} failures: {error}"
    return f"{one['failures']} failures, next at {one['next_at'].partition('.')[0]}Z: {error}"
