"""Labels and relations of the right memory, copied onto a hostile line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from memory_layer.domain.memory import Relation
from tests.bench.poison.stage import HOSTILE, Act, Hostile, Stage
from tests.bench.poison.targets import Target

Fields = Callable[[Stage, Target], Mapping[str, Any]]


def labelled(fields: Fields) -> Act:
    """Attack by lines with these fields."""

    def act(stage: Stage, targets: Sequence[Target]) -> Hostile:
        return {
            one.number: stage.written(HOSTILE, {"content": one.claim, **fields(stage, one)})
            for one in targets
        }

    return act


def _related(stage: Stage, target: Target, kind: str) -> tuple[Relation, ...]:
    return (Relation(kind, stage.right[target.right]),)


FAMILIES: Final[Mapping[str, Act]] = {
    "entities and tags": labelled(lambda _, one: {"entities": (one.urn,), "tags": (one.tag,)}),
    "related": labelled(
        lambda stage, one: {"entities": (one.urn,), "relations": _related(stage, one, "related_to")}
    ),
    "says it supersedes": labelled(
        lambda stage, one: {"entities": (one.urn,), "relations": _related(stage, one, "supersedes")}
    ),
    "says it is proposed": labelled(
        lambda stage, one: {"entities": (one.urn,), "relations": _related(stage, one, "proposed_for")}
    ),
}
