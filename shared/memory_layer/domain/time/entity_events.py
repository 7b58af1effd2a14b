"""Events of the entities that memories name, and the links between entities (SPEC 6.22)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Any, Final, Literal

from annotated_types import Ge, MaxLen, MinLen

from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import canonical_json, rfc3339
from memory_layer.domain.memory import Scope

Link = tuple[str, str]
"""Link between entities: a URN, and the URN that it links to."""


def links_in_force(events: Iterable[EntityEvent], viewer: Viewer) -> set[Link]:
    """Links in force for a viewer after all events, in whatever order these arrived.

    The last event about a link decides; of two at the same time, the one received later. A rename moves no link: its
    reporter also reports the new links. What was told under another persona is neither shown nor counts, and an agent
    undoes no link that a person or a source told.
    """
    is_firm: dict[Link, bool] = {}
    for event in sorted(events, key=lambda event: (event.occurred_at, event.received_at, event.id)):
        if event.event not in NEEDS_TARGET or event.target is None or not viewer.may_see(event.persona):
            continue
        link = (event.urn, event.target)
        if event.event == "linked":
            is_firm[link] = is_firm.get(link, False) or not event.by_agent
        elif not (event.by_agent and is_firm.get(link)):
            is_firm.pop(link, None)
    return set(is_firm)


EntityEventKind = Literal[
    "deprecated",
    "schema_changed",
    "content_changed",
    "renamed",
    "activity",
    "removed",
    "linked",
    "unlinked",
]

STALING: frozenset[EntityEventKind] = frozenset(
    {"deprecated", "schema_changed", "content_changed", "renamed", "removed"}
)
"""Kinds of events that make memories of the entity doubtful; the others only report activity, or links between
entities."""

Urn = Annotated[str, MinLen(1), MaxLen(256)]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityEvent:
    """Event of an entity of a project.

    Args:
        target: the other end: the new name of `renamed`, what `linked` links to.
        detail: more about it, as a JSON object.
        occurred_at: omitted in a report: now.
        applied_at: time of its last application to the memories that name the entity; None: not yet.
        marked: number of memories that went stale by it.
        is_known: True if a memory, of any status, named the URN when it was applied; None: not applied yet.
        by_agent: True if neither a person, a reviewer nor a source of the settings reported it; None: reported before
            this was recorded.
        persona: of the reporter.
    """

    id: str
    tenant: str
    project: str
    urn: Urn
    event: EntityEventKind
    target: Urn | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    occurred_at: datetime
    received_at: datetime
    created_by: str
    applied_at: datetime | None = None
    marked: Annotated[int, Ge(0)] = 0
    is_known: bool | None = None
    version: int = 1
    by_agent: bool | None = None
    persona: str | None = None

    @property
    def scope(self) -> Scope:
        return Scope(self.tenant, self.project)

    @property
    def is_edit(self) -> bool:
        """Tells of a commit that changed a file's words, and left the file: most of what was said of it still holds."""
        commit = self.detail.get(COMMIT)
        return self.event == "content_changed" and isinstance(commit, str) and bool(commit.strip())

    @property
    def urns(self) -> tuple[str, ...]:
        """URNs of both ends of the event, or of the only one."""
        return (self.urn,) if self.target in (None, self.urn) else (self.urn, str(self.target))


COMMIT: Final = "commit"
"""Name, in an event's detail, of the commit that it tells of; and of who doubts what was said of an edited file."""

NEEDS_TARGET: frozenset[EntityEventKind] = frozenset({"linked", "unlinked"})

EVENT_ID_PREFIX = "evt_"


def event_id(
    urn: str, event: str, target: str | None, detail: Mapping[str, Any], occurred_at: datetime
) -> str:
    """Id of an event, the same for the same contents, so that an event reported twice is stored once."""
    contents = canonical_json([urn, event, target, dict(detail), rfc3339(occurred_at)])
    return f"{EVENT_ID_PREFIX}{sha256(contents.encode()).hexdigest()[:32]}"


def speaks_less(known: EntityEvent, event: EntityEvent) -> bool:
    """Tells whether a stored event does less than one of the same id: an agent's beside a person's or a source's, and
    one that was told under another persona. Whoever tells first would otherwise keep others from telling it."""
    is_weaker = bool(known.by_agent) and not event.by_agent
    return is_weaker or known.persona not in (None, event.persona)


def told_apart(event: EntityEvent) -> EntityEvent:
    """Event under an id of its teller's own, the same each time it is told again."""
    named = canonical_json([event.id, bool(event.by_agent), event.persona])
    return replace(event, id=f"{EVENT_ID_PREFIX}{sha256(named.encode()).hexdigest()[:32]}")
