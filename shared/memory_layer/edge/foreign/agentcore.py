"""Exports of Amazon Bedrock AgentCore Memory: answers of ListMemoryRecords, and of ListEvents.

Source: Amazon Bedrock AgentCore Data Plane API reference, MemoryRecordSummary, Event, PayloadType.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from memory_layer.edge.foreign.exported_item import ExportedItem, items_of, kind_named, labels, text_of
from memory_layer.usecases.transfer.foreign_file import LeftOut

RECORDS: Final = ("memoryRecordSummaries", "memoryRecords")
EVENTS: Final = "events"

_ACTOR: Final = re.compile(r"(?:^|/)(?:actors?|users?)/([^/]+)")
_BLOB: Final = "a blob, which has no words of its own"


def read_agentcore(document: Any) -> tuple[list[ExportedItem], list[LeftOut]]:
    """Memory records as memories, and the words of events as turns of their sessions."""
    listed = document if isinstance(document, list) else []
    whole = document if isinstance(document, Mapping) else {}
    events, others = items_of(whole.get(EVENTS) or _with(listed, "eventId"), "/events" if whole else "")
    items, left_out = list[ExportedItem](), list(others)
    for name in RECORDS if whole else ("",):
        records, others = items_of(
            whole.get(name) if name else _with(listed, "memoryRecordId"), f"/{name}" * bool(name)
        )
        items += [_record(*one) for one in records]
        left_out += others
    for where, event in events:
        for part in _turns(where, event):
            items.append(part) if isinstance(part, ExportedItem) else left_out.append(part)
    return items, left_out


def _with(listed: list[Any], name: str) -> list[Any]:
    return [one for one in listed if isinstance(one, Mapping) and name in one]


def _record(where: str, one: Mapping[str, Any]) -> ExportedItem:
    content = one.get("content")
    text = content.get("text") if isinstance(content, Mapping) else content
    preference = _preference(text)
    namespaces = labels(one.get("namespaces"))
    actors = [found[1] for name in namespaces if (found := _ACTOR.search(name))]
    return ExportedItem(
        where=where,
        content=preference.pop("content", text),
        id=one.get("memoryRecordId"),
        user=actors[0] if actors else None,
        said_at=one.get("createdAt"),
        fields=preference,
        beside={
            "created_at": one.get("createdAt"),
            "strategy": one.get("memoryStrategyId"),
            "namespaces": namespaces,
            "metadata": one.get("metadata"),
        },
    )


def _preference(text: Any) -> dict[str, Any]:
    """Fields of a record of the strategy for preferences, whose text is JSON itself; none of any other."""
    if not isinstance(text, str) or not text.startswith("{"):
        return {}
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    words = text_of(said.get("preference"))
    if words is None:
        return {}
    return {
        "content": words,
        "context": text_of(said.get("context")),
        "tags": labels(said.get("categories")) or None,
        **kind_named("preference"),
    }


def _turns(where: str, event: Mapping[str, Any]) -> Iterator[ExportedItem | LeftOut]:
    payload = event.get("payload")
    for at, part in enumerate(payload if isinstance(payload, list) else []):
        place = f"{where}/payload/{at}"
        said = part.get("conversational") if isinstance(part, Mapping) else None
        if not isinstance(said, Mapping):
            yield LeftOut(place, _BLOB)
            continue
        content = said.get("content")
        yield ExportedItem(
            where=place,
            content=content.get("text") if isinstance(content, Mapping) else content,
            id=event.get("eventId"),
            user=text_of(event.get("actorId")),
            source="run",
            said_at=event.get("eventTimestamp"),
            fields={"session_id": text_of(event.get("sessionId"))},
            beside={
                "created_at": event.get("eventTimestamp"),
                "role": said.get("role"),
                "branch": event.get("branch"),
                "metadata": event.get("metadata"),
            },
        )
