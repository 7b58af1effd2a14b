"""Entity events as they were told, by the entity that they are about."""

from dataclasses import replace

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.ports.collections import EventPage
from memory_layer.ports.process import Ports


def list_entity_events(
    ports: Ports, principal: Principal, project: str, urn: str, *, after: tuple[str, str] | None, limit: int
) -> EventPage:
    """Lists the events of an entity, at either end, oldest first, without those told under another persona."""
    page = ports.store.events.of(principal.scope(project), urn, after=after, limit=limit)
    viewer = viewer_of(principal)
    return replace(page, events=tuple(event for event in page.events if viewer.may_see(event.persona)))
