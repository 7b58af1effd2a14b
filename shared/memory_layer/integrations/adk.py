"""Memory service of Google's ADK over Memory Layer: what users and agents said is recalled for each user."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Unpack

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from memory_layer.client import Memory, MemoryProblem
from memory_layer.domain.portability.exact_json import plain_json, storable_text
from memory_layer.integrations import conversation_turns
from memory_layer.integrations.connection import ClientArguments, connected
from memory_layer.integrations.keyed_memories import deleted, digest, found
from memory_layer.integrations.remember_once import remember_once

RESULTS: Final = 10
TOGETHER: Final = 100


class MemoryService(BaseMemoryService):
    """Service whose memories are those of one app and user; nobody else's are found, or deleted.

    An event is stored once, however often its session is added, and stays away once it was deleted.

    Args:
        limit: memories of one search.
        place: as for `memory_layer.client.Memory`.
    """

    def __init__(
        self, url: str | None = None, *, limit: int = RESULTS, **place: Unpack[ClientArguments]
    ) -> None:
        self._client: Memory = connected(url, place)
        self._limit = limit

    def close(self) -> None:
        """Lets go of connections."""
        self._client.close()

    async def add_session_to_memory(self, session: Any) -> None:
        """Stores what was said in a session; events without words are left out."""
        owner = (session.app_name, session.user_id)
        await asyncio.to_thread(self._add_events, owner, session.id, list(session.events), {})

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Any],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Stores some events of a session."""
        metadata = plain_json(custom_metadata or {})
        await asyncio.to_thread(
            self._add_events, (app_name, user_id), session_id or "", list(events), metadata
        )

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Stores pieces of knowledge; what is known already is not stored again."""
        metadata = plain_json(custom_metadata or {})
        for entry in memories:
            await asyncio.to_thread(self._add_entry, (app_name, user_id), entry, metadata)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Memories of a user that bear on a query, best first; none where nothing relevant is known."""
        if not query.strip():
            return SearchMemoryResponse()
        return await asyncio.to_thread(self._searched, (app_name, user_id), query)

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Deletes a memory of a user. Raises: MemoryProblem: it is none of theirs."""
        if memory_id:
            await asyncio.to_thread(self._delete, (app_name, user_id), memory_id)

    def _searched(self, owner: tuple[str, str], query: str) -> SearchMemoryResponse:
        recalled = self._client.recall(query, filters={"tags": [_label(owner)]}, limit=self._limit)
        own = [hit for hit in recalled.memories if _is_own(hit, owner)]
        return SearchMemoryResponse(memories=[_entry_of(hit) for hit in own])

    def _add_events(
        self, owner: tuple[str, str], session_id: str, events: Sequence[Any], metadata: Mapping[str, Any]
    ) -> None:
        place = [*owner, session_id]
        turns = list(_turns(events, place, metadata))
        refused: list[Any] = []
        for first in range(0, len(turns), TOGETHER):
            some = turns[first : first + TOGETHER]
            lines = conversation_turns.add_each(self._client, f"adk-{digest(place)}", some)
            refused += [line for line in lines if line.problem is not None and line.status != 409]
        if refused:
            reasons = "; ".join(line.problem.detail for line in refused)
            raise MemoryProblem("refused_turn", f"{len(refused)} of {len(turns)} events: {reasons}")

    def _add_entry(self, owner: tuple[str, str], entry: MemoryEntry, metadata: Mapping[str, Any]) -> None:
        detail = _detail(owner, entry.content, entry.author, {**entry.custom_metadata, **metadata})
        text = storable_text(_text(entry.content))
        remember_once(self._client, text, detail=detail, tags=[_label(owner)], **_said_at(entry))

    def _delete(self, owner: tuple[str, str], id: str) -> None:
        record = found(self._client, id)
        if record is None or not _is_own(record, owner):
            raise MemoryProblem(
                "not_found", f"{id} is no memory of {owner[1]} in {owner[0]}; search names them"
            )
        deleted(self._client, id)


def _label(owner: tuple[str, str]) -> str:
    return f"adk:{digest(list(owner))}"


def _is_own(record: Any, owner: tuple[str, str]) -> bool:
    """Tells whether a record is what this service stored for a user: any writer of the project may set a tag.

    Records of earlier versions do not say whose they are beside their tag.
    """
    told, metadata = record.detail.get("adk"), record.detail.get("metadata", {})
    if _label(owner) not in record.tags or not isinstance(told, Mapping) or not isinstance(metadata, Mapping):
        return False
    is_worded = all(isinstance(told.get(name), str | None) for name in ("role", "author"))
    return is_worded and told.get("owner", _label(owner)) == _label(owner)


def _turns(events: Sequence[Any], place: list[str], metadata: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Turns of the events that have words; the id is the event's own, so that it is stored once."""
    owner = (place[0], place[1])
    for event in events:
        text = storable_text(_text(event.content)) if event.content else ""
        if text.strip():
            yield conversation_turns.turn(
                f"{event.author}: {text}",
                _detail(owner, event.content, event.author, metadata),
                id=f"adk_{digest([*place, event.id])}",
                tags=[_label(owner)],
                said_at=datetime.fromtimestamp(event.timestamp, UTC).isoformat(),
            )


def _text(content: Any) -> str:
    return "\n".join(part.text for part in content.parts or () if part.text)


def _detail(
    owner: tuple[str, str], content: Any, author: str | None, metadata: Mapping[str, Any]
) -> dict[str, Any]:
    """Role and author as ADK has them, and whose it is; pictures and calls of tools are no memories."""
    told = {"role": content.role, "author": author, "owner": _label(owner)}
    return {"adk": told, **({"metadata": dict(metadata)} if metadata else {})}


def _said_at(entry: MemoryEntry) -> dict[str, str]:
    """Time of an entry, where it has one that can be read; ADK writes local times without a zone."""
    try:
        return {"said_at": datetime.fromisoformat(entry.timestamp or "").astimezone(UTC).isoformat()}
    except ValueError:
        return {}


def _entry_of(hit: Any) -> MemoryEntry:
    role, author = hit.detail["adk"].get("role"), hit.detail["adk"].get("author")
    said_at = hit.said_at or hit.created_at
    text = hit.content if hit.session_id is None else hit.content.removeprefix(f"{author}: ")
    return MemoryEntry(
        content=types.Content(role=role, parts=[types.Part(text=text)]),
        id=hit.id,
        author=author,
        timestamp=said_at.isoformat(),
        custom_metadata={**hit.detail.get("metadata", {}), "relevance": hit.relevance},
    )
