"""Answers about conversations, as openapi.json describes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_layer.domain.memory import Memory
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.edge.shapes.answers import to_text
from memory_layer.ports.records import ConversationPage, RecordPage
from memory_layer.usecases.write.clear_session import ClearedSession


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """Conversation, as its last turn tells it.

    Args:
        session_id: its own id.
        last_position: place of its last turn that the caller sees, from 0.
        last_at: when that turn was said.
    """

    session_id: str
    last_position: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class SessionsAnswer:
    """Page of conversations.

    Args:
        sessions: by id.
        next_cursor: where the next page begins, unless this is the last.
    """

    sessions: Sequence[SessionAnswer]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class TurnsAnswer:
    """Page of the turns of a conversation.

    Args:
        turns: by position, the first or the last ones first.
        next_cursor: where the next page begins, unless this is the last.
        note: names those left out because they cannot be read as they were written.
    """

    turns: Sequence[Memory]
    next_cursor: str | None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class PoppedAnswer:
    """Turn that was taken back. Args: turn: as it is archived now, if there was any."""

    turn: Memory | None


def sessions_json(page: ConversationPage, next_cursor: str | None) -> dict[str, Any]:
    found = [answer_from(SessionAnswer, one) for one in page.sessions]
    return document(SessionsAnswer(found, next_cursor))


def turns_json(page: RecordPage, next_cursor: str | None) -> dict[str, Any]:
    return document(TurnsAnswer(page.memories, next_cursor, page.note))


def popped_json(turn: Memory | None) -> dict[str, Any]:
    return document(PoppedAnswer(turn))


def popped_answer(turn: Memory | None) -> tuple[int, str]:
    return 200, to_text(popped_json(turn))


def cleared_json(cleared: ClearedSession) -> dict[str, Any]:
    return document(cleared)
