"""Assembly of contexts before they are asked for, into the cache, with what runs it between requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from memory_layer.domain.access import viewer_of
from memory_layer.domain.context.next_request import AskedContext
from memory_layer.ports.prefetch import PrefetchStream
from memory_layer.ports.process import ContextPorts, Ports
from memory_layer.usecases.ground.visibility import Visibility

if TYPE_CHECKING:
    from memory_layer.usecases.context.request import ContextRequest

TIME_MS: Final = 2_000
"""Time budget of an assembly that nobody waits for."""

TURNS_READ: Final = 8
"""Last turns of a session that are read for the newest one that its caller may see."""


@dataclass(frozen=True, slots=True)
class AheadAssembly:
    """The port ports.prefetch.PrefetchWork over the use cases.

    Args:
        contexts: ports of its own: a cache that evicts no context that was asked for, one thread, no metrics.
    """

    ports: Ports
    contexts: ContextPorts

    def newest_turn(self, stream: PrefetchStream, before: datetime | None = None) -> str | None:
        if stream.session_id is None:
            return None
        store, now = self.ports.store, self.ports.clock.now()
        visibility = Visibility(store.projects, viewer_of(stream.principal), now)
        turns = store.sessions.last_turns(stream.scope, stream.session_id, TURNS_READ)
        known = (turn for turn in turns if before is None or turn.created_at <= before)
        return next((turn.content for turn in known if visibility.shows(turn)), None)

    def assemble(
        self, stream: PrefetchStream, asked: AskedContext[Any], give_way: Callable[[], None]
    ) -> bool:
        from memory_layer.usecases.context.assemble import fill_cache

        rest: ContextRequest = asked.rest
        request = replace(rest, intent=asked.intent, time_ms=TIME_MS)
        ports = replace(self.ports, contexts=self.contexts)
        return fill_cache(ports, stream.principal, stream.scope.project, request, give_way)
