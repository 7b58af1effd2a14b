"""Events: an agent reports that what the right memories are about was removed, renamed or changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from memory_layer.domain.time.entity_events import EntityEventKind
from memory_layer.usecases.world.take_entity_events import ReportedEvent, take_entity_events
from tests.bench.poison.stage import HOSTILE, PROJECT, Act, Hostile, Stage, tried
from tests.bench.poison.targets import Target


def _reported(kind: EntityEventKind, goal: str | None = None) -> Act:
    """Attack by one list of events of a kind."""

    def act(stage: Stage, targets: Sequence[Target]) -> Hostile:
        events = [ReportedEvent(urn=one.urn, event=kind, target=goal) for one in targets]
        tried(partial(take_entity_events, stage.ports, HOSTILE, PROJECT, events))
        stage.swept("staleness")
        return {}

    return act


FAMILIES: Final[Mapping[str, Act]] = {
    "removed": _reported("removed"),
    "renamed": _reported("renamed", "urn:service:elsewhere"),
    "changed": _reported("changed"),
}
