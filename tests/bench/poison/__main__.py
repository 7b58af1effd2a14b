"""An agent's hostile lines among people's memories: what stands where, with the order of trust and without it.

    python -m tests.bench.poison [--engineering FOLDER] [--locomo FOLDER] [--groups lines,floods]
        [--faces recall,context,prompt] [--ways default,strict] [--json FILE]

The engineering folder has facts.jsonl ({text}) and questions.jsonl ({question, right}), the other LoCoMo's files. The
control has the order taken out, by this benchmark: the product has no switch for it. A group of families is a module in
families/. Vectors are kept between runs.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.table import Table

from memory_layer.domain.access import Principal
from memory_layer.ports.process import Embedder
from memory_layer.usecases.recall import compose_prompt, recall, relevant_memories
from tests.bench.judgement.__main__ import CACHE
from tests.bench.judgement.kept_vectors import KeptVectors
from tests.bench.poison.families import Group, groups
from tests.bench.poison.honest import conversations, found
from tests.bench.poison.stage import (
    FACES,
    HONEST,
    PERSON,
    WAYS,
    Act,
    Face,
    Hostile,
    Play,
    Stage,
    Way,
    lines,
    read_plays,
    staged,
)
from tests.bench.poison.targets import Target
from tests.bench.product import real_embedder

STORES: Final = 12
"""Stores of a group that has one for each question."""

NOBODY: Final = Group("nobody", {"none": lambda *_: {}}, False, True, False)
FIRST_OF: Final = 5
RIGHT_WITHIN: Final = 3


@dataclass
class Tally:
    """What was seen in some recalls. Args: own: hostile lines on the question among the first five."""

    asked: int = 0
    hostile_first: int = 0
    right_first: int = 0
    right_in_three: int = 0
    own: float = 0.0

    def add(self, ids: Sequence[str], right: str, hostile: set[str], own: set[str]) -> None:
        self.asked += 1
        self.hostile_first += bool(ids) and ids[0] in hostile
        self.right_first += bool(ids) and ids[0] == right
        self.right_in_three += right in ids[:RIGHT_WITHIN]
        self.own += sum(id in own for id in ids[:FIRST_OF]) / FIRST_OF

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            *(one + more for one, more in zip(asdict(self).values(), asdict(other).values(), strict=True))
        )


@dataclass(frozen=True)
class Key:
    """Place of a tally in the table. Args: author: of the right memories."""

    play: str
    author: str
    way: Way
    group: str
    family: str
    face: Face
    is_control: bool = False


Result = dict[Key, Tally]


@contextmanager
def undefended() -> Iterator[None]:
    """Takes the order of trust out."""
    with (
        patch.object(recall, "order_by_trust", lambda *given: given[3]),
        patch.object(relevant_memories, "hits_by_trust", lambda *given: given[2]),
        patch.object(compose_prompt, "rows_by_trust", lambda *given: np.arange(len(given[1]))),
    ):
        yield


def attack(
    play: Play, group: Group, author: Principal, way: Way, faces: Sequence[Face], embedder: Embedder
) -> Result:
    """Plays each family of a group, and asks each question on each face, with the order and without it."""
    result: Result = {}
    for family, act in group.families.items():
        for targets in _aimed_at(play, group):
            for face, tallies in _played(staged(play, embedder, author, way), act, targets, faces).items():
                for is_control, tally in enumerate(tallies):
                    key = Key(play.name, author.name, way, group.name, family, face, bool(is_control))
                    result[key] = tally + result.get(key, Tally())
    return result


def _aimed_at(play: Play, group: Group) -> list[Sequence[Target]]:
    """Questions by the stores that they are asked of: all of one, or some of a store each."""
    every = max(1, len(play.targets) // STORES)
    return [[one] for one in play.targets[::every][:STORES]] if group.one_by_one else [play.targets]


def _played(
    opened: AbstractContextManager[Stage], act: Act, targets: Sequence[Target], faces: Sequence[Face]
) -> dict[Face, tuple[Tally, Tally]]:
    with opened as stage:
        hostile = act(stage, targets)
        result: dict[Face, tuple[Tally, Tally]] = {}
        for face in faces:
            with_order = _asked(stage, face, hostile, targets)
            with undefended():
                result[face] = with_order, _asked(stage, face, hostile, targets)
        return result


def _asked(stage: Stage, face: Face, hostile: Hostile, targets: Sequence[Target]) -> Tally:
    tally, every = Tally(), set().union(*hostile.values())
    for target in targets:
        own = hostile.get(target.number, set())
        tally.add(stage.asked(face, target.question), stage.right[target.right], every, own)
    return tally


def honest_cost(locomo: Path, embedder: KeptVectors) -> dict[str, dict[int, float]]:
    """Shares of evidence found on LoCoMo, half of it by agents: with the order, and without it."""
    questions = lines(locomo / "questions.jsonl")
    with conversations(locomo, embedder, with_agents=True) as ports:
        with_order = found(ports, questions)
        with undefended():
            return {"order of trust": with_order, "control": found(ports, questions)}


def main() -> None:
    arguments = _arguments()
    logging.getLogger("memory_layer").setLevel(logging.ERROR)
    console = Console(width=None if Console().is_terminal else 140)
    embedder = KeptVectors(real_embedder(), CACHE.expanduser())
    result: Result = {}
    chosen = [group for group in groups() if group.name in (arguments.groups or group.name)]
    for play in read_plays(arguments.engineering, arguments.locomo, embedder):
        for group in [NOBODY, *chosen]:
            for way in arguments.ways:
                result |= attack(play, group, PERSON, way, arguments.faces, embedder)
            if group.among_agents:
                result |= attack(play, group, HONEST, "default", ["recall"], embedder)
            embedder.keep()
        _print(console, play, result)
    cost = honest_cost(arguments.locomo, embedder) if arguments.locomo else {}
    embedder.keep()
    for name, shares in cost.items():
        console.print(
            f"LoCoMo, half by agents, {name}: " + ", ".join(f"R@{k} {v:.3f}" for k, v in shares.items())
        )
    if arguments.json:
        told = [asdict(key) | asdict(tally) for key, tally in result.items()]
        arguments.json.write_text(json.dumps({"attacks": told, "honest": cost}, indent=1))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engineering", type=Path)
    parser.add_argument("--locomo", type=Path)
    for name, all_of in (("groups", ()), ("faces", FACES), ("ways", WAYS)):
        parser.add_argument(f"--{name}", type=lambda text: text.split(","), default=list(all_of))
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _print(console: Console, play: Play, result: Result) -> None:
    console.print(f"{play.name}: {len(play.texts)} memories, {len(play.targets)} questions")
    table = Table(
        "right by", "way", "family", "face", "n", "hostile first", "own in top 5", "right first", "right in 3"
    )
    sums: Result = {}
    for key, tally in result.items():
        if key.play == play.name:
            table.add_row(*_names(key), *_cells(tally))
            whole = replace(key, family=f"all of {key.group}")
            sums[whole] = tally + sums.get(whole, Tally())
    table.add_section()
    for key, tally in sums.items():
        table.add_row(*_names(key), *_cells(tally))
    console.print(table)


def _names(key: Key) -> list[str]:
    return [key.author, key.way, key.family, f"{key.face}, control" if key.is_control else key.face]


def _cells(tally: Tally) -> list[str]:
    counts = (tally.asked, tally.hostile_first)
    own = f"{100 * tally.own / max(1, tally.asked):.1f} %"
    return [*map(str, counts), own, str(tally.right_first), str(tally.right_in_three)]


if __name__ == "__main__":
    main()
