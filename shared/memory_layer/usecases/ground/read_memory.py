"""Read of a memory that thaws a cold one: it is back in its row and in recall from then on."""

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory, as_of_now
from memory_layer.domain.time.entity_events import EntityEvent
from memory_layer.domain.time.staleness import VOUCHING, newest_by_reporter, newest_event_about, staled_by
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import made_hot, retry_on_conflict
from memory_layer.usecases.ground.queries import as_stored, get_memory

RESTORED: Final = "restored"
THAWED: Final = "hot: it was cold, and somebody read it"

EVENTS_TOGETHER: Final = 200

_log = logging.getLogger(__name__)


def read_memory(ports: Ports, principal: Principal, project: str, id: str) -> Memory:
    """Reads one record, as it stands now, and thaws a cold one; a frozen one stays so, kept for audits.

    Raises:
        NotFound, BodyFrozen, StoreUnavailable: as `get_memory`.
    """
    memory = get_memory(ports, principal, project, id)
    if memory.tier != "cold":
        return memory
    try:
        return retry_on_conflict(lambda: _thawed(ports, principal, get_memory(ports, principal, project, id)))
    except MemoryLayerError as error:  # what can be read is shown, whether or not it can be written now
        _log.warning("%s stays cold: %s", id, error.detail)
        return memory


def _thawed(ports: Ports, principal: Principal, memory: Memory) -> Memory:
    """Writes a cold memory back as hot. Raises: VersionConflict: somebody else was faster."""
    if memory.tier != "cold":
        return memory
    now = ports.clock.now()
    before = as_stored(ports, memory)
    after = replace(_caught_up(ports, made_hot(before)), version=before.version + 1)
    change = Change(after, before.version, RESTORED, principal.name, now, THAWED)
    ports.store.writer.commit(Commit(scope=memory.scope, changes=(change,)))
    return as_of_now(after, now)


def _caught_up(ports: Ports, memory: Memory) -> Memory:
    """Memory marked by the events that it missed: they look for memories in the index, where no cold one is."""
    if not memory.is_active or not memory.entities:
        return memory
    event = newest_event_about(memory, newest_by_reporter(_events(ports, memory)))
    if event is None:
        return memory
    since = ports.store.history.in_status_since(memory.scope, [memory.id], "active").get(memory.id)
    confirmed_at = since.at if since is not None and since.verb in VOUCHING else None
    return staled_by(memory, event, confirmed_at=confirmed_at).memory


def _events(ports: Ports, memory: Memory) -> Iterator[EntityEvent]:
    for urn in memory.entities:
        after: tuple[str, str] | None = None
        while True:
            page = ports.store.events.of(memory.scope, urn, after=after, limit=EVENTS_TOGETHER)
            yield from page.events
            if page.next_key is None:
                break
            after = page.next_key


RECALLS_COUNTED: Final = 1_000
"""Newest recalls of a project among which a memory's are counted, by a scan: nobody waits for an index of them."""


def times_shown(ports: Ports, memory: Memory) -> int:
    """Number of the last 1,000 recalls, prompts and contexts of its project that showed a memory."""
    return ports.store.receipts.times_shown(memory.scope, memory.ref, RECALLS_COUNTED)
