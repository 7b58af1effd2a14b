"""Sweep of open entity events, whose memories were not all marked yet, for instance while the index was down."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Final

from memory_layer.domain.doubt import DOUBTED
from memory_layer.domain.memory import Scope
from memory_layer.domain.time.staleness import STALED
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.entity_memories import EVERYONE
from memory_layer.usecases.sweeps.step import Step, StepReport, SweepWalk, over_projects
from memory_layer.usecases.world.apply_entity_events import StalenessScan, apply_entity_events, close_events

EVENTS_TOGETHER: Final = 200

MARKED_TOGETHER: Final = 10_000
"""Memories that go stale in one step; events that have more stay open for the next run."""

SETTLED_AFTER: Final = timedelta(minutes=2)
"""Age from which an event is swept: the request that reported a newer one may still be marking its memories."""

CLOSED: Final = "closed"
"""Count of events that are done with, beside the counts of memories."""


def apply_open_events(ports: Ports, walk: SweepWalk, scope: Scope) -> StepReport:
    """Applies one page of a project's open events. Recall itself judges if the project has fallen silent.

    Raises:
        IndexUnavailable, StoreUnavailable
    """
    after = None if walk.cursor is None else _place(walk.cursor)
    page = ports.store.events.open(scope, after=after, limit=EVENTS_TOGETHER)
    settled = [event for event in page.events if event.received_at <= walk.at - SETTLED_AFTER]
    if not settled:
        return StepReport()
    looking = StalenessScan(
        by=walk.by,
        viewer=EVERYONE,
        room=MARKED_TOGETHER,
        is_over=lambda: walk.is_over(ports.clock.now()),
        is_dry_run=walk.is_dry_run,
    )
    applied = apply_entity_events(ports, scope, settled, looking)
    if not walk.is_dry_run:
        close_events(ports, applied)
    did = Counter({STALED: applied.marked.total(), DOUBTED: applied.doubted, CLOSED: len(applied.closed)})
    has_next = page.next_key is not None and len(settled) == len(page.events)
    done = StepReport(
        None, len(settled), {name: count for name, count in did.items() if count}, tuple(applied.failed)
    )
    return replace(done, next_cursor="#".join(page.next_key)) if has_next and page.next_key else done


def _place(cursor: str) -> tuple[str, str]:
    at, _, id = cursor.partition("#")
    return at, id


sweep_staleness: Step = over_projects(apply_open_events)
