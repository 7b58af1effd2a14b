"""Session of the OpenAI Agents SDK over Memory Layer: a conversation's items are turns of a project."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final, Literal, Unpack

from memory_layer.client import Memory
from memory_layer.domain.portability.exact_json import (
    TEXT_MAX_BYTES,
    kept_value,
    plain_json,
    shortened,
    storable_text,
    value_of,
)
from memory_layer.integrations import conversation_turns
from memory_layer.integrations.connection import ClientArguments, connected
from memory_layer.integrations.stored_answers import log

ITEM_MAX_BYTES: Final = 15_900
"""Bytes of an item as JSON: a memory's detail holds 16,384, and a few names beside it."""

NOTE_BYTES: Final = 120


class MemorySession:
    """Session whose items are turns: given back as they were added, and recalled by other agents by what they say.

    Args:
        session_id: names the conversation; it has no slash.
        oversized: what becomes of an item of more than 15,900 bytes: refused with all that is added with it, or its
            longest texts shortened, with a note in their place and a warning in the log.
        session_settings: as the SDK's sessions take it; its `limit` holds where `get_items` names none.
        place: as for `memory_layer.client.Memory`.

    Raises:
        ValueError: the name has a slash.
        MemoryProblem: the service refuses, or does not answer.
    """

    def __init__(
        self,
        session_id: str,
        url: str | None = None,
        *,
        oversized: Literal["refuse", "shorten"] = "refuse",
        session_settings: Any = None,
        **place: Unpack[ClientArguments],
    ) -> None:
        if not session_id or "/" in session_id:
            raise ValueError(f"{session_id!r} names no session: give a name without a slash")
        self.session_id = session_id
        self.session_settings = session_settings
        self._client: Memory = connected(url, place)
        self._shortens = oversized == "shorten"

    def close(self) -> None:
        """Lets go of connections."""
        self._client.close()

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Items in order; of many the newest `limit`."""
        most = limit if limit is not None else _setting(self.session_settings)
        if most is not None and most <= 0:
            return []
        turns = await asyncio.to_thread(conversation_turns.newest_turns, self._client, self.session_id, most)
        return [_item_of(one) for one in turns]

    async def add_items(self, items: list[Any]) -> None:
        """Adds items behind the last one: all of them, or none."""
        turns = [self._turn_of(item) for item in items]
        if turns:
            await asyncio.to_thread(conversation_turns.add_all, self._client, self.session_id, turns)

    async def pop_item(self) -> Any | None:
        """The last item, taken away; None: there is none."""
        popped = await asyncio.to_thread(conversation_turns.pop_newest, self._client, self.session_id)
        return None if popped is None else _item_of(popped)

    async def clear_session(self) -> None:
        """Takes all items away; they are archived, not erased."""
        await asyncio.to_thread(conversation_turns.clear, self._client, self.session_id)

    def _turn_of(self, item: Mapping[str, Any]) -> dict[str, Any]:
        plain = plain_json(item)
        if self._shortens:
            plain = _fitting(plain, self.session_id)
        text = shortened(storable_text(spoken(plain)), TEXT_MAX_BYTES)
        return conversation_turns.turn(text, kept_value(plain))


def _setting(settings: Any) -> int | None:
    limit = settings.get("limit") if isinstance(settings, Mapping) else getattr(settings, "limit", None)
    return None if limit is None else int(limit)


def _item_of(turn: Any) -> Any:
    """The item that a turn holds; a turn of another face is a message of the user's."""
    return value_of(turn.detail) if "value" in turn.detail else {"role": "user", "content": turn.content}


def spoken(item: Mapping[str, Any]) -> str:
    """Words of an item: who says what, or the call and the output of a tool."""
    if item.get("type") == "function_call":
        return f"call of {item.get('name')}: {item.get('arguments')}"
    said = "\n".join(_texts(item.get("content", item.get("output"))))
    kind = item.get("role") or item.get("type") or "item"
    return f"{kind}: {said}" if said.strip() else str(kind)


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str)]


def _fitting(item: Any, session_id: str) -> Any:
    """The item with its longest texts shortened until it fits."""
    while (excess := _size(item) - ITEM_MAX_BYTES) > 0:
        longest = max(_leaves(item), key=len, default="")
        kept = max(0, len(longest.encode("utf-8", "replace")) - excess - NOTE_BYTES)
        if len(longest) <= NOTE_BYTES:
            return item
        head = shortened(longest, kept)
        note = f"{head} [… {len(longest) - len(head):,} characters left out: too long for one turn]"
        log.warning("session %s: %s", session_id, note[len(head) + 1 :])
        item = _replaced(item, longest, note)
    return item


def _size(item: Any) -> int:
    return len(json.dumps(item, ensure_ascii=False).encode("utf-8", "replace"))


def _leaves(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for one in inner for text in _leaves(one)]


def _replaced(value: Any, before: str, after: str) -> Any:
    if value == before and isinstance(value, str):
        return after
    if isinstance(value, Mapping):
        return {key: _replaced(one, before, after) for key, one in value.items()}
    return [_replaced(one, before, after) for one in value] if isinstance(value, list) else value
