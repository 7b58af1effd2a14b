"""How the things that memories speak of hang together, as events have told it."""

from __future__ import annotations

from collections.abc import Iterable

from memory_layer.domain.time.entity_events import NEEDS_TARGET, EntityEvent

Link = tuple[str, str]
"""A URN, and the one that it links to."""


def links_in_force(events: Iterable[EntityEvent]) -> set[Link]:
    """The links that stand after all that was told, in whatever order it came.

    The last event about a link decides; of two at the same time, the one that was told later. A rename moves no link:
    whoever renames a thing tells of its new links.
    """
    links: set[Link] = set()
    for event in sorted(events, key=lambda event: (event.occurred_at, event.received_at, event.id)):
        if event.event not in NEEDS_TARGET or event.target is None:
            continue
        link = (event.urn, event.target)
        if event.event == "linked":
            links.add(link)
        else:
            links.discard(link)
    return links
