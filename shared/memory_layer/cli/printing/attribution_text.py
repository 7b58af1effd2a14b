"""Attribution of a memory's words for people: the day and the version that they tell of, and who said them."""

from memory_layer.cli.printing.tables import Document
from memory_layer.cli.terminal.refusal_text import printable
from memory_layer.domain.attribution import DOUBTED
from memory_layer.domain.release_headings import HEADINGS_JOINED_BY, version_under


def told_in(memory: Document) -> str:
    """Day and version of a line of a dated file; of words said when they were stored the day says nothing."""
    said, version = memory.get("said_at"), version_told(memory)
    day = f"  said {said[:10]}" if said and said[:10] != memory["created_at"][:10] else ""
    return printable(f"{day}  in {version}" if version else day)


def version_told(memory: Document) -> str | None:
    """Version of the heading that a line of a changelog stood under."""
    return version_under((memory.get("context") or "").split(HEADINGS_JOINED_BY))


def said_by(memory: Document) -> str:
    """Speaker of unreviewed words, and that others are doubted; else these need no word about it."""
    if memory.get("standing") != "unreviewed":
        return f"  {DOUBTED}" if memory.get("doubted") else ""
    run = f" in run {memory['source_run_id']}" if memory["source_run_id"] else ""
    return printable(f"  unreviewed, by {memory['created_by']}{run}")
