"""Links between entities in a rollback: as the events of all but the excluded principals would have them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import canonical_json, rfc3339
from memory_layer.domain.rollback.exclusions import Exclusion, is_excluded
from memory_layer.domain.time.entity_events import NEEDS_TARGET, EntityEvent, Link, links_in_force

SETTLED_PREFIX: Final = "evt_rbk_"
"""Beginning of the ids of events that a rollback tells; callers' events have others."""

_TICK: Final = timedelta(microseconds=1)


def settling_events(
    events: Sequence[EntityEvent],
    were: Sequence[Exclusion],
    shall: Sequence[Exclusion],
    *,
    rollback: str,
    by: str,
    at: datetime,
) -> list[EntityEvent]:
    """Events that make the links those which all others told; none where they are so already.

    What was told under a persona is settled under it. Told again later, a link that an excluded principal had
    undone may be undone by agents only where an agent told it.

    Args:
        events: all that link or unlink, with those of earlier rollbacks.
        were, shall: exclusions up to now, and from now on.
        rollback: id of the rollback.
        by: who asked for it.
    """
    told: defaultdict[Link, list[EntityEvent]] = defaultdict(list)
    for event in events:
        if event.event in NEEDS_TARGET and event.target is not None:
            told[event.urn, event.target].append(event)
    return [
        event
        for link in sorted(told)
        for persona in _personas_of(told[link], (*were, *shall))
        for event in _settled(told[link], link, persona, shall, rollback, by, at)
    ]


def _personas_of(told: Iterable[EntityEvent], exclusions: Sequence[Exclusion]) -> list[str | None]:
    """Personas under which an excluded principal told of a link, everyone's first."""
    found = {event.persona for event in told if is_excluded(exclusions, event.created_by, event.received_at)}
    return sorted(found, key=lambda persona: persona or "")


def _settled(
    told: Sequence[EntityEvent],
    link: Link,
    persona: str | None,
    shall: Sequence[Exclusion],
    rollback: str,
    by: str,
    at: datetime,
) -> Iterator[EntityEvent]:
    viewer = Viewer.of(persona)
    others = [
        event
        for event in told
        if not event.id.startswith(SETTLED_PREFIX)
        and not is_excluded(shall, event.created_by, event.received_at)
    ]
    is_wanted = bool(links_in_force(others, viewer))
    if is_wanted == bool(links_in_force(told, viewer)):
        return
    occurred_at = max(at, max(event.occurred_at for event in told) + _TICK)
    named = canonical_json([rollback, *link, persona, rfc3339(occurred_at), is_wanted])
    yield EntityEvent(
        id=f"{SETTLED_PREFIX}{sha256(named.encode()).hexdigest()[:32]}",
        tenant=told[0].tenant,
        project=told[0].project,
        urn=link[0],
        event="linked" if is_wanted else "unlinked",
        target=link[1],
        detail={"rollback": rollback},
        occurred_at=occurred_at,
        received_at=at,
        created_by=by,
        applied_at=at,
        is_known=True,
        by_agent=is_wanted and all(event.by_agent for event in others if event.event == "linked"),
        persona=persona,
    )
