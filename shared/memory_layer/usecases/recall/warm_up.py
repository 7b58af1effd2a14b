"""Warm-up: memories recalled often go back into their rows, off the request path."""

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.domain.policy import Policy
from memory_layer.domain.tiers.moves import MOVED, TierMove, move_to_hot
from memory_layer.errors import Unavailable, VersionConflict
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.event_kinds import MEMORIES_WARMED
from memory_layer.ports.process import Ports

WARMED_BY: Final = "memory-layer"

_JUST_NOW: Final = 1
"""Uses not counted yet: the recall itself."""

_log = logging.getLogger(__name__)


def announce_warmed(ports: Ports, shown: Iterable[Memory], policy_of: Callable[[Scope], Policy]) -> None:
    """Publishes the shown memories that go up a tier; without the bus they wait for the next recall or the sweep."""
    ids: dict[Scope, list[str]] = defaultdict(list)
    for memory in shown:
        if memory.tier == "warm" and _upward(memory, policy_of(memory.scope)) is not None:
            ids[memory.scope].append(memory.id)
    for scope, warm in ids.items():
        detail = {"tenant": scope.tenant, "project": scope.project, "ids": warm}
        try:
            ports.bus.publish(MEMORIES_WARMED, detail)
        except Unavailable as error:
            _log.warning("%d memories of %s stay warm: %s", len(warm), scope.project, error.detail)


def warm_up(ports: Ports, scope: Scope, ids: Collection[str]) -> int:
    """Moves warm memories back into their rows; returns the number moved. A second time changes nothing.

    Raises:
        Unavailable: the store does not answer; some may have gone.
    """
    policy = ports.store.projects.policy(scope)
    refs = [Ref(scope.project, id) for id in ids]
    lying = ports.store.memories.get_many(scope.tenant, refs, with_bodies=False).values()
    rising = [memory for memory in lying if _upward(memory, policy) is not None]
    moves = [
        move for move in (_upward(memory, policy) for memory in ports.store.memories.whole(rising)) if move
    ]
    errors = ports.store.writer.commit_each([_commit(ports, move) for move in moves])
    for error in errors:
        if error is not None and not isinstance(error, VersionConflict):
            raise error
    return errors.count(None)


def on_memories_warmed(ports: Ports, detail: Mapping[str, Any]) -> None:
    """Brings back the memories that an event of `MEMORIES_WARMED` names."""
    warm_up(ports, Scope(detail["tenant"], detail["project"]), detail["ids"])


def _upward(memory: Memory, policy: Policy) -> TierMove | None:
    return move_to_hot(memory, policy.tier_policy, uncounted=_JUST_NOW)


def _commit(ports: Ports, move: TierMove) -> Commit:
    change = Change(move.after, move.before.version, MOVED, WARMED_BY, ports.clock.now(), move.reason)
    return Commit(scope=move.before.scope, changes=(change,))
