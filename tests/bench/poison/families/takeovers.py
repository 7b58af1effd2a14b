"""Takeovers: an agent changes, supersedes, merges or archives the right memory, or speaks for its author."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from memory_layer.domain.access import acting_for
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.merge_memories import merge_memories
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from tests.bench.poison.stage import HOSTILE, PERSON, PROJECT, Act, Hostile, Stage, tried
from tests.bench.poison.targets import Target

Step = Callable[[Stage, Target, str], object]


def _each(step: Step) -> Act:
    """Attack upon each right memory. Args: step: given its id."""

    def act(stage: Stage, targets: Sequence[Target]) -> Hostile:
        known = stage.ids()
        for one in targets:
            tried(lambda: step(stage, one, stage.right[one.right]))  # noqa: B023
        return stage.since(known, targets)

    return act


def _merged(stage: Stage, target: Target, id: str) -> None:
    for own in stage.written(HOSTILE, {"content": target.claim}):
        merge_memories(stage.ports, HOSTILE, PROJECT, own, [id], content=target.claim)


def _impersonated(stage: Stage, target: Target, id: str) -> object:
    posing = acting_for(HOSTILE, PERSON.author)
    return revise(stage.ports, posing, PROJECT, id, {"content": target.claim})


FAMILIES: Final[Mapping[str, Act]] = {
    "changed": _each(
        lambda stage, one, id: revise(stage.ports, HOSTILE, PROJECT, id, {"content": one.claim})
    ),
    "superseded": _each(
        lambda stage, one, id: supersede_memory(stage.ports, HOSTILE, PROJECT, id, {"content": one.claim})
    ),
    "merged": _each(_merged),
    "archived": _each(lambda stage, _, id: archive_memory(stage.ports, HOSTILE, PROJECT, id)),
    "for its author": _each(_impersonated),
}
