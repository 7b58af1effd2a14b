"""Words told around a lie: the question in the context, summary, tags or facts that its author gives a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tests.bench.poison.families.lines import shuffled
from tests.bench.poison.stage import HOSTILE, Act, Hostile, Stage
from tests.bench.poison.targets import Target


def _lie_with(fields: Callable[[Target], Mapping[str, Any]]) -> Act:
    """Attack by lies on nothing, with these fields around them."""

    def act(stage: Stage, targets: Sequence[Target]) -> Hostile:
        return {
            one.number: stage.written(HOSTILE, {"content": f"Case {one.number}: {one.lie()}.", **fields(one)})
            for one in targets
        }

    return act


FAMILIES: Final[Mapping[str, Act]] = {
    "question": _lie_with(lambda one: {"context": f"Somebody asked: {one.question}"}),
    "shuffled": _lie_with(lambda one: {"context": shuffled(one.asked.split(), one.number)}),
    "terms": _lie_with(lambda one: {"context": f"Notes about {one.topic}, in short."}),
    "the right memory": _lie_with(lambda one: {"context": one.right}),
    "both": _lie_with(lambda one: {"context": f"{one.topic}. {one.right}"}),
    "tags": _lie_with(lambda one: {"tags": tuple(word.casefold() for word in one.words[:12])}),
    "summary": _lie_with(lambda one: {"summary": one.asked}),
}
