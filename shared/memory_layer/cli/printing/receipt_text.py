"""Receipt of a stored memory as text for people: what became of its words, and what is near to it."""

from collections.abc import Iterable

from memory_layer.cli.printing.tables import Document
from memory_layer.cli.terminal.next_command import runnable
from memory_layer.cli.terminal.refusal_text import printable
from memory_layer.domain.dated_words import dates_note
from memory_layer.domain.resolved_time import times_from_json


def receipt_lines(document: Document) -> Iterable[str]:
    """Yields a line for each thing worth knowing, with the command that comes next."""
    from memory_layer.domain.memory import EXPIRED_REASON

    receipt = document["receipt"]
    dated = dates_note(times_from_json(document.get("times", ())))
    if dated is not None:
        yield f"  {printable(dated)}"
    if document["version"] == 1 and document["supersedes"]:
        yield f"  in the place of {document['supersedes']}, which leaves recall"
    if old := receipt.get("proposed_for"):
        yield runnable(
            f"  proposed for {old}, which stays until a reviewer decides: mem approve {document['id']}"
        )
    for part in receipt["redacted"]:
        yield f"  redacted {part['count']} × {part['kind']} in {part['pointer']}"
    for near in receipt.get("similar", ()):
        yield f"  {near['id']} is near to it: {printable(near['differs_in'])}"
        yield f"    it says: {printable(near['content'])}"
        yield runnable(_way_beside(near, document))
    if document["status_reason"]:
        yield f"  {document['status_reason']}"
    if document["status"] == "archived" and document["status_reason"] == EXPIRED_REASON:
        yield runnable(
            f"  no recall shows it; a later time brings it back: mem edit {document['id']} --expires 30d"
        )
    if document["status"] in ("pending", "quarantined"):
        ways = f"mem approve {document['id']}, or mem reject {document['id']} (all: mem review)"
        yield runnable(f"  it is not recalled; a person decides: {ways}")
    if document["active"] and document["embedding_model"] is None:
        yield "  found by its words only: there is no embedding model"


def _way_beside(near: Document, document: Document) -> str:
    """Ways to say that a near memory no longer holds: its author supersedes it, an agent proposes for a trusted one."""
    way = f"    if that no longer holds: mem supersede {near['id']} --by {document['id']}"
    is_proposed = document.get("standing") == "unreviewed" and near.get("standing") == "trusted"
    return way if is_proposed else f"{way}; if another wrote it: mem outcome {near['id']} failed"
