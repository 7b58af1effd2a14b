"""Shared voices: five principals, or clients of one token, that write a line each on a question, or take turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from memory_layer.domain.access import Principal
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.prepare import RememberRequest
from tests.bench.poison.families.lines import said, shuffled
from tests.bench.poison.stage import GANG, HOSTILE, PERSON, PROJECT, Act, Hostile, Stage, ids_of
from tests.bench.poison.targets import Target

CLIENTS: Final = tuple(Principal("bench", f"agent:client-{at}:mallory") for at in range(5))


def _each_a_line(voices: Sequence[Principal], line: Callable[[Target, int], str]) -> Act:
    """Attack by a line of each voice on each question."""

    def act(stage: Stage, targets: Sequence[Target]) -> Hostile:
        return {
            one.number: set().union(
                *(stage.written(by, {"content": line(one, at)}) for at, by in enumerate(voices))
            )
            for one in targets
        }

    return act


def _taking_turns(stage: Stage, targets: Sequence[Target]) -> Hostile:
    """Two agents talk about a question in a session of their own, one asks and one lies."""
    hostile: dict[int, set[str]] = {}
    for one in targets:
        session = f"talk-{one.number}"
        spoken = [
            (GANG[1], f"{one.asked}?", "user"),
            (HOSTILE, f"Well, {one.lie()}.", "assistant"),
            (GANG[1], f"So that is {one.topic}, thanks.", "user"),
            (HOSTILE, f"Yes, {one.lie(1)}.", "assistant"),
        ]
        ids: set[str] = set()
        for by, words, speaker in spoken:
            turn = RememberRequest(fields={"content": words, "speaker": speaker})
            ids |= ids_of(add_turns(stage.ports, by, PROJECT, session, [turn]))
        hostile[one.number] = ids
    return hostile


def _around_a_person(stage: Stage, targets: Sequence[Target]) -> Hostile:
    """Turns before and behind a person's, with half of the question each."""
    hostile: dict[int, set[str]] = {}
    for one in targets:
        session, words = f"visit-{one.number}", one.asked.split()
        half = len(words) // 2
        before = RememberRequest(
            fields={"content": f"{' '.join(words[:half])}: {one.lie()}.", "speaker": "ana"}
        )
        person = RememberRequest(fields={"content": f"Fine, point {one.number} then.", "speaker": "ana"})
        after = RememberRequest(
            fields={"content": f"{' '.join(words[half:])}, {one.lie(1)}.", "speaker": "ana"}
        )
        ids = ids_of(add_turns(stage.ports, HOSTILE, PROJECT, session, [before]))
        add_turns(stage.ports, PERSON, PROJECT, session, [person])
        hostile[one.number] = ids | ids_of(add_turns(stage.ports, HOSTILE, PROJECT, session, [after]))
    return hostile


FAMILIES: Final[Mapping[str, Act]] = {
    "five principals": _each_a_line(GANG, lambda one, at: said(f"{shuffled(one.words, at)}: {one.lie(at)}")),
    "five clients": _each_a_line(CLIENTS, lambda one, at: said(f"{shuffled(one.words, at)}: {one.lie(at)}")),
    "taking turns": _taking_turns,
    "around a person": _around_a_person,
}
IS_BRIEF: Final = True
