"""Hostile agents among people's memories: what stands where on each face, beside a control without the safeguards.

    python -m tests.bench.poison [--engineering FOLDER] [--locomo FOLDER] [--groups lines,floods]
        [--faces recall,context,prompt] [--ways default,strict,control] [--json FILE]

The engineering folder has facts.jsonl ({text}) and questions.jsonl ({question, right}), the other LoCoMo's files;
without either the benchmark's own lines are played. A family of attacks is a module in families/, its wordings are
played one by one, each on a store of its own. In the strict way what agents say waits for a reviewer; the control has
the default way.
Vectors are kept between runs.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections import defaultdict
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Final

from rich.console import Console

from memory_layer.domain.access import Principal
from memory_layer.ports.process import Embedder
from tests.bench.judgement.__main__ import CACHE
from tests.bench.judgement.kept_vectors import KeptVectors
from tests.bench.poison.control import undefended, unordered
from tests.bench.poison.families import Group, groups
from tests.bench.poison.honest import conversations, found
from tests.bench.poison.stage import (
    FACES,
    HONEST,
    PERSON,
    WAYS,
    Act,
    Face,
    Play,
    Stage,
    Way,
    lines,
    read_plays,
    staged,
)
from tests.bench.poison.tallies import NOBODY, Asked, Key, benign_quality, judged, table
from tests.bench.poison.targets import Target
from tests.bench.product import real_embedder

BRIEFLY: Final = 12
"""Questions of a family that is aimed at few."""

EVERY: Final[dict[Face, int]] = {"recall": 1, "context": 3, "prompt": 3}
"""Every so many of the questions is asked on a face."""

HONEST_EVERY: Final = 4

NO_ATTACK: Final = Group(NOBODY, {"none": lambda *_: {}}, among_agents=True)


def attack(
    play: Play, group: Group, author: Principal, way: Way, faces: Sequence[Face], embedder: Embedder
) -> dict[Key, list[Asked]]:
    """Plays each wording of a family, and asks the questions on each face."""
    result: dict[Key, list[Asked]] = defaultdict(list)
    with undefended() if way == "control" else nullcontext():
        for wording, act in group.families.items():
            for targets in _aimed_at(play, group):
                with staged(play, embedder, author, way) as stage:
                    for face, asked in _played(stage, act, targets, faces).items():
                        result[Key(play.name, author.name, group.name, wording, way, face)] += asked
    return result


def _aimed_at(play: Play, group: Group) -> list[Sequence[Target]]:
    """Questions by the stores that they are asked of: all of one, some of one, or some of a store each."""
    few = play.targets[:: max(1, len(play.targets) // BRIEFLY)][:BRIEFLY]
    if group.one_by_one:
        return [[one] for one in few]
    return [few if group.is_brief else play.targets]


def _played(
    stage: Stage, act: Act, targets: Sequence[Target], faces: Sequence[Face]
) -> dict[Face, list[Asked]]:
    told, hijacked = act(stage, targets), stage.hijacked()
    every = set().union(*told.values()) | hijacked
    return {
        face: [
            judged(
                one.number,
                stage.asked(face, one.question),
                stage.right[one.right],
                every,
                told.get(one.number, set()) | hijacked & {stage.right[one.right]},
            )
            for one in targets[:: EVERY[face] if len(targets) > BRIEFLY else 1]
        ]
        for face in faces
    }


def honest_cost(locomo: Path, embedder: KeptVectors) -> dict[str, dict[int, float]]:
    """Shares of evidence found on LoCoMo, half of it by agents: with the order, and without it."""
    questions = lines(locomo / "questions.jsonl")[::HONEST_EVERY]
    with conversations(locomo, embedder, with_agents=True) as ports:
        with_order = found(ports, questions)
        with unordered():
            return {"order of trust": with_order, "control": found(ports, questions)}


def main() -> None:
    arguments = _arguments()
    logging.getLogger("memory_layer").setLevel(logging.ERROR)
    console = Console(width=None if Console().is_terminal else 140)
    embedder = KeptVectors(real_embedder(), CACHE.expanduser())
    result: dict[Key, list[Asked]] = {}
    chosen = [group for group in groups() if group.name in (arguments.groups or group.name)]
    for play in read_plays(arguments.engineering, arguments.locomo, embedder):
        of_play: dict[Key, list[Asked]] = {}
        for group in [NO_ATTACK, *chosen]:
            for way in arguments.ways:
                of_play |= attack(play, group, PERSON, way, arguments.faces, embedder)
            if group.among_agents:
                for way in ("default", "control"):
                    of_play |= attack(play, group, HONEST, way, ["recall"], embedder)
            embedder.keep()
            console.print(f"{play.name}: {group.name} is played")
        console.print(f"{play.name}: {len(play.texts)} memories, {len(play.targets)} questions")
        console.print(benign_quality(of_play), table(of_play))
        result |= of_play
    cost = honest_cost(arguments.locomo, embedder) if arguments.locomo else {}
    embedder.keep()
    for name, found_shares in cost.items():
        cells = ", ".join(f"R@{k} {share:.3f}" for k, share in found_shares.items())
        console.print(f"LoCoMo, half by agents, {name}: {cells}")
    if arguments.json:
        told = [key._asdict() | asdict(one) for key, asked in result.items() for one in asked]
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


if __name__ == "__main__":
    main()
