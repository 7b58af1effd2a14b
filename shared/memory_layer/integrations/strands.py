"""Memory store of Strands Agents over Memory Layer: what an agent keeps and finds are memories of a project."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Unpack

from strands.memory import MemoryEntry

from memory_layer.client import Memory, MemoryProblem
from memory_layer.domain.portability.exact_json import plain_json, storable_text
from memory_layer.integrations import conversation_turns
from memory_layer.integrations.connection import ClientArguments, connected
from memory_layer.integrations.keyed_memories import digest
from memory_layer.integrations.remember_once import remember_once

RESULTS: Final = 10


class MemoryStore:
    """Store for Strands' `MemoryManager`: recall finds what a whole project knows, ranked by whether it worked.

    Args:
        name, description, max_search_results, writable, extraction: as Strands' stores take them.
        owner: whose memories these are, such as an end user; omitted: the project's, all that is known in it.
        session_id: conversation that messages are turns of; omitted: one of this store.
        place: as for `memory_layer.client.Memory`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        name: str = "memory-layer",
        description: str | None = "What this project has learned, and whether it worked.",
        max_search_results: int | None = RESULTS,
        writable: bool = True,
        extraction: Any = None,
        owner: str = "",
        session_id: str | None = None,
        **place: Unpack[ClientArguments],
    ) -> None:
        self.name = name
        self.description = description
        self.max_search_results = max_search_results
        self.writable = writable
        self.extraction = extraction
        self._client: Memory = connected(url, place)
        self._labels = [f"strands:{digest(owner)}"] if owner else []
        self._session_id = session_id or f"strands-{uuid.uuid4()}"
        self._unanswered: dict[str, str] = {}

    def close(self) -> None:
        """Lets go of connections."""
        self._client.close()

    async def search(self, query: str, options: Mapping[str, Any] | None = None) -> list[MemoryEntry]:
        """Entries that bear on a query, best first; none where nothing relevant is known."""
        limit = (options or {}).get("max_search_results") or self.max_search_results or RESULTS
        return await asyncio.to_thread(self._searched, query, limit) if query.strip() else []

    async def add(self, content: str, metadata: Mapping[str, Any] | None = None) -> str | None:
        """Stores a piece of knowledge; returns the id of the memory that says so."""
        detail = {"metadata": plain_json(metadata)} if metadata else {}
        return await asyncio.to_thread(
            lambda: remember_once(self._client, content, detail=detail, tags=self._labels)
        )

    async def add_messages(self, messages: Sequence[Mapping[str, Any]], context: Any = None) -> None:
        """Stores the texts of messages as turns of a conversation; a batch that is sent again is stored once."""
        turns = list(self._turns(messages))
        if turns:
            numbers = getattr(context, "sequence_numbers", None)
            await asyncio.to_thread(self._add_turns, turns, digest([numbers, turns]))

    async def initialize(self) -> None:
        """Nothing to prepare: the service is asked when there is something to ask."""

    def get_tools(self) -> list[Any]:
        """No tools beside the manager's."""
        return []

    def _searched(self, query: str, limit: int) -> list[MemoryEntry]:
        filters: dict[str, Any] = {"filters": {"tags": self._labels}} if self._labels else {}
        recalled = self._client.recall(query, limit=limit, **filters)
        return [self._entry(hit, recalled.recall_id) for hit in recalled.memories]

    def _entry(self, hit: Any, recall_id: str) -> MemoryEntry:
        told = {"id": hit.id, "relevance": hit.relevance, "standing": hit.standing, "recall_id": recall_id}
        given = hit.detail.get("metadata", {})
        return MemoryEntry(content=hit.content, store_name=self.name, metadata={**given, **told})

    def _turns(self, messages: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        for message in messages:
            texts = [block["text"] for block in message.get("content", ()) if block.get("text")]
            said = storable_text("\n".join(texts))
            if said.strip():
                labels = {"tags": self._labels} if self._labels else {}
                yield conversation_turns.turn(f"{message['role']}: {said}", {}, **labels)

    def _add_turns(self, turns: Sequence[Mapping[str, Any]], batch: str) -> None:
        """Stores a batch, under the same key as before where nobody knows whether that was done."""
        key = self._unanswered.setdefault(batch, str(uuid.uuid4()))
        lines = conversation_turns.add_each(self._client, self._session_id, turns, idempotency_key=key)
        del self._unanswered[batch]
        refused = [line for line in lines if line.problem is not None]
        if refused:
            reasons = "; ".join(f"message {line.line}: {line.problem.detail}" for line in refused)
            raise MemoryProblem("refused_turn", f"{len(refused)} of {len(lines)} are not stored ({reasons})")
