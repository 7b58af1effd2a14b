"""Format of a file, told from its content."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from memory_layer.domain.portability.memory_page import has_pages
from memory_layer.domain.remedies import give
from memory_layer.edge.foreign.csv_table import delimiter_of
from memory_layer.edge.foreign.json_text import is_object_line, parse_documents
from memory_layer.errors import Invalid, Malformed

ForeignFormat = Literal[
    "csv", "markdown", "agent-notes", "mem0", "zep", "agentcore", "mif", "memory-store", "ralph"
]
ImportFormat = Literal[
    "ndjson", "csv", "markdown", "agent-notes", "mem0", "zep", "agentcore", "mif", "memory-store", "ralph"
]

TITLES: Final[Mapping[ImportFormat, str]] = {
    "ndjson": "an export of this system",
    "csv": "a table",
    "markdown": "Markdown",
    "agent-notes": "an agent's notes",
    "mem0": "an export of mem0",
    "zep": "an export of Zep",
    "agentcore": "an export of AgentCore Memory",
    "mif": "a document of MIF",
    "memory-store": "a listing of a memory store",
    "ralph": "a file of Ralph",
}

_OF_TEXT: Final = frozenset(("csv", "markdown", "agent-notes"))
_MARKDOWN_BEGINS: Final = ("# ", "## ", "### ", "- ", "* ", "---\n", "<!--")

FIRST_LINE_MAX_CHARS: Final = 2**20
"""Longest first line that is read to tell an export of ours, a record a line."""


def detected_format(text: str) -> ImportFormat:
    """Format that a text has; one with a line of JSON further on is an export of this system that was cut off.

    Raises:
        Malformed: it begins as JSON, and is none.
        Invalid: it is JSON of none of the systems that are known, or text of no form that is known.
    """
    plain = text.removeprefix("\ufeff").lstrip()
    if plain[:1] in ("{", "["):
        return "ndjson" if begins_as_export(plain) else _known_kind(parse_documents(plain))
    if has_pages(text):
        return "markdown"
    if delimiter_of(plain) is not None and len(plain.splitlines()) > 1:
        return "csv"
    if plain.startswith(_MARKDOWN_BEGINS):
        return "markdown"
    if plain and not any(line.startswith("{") for line in plain.splitlines()):
        raise Invalid.at(
            "/format",
            "the file is text that is neither JSON, nor a table, nor Markdown with a heading or a list: what it is has "
            "to be said",
            give("/format", "markdown"),
        )
    return "ndjson"


def begins_as_export(text: str) -> bool:
    """Tells whether the first line of a text is a record, or a manifest, of an export of ours."""
    first = text[:FIRST_LINE_MAX_CHARS].partition("\n")[0]
    return ('"content_hash"' in first or first.startswith('{"manifest"')) and (
        is_object_line(first) or "\n" not in text[:FIRST_LINE_MAX_CHARS]
    )


def refuse_other_format(format: ImportFormat, text: str) -> None:
    """Refuses a file that is not what it is called: it says what it is, and nothing of it is read.

    Raises:
        Invalid: it is of another system than is said.
        Malformed: it should be JSON, and is none.
    """
    plain = text.removeprefix("\ufeff").lstrip()
    is_json = plain[:1] in ("{", "[")
    if format in _OF_TEXT:
        found = _kind_of_text(plain) if is_json else None
    elif is_json:
        found = "ndjson" if begins_as_export(plain) else _kind(parse_documents(plain))
    else:
        found = detected_format(text) if plain else None
        found = None if found == "ndjson" else found
        if found is None:
            raise Malformed(f"the file is no JSON, which {TITLES[format]} is; take a whole copy of it")
    if found is not None and found != format:
        raise Invalid.at(
            "/format",
            f"the file is {TITLES[found]} and not {TITLES[format]}: read it as {found}, or let its content tell",
        )


def _kind_of_text(plain: str) -> ImportFormat | None:
    """Kind of a text that is to be no JSON; None: it begins like JSON by chance."""
    try:
        return "ndjson" if begins_as_export(plain) else _kind(parse_documents(plain))
    except Malformed:
        return None


def _known_kind(document: Any) -> ImportFormat:
    found = _kind(document)
    if found is None:
        named = f"it has {', '.join(list(document)[:5])}" if isinstance(document, Mapping) else "it is a list"
        raise Invalid.at(
            "/format",
            f"the file is JSON of none of the systems that are known ({named}): make a table with a column content of "
            "it, or lines with a member content for memories:batch",
        )
    return found


def _kind(document: Any) -> ImportFormat | None:
    """Kind of a document of JSON, by the members that only one system gives it."""
    if isinstance(document, list):
        objects = [one for one in document if isinstance(one, Mapping)]
        return next((kind for one in objects[:_LOOKED_AT] if (kind := _kind_of_item(one))), None)
    if not isinstance(document, Mapping):
        return None
    return next((kind for kind, is_so in _DOCUMENTS.items() if is_so(document)), None) or _kind_of_item(
        document
    )


_LOOKED_AT: Final = 20


def _lists(document: Mapping[str, Any], *names: str) -> bool:
    return any(isinstance(document.get(name), list) for name in names)


_DOCUMENTS: Final[Mapping[ImportFormat, Callable[[Mapping[str, Any]], bool]]] = {
    "mif": lambda document: "mif_version" in document,
    "ralph": lambda document: "checksum" in document and _lists(document, "learnings", "staged"),
    "agentcore": lambda document: (
        _lists(document, "memoryRecordSummaries", "memoryRecords")
        or (_lists(document, "events") and _kind(document["events"]) in ("agentcore", None))
    ),
    "zep": lambda document: _lists(document, "facts", "edges", "episodes"),
    "memory-store": lambda document: _lists(document, "data") and _kind(document["data"]) == "memory-store",
    "mem0": lambda document: any(
        _lists(document, name) and (document[name] == [] or _kind(document[name]) == "mem0")
        for name in ("results", "memories")
    ),
}


def _kind_of_item(one: Mapping[str, Any]) -> ImportFormat | None:
    if {"eventId", "payload"} <= one.keys():
        return "agentcore"
    return next((kind for kind, names in _ITEMS.items() if names <= one.keys()), None)


_ITEMS: Final[Mapping[ImportFormat, frozenset[str]]] = {
    "ndjson": frozenset(("content", "content_hash", "created_at")),
    "zep": frozenset(("uuid", "fact")),
    "agentcore": frozenset(("memoryRecordId",)),
    "memory-store": frozenset(("type", "path", "id")),
    "mem0": frozenset(("memory",)),
}
