"""Conversations, and the context of a turn: its neighbouring turns, which make "Yes, on Friday." findable."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from memory_layer.domain.memory import Memory

NEIGHBOURS = 2
"""Turns on each side; ADR-0004 has recall by window size."""

NEIGHBOUR_MAX_BYTES = 1_900
"""Cap on one neighbour, so that four of them fit into `context`."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Conversation as its last turn tells it. Args: last_position: of that turn; last_at: when it was said."""

    session_id: str
    last_position: int
    last_at: datetime


def conversation_of(turn: Memory) -> Conversation:
    """Conversation whose last turn this is. Args: turn: one with a place in a conversation."""
    if turn.session_id is None or turn.position is None:
        raise ValueError(f"{turn.id} is no turn")
    return Conversation(turn.session_id, turn.position, turn.said_at or turn.created_at)


def neighbour_lines(contents: Mapping[int, str], position: int) -> str | None:
    """Joins the two turns before a position and the two after it, one a line; None where the turn stands alone.

    Args:
        contents: contents of turns by position in the session; only the neighbourhood is looked at.
    """
    around = range(position - NEIGHBOURS, position + NEIGHBOURS + 1)
    lines = [_line(contents[near]) for near in around if near != position and near in contents]
    return "\n".join(lines) or None


def without_contents(context: str | None, contents: Iterable[str]) -> str | None:
    """Removes the lines of these contents from a context; None if nothing is left of it."""
    unsaid = {_line(content) for content in contents}
    return "\n".join(line for line in (context or "").split("\n") if line not in unsaid) or None


def has_other_lines(context: str | None, window: str | None) -> bool:
    """Tells whether a context has lines that the window of the turns around does not account for."""
    return not _lines(context) <= _lines(window)


def is_extended_by(context: str | None, completed: str | None) -> bool:
    """Tells whether a derived context only gains lines in another one; a caller's own context never does."""
    return completed is not None and context != completed and _lines(context) <= _lines(completed)


def _lines(context: str | None) -> set[str]:
    return set(context.split("\n")) if context else set()


def _line(content: str) -> str:
    """Content in one line, cut to `NEIGHBOUR_MAX_BYTES` between characters."""
    return " ".join(content.split()).encode()[:NEIGHBOUR_MAX_BYTES].decode(errors="ignore")
