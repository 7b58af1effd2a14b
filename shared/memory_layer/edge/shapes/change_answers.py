"""Answers about changes, and the text of their stream."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from memory_layer.domain.change_events import ChangeEvent, as_cloud_event
from memory_layer.domain.change_types import ChangeType
from memory_layer.edge.shapes.answers import to_text
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.usecases.world.list_changes import ChangePage, RecentChangePage


class ChangeChoice(BaseModel):
    """Choice among changes. Args: type: none: every one."""

    model_config = REFUSE_UNKNOWN
    type: list[ChangeType] = []


@dataclass(frozen=True, slots=True)
class ChangesAnswer:
    """Page of changes, the first one first; with `before`, the newest first.

    Args:
        events: CloudEvents 1.0 in their JSON format; perhaps none, though the log goes on.
        next_after: what to send as `after` for the next page, or for the next look.
        is_last: nothing more lay in the direction of the reading when it was read.
        next_before: of a page that was asked for with `before`, what to send as `before` for the next page.
    """

    events: Sequence[ChangeEvent]
    next_after: int
    is_last: bool
    next_before: int | None = None


def changes_json(page: ChangePage) -> dict[str, Any]:
    events = [as_cloud_event(event) for event in page.events]
    return {"events": events, "next_after": page.next_after, "is_last": page.is_last}


def recent_changes_json(page: RecentChangePage) -> dict[str, Any]:
    events = [as_cloud_event(event) for event in page.events]
    following = {} if page.next_before is None else {"next_before": page.next_before}
    return {"events": events, "next_after": page.next_after, "is_last": not following, **following}


def stream_text(event: Mapping[str, Any]) -> str:
    """Event of a stream. Args: event: as a page has it."""
    return f"id: {event['id']}\nevent: {event['type']}\ndata: {to_text(event)}\n\n"


def heartbeat_text(position: int) -> str:
    """Sign of life, by which a reader's place moves over what it may not see."""
    return f": still here\nid: {position}\n\n"
