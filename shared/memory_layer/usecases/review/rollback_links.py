"""Links between entities in a rollback: events that make them as all others told them."""

from collections.abc import Sequence

from memory_layer.domain.memory import Scope
from memory_layer.domain.rollback.exclusions import Exclusion
from memory_layer.domain.rollback.link_replay import settling_events
from memory_layer.ports.process import Ports


def settle_links(
    ports: Ports,
    scope: Scope,
    were: Sequence[Exclusion],
    shall: Sequence[Exclusion],
    rollback: str,
    by: str,
    *,
    is_dry_run: bool,
) -> int:
    """Tells what makes the links those of all others; returns how many are made or undone.

    Done again it finds nothing more to do.
    """
    settling = settling_events(
        ports.store.events.links_told(scope), were, shall, rollback=rollback, by=by, at=ports.clock.now()
    )
    if settling and not is_dry_run:
        ports.store.events.add(settling)
    return len(settling)
