"""An agent's hostile lines among people's memories: what stands where, with the order of trust and without it.

    python -m tests.bench.poison [--engineering FOLDER] [--locomo FOLDER] [--faces recall,context,prompt] [--json FILE]

The engineering folder has facts.jsonl ({text}) and questions.jsonl ({question, right}), the other LoCoMo's files. The
control has the order taken out, by this benchmark: the product has no switch for it. Vectors are kept between runs.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
from rich.console import Console
from rich.table import Table

from memory_layer.usecases.recall import compose_prompt, recall, relevant_memories
from tests.bench.judgement.__main__ import CACHE
from tests.bench.judgement.kept_vectors import KeptVectors
from tests.bench.poison.attacks import FAMILIES, KEPT_BACK, Family, all_topics, sixty_lines
from tests.bench.poison.honest import conversations, found
from tests.bench.poison.stage import (
    FACES,
    HONEST,
    HOSTILE,
    PERSON,
    Face,
    Lines,
    Play,
    Stage,
    lines,
    read_plays,
    staged,
)
from tests.bench.product import real_embedder

FLOODED: Final = 12
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


Result = dict[tuple[str, str, str, str], Tally]
"""By play, author of the right memories, family, and face or `face, control`."""


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
    play: Play, families: Mapping[str, Lines], author: Any, faces: Sequence[Face], embedder: KeptVectors
) -> Result:
    """Asks each question on each face with each family's lines stored, with the order and without it."""
    result: Result = {}
    for family, aimed in families.items():
        with staged(play, embedder, author) as stage:
            texts = list(dict.fromkeys(line for each in aimed.values() for line in each))
            stored = stage.store(texts, HOSTILE)
            for face in faces:
                key = play.name, author.name, family
                result[*key, face] = _asked(play, stage, face, stored, aimed)
                with undefended():
                    result[*key, f"{face}, control"] = _asked(play, stage, face, stored, aimed)
    return result


def _asked(play: Play, stage: Stage, face: Face, stored: Mapping[str, str], aimed: Lines) -> Tally:
    tally, hostile = Tally(), set(stored.values())
    for target in play.targets:
        if target.number in aimed or not aimed:
            own = {stored[line] for line in aimed.get(target.number, ())}
            tally.add(stage.asked(face, target.question), stage.right[target.right], hostile, own)
    return tally


def families_of(play: Play, families: Mapping[str, Family]) -> dict[str, Lines]:
    return {name: {one.number: made(one) for one in play.targets} for name, made in families.items()}


def floods(play: Play, embedder: KeptVectors) -> Result:
    """Sixty lines on one topic at a time."""
    result: Result = {}
    for target in play.targets[:: max(1, len(play.targets) // FLOODED)][:FLOODED]:
        flood = attack(
            play, {"sixty lines": {target.number: sixty_lines(target)}}, PERSON, ["recall"], embedder
        )
        result = {key: tally + result.get(key, Tally()) for key, tally in flood.items()}
    return result


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
    for play in read_plays(arguments.engineering, arguments.locomo, embedder):
        twelve = families_of(play, FAMILIES) | {"all topics": all_topics(play.targets)}
        others = families_of(play, KEPT_BACK)
        runs: list[Callable[[], Result]] = [
            lambda play=play: attack(play, {"none": {}}, PERSON, arguments.faces, embedder),
            lambda play=play, twelve=twelve: attack(play, twelve, PERSON, arguments.faces, embedder),
            lambda play=play, others=others: attack(play, others, PERSON, ["recall"], embedder),
            lambda play=play, twelve=twelve: attack(
                play, {"none": {}} | twelve, HONEST, ["recall"], embedder
            ),
            lambda play=play: floods(play, embedder),
        ]
        for run in runs:
            result |= run()
            embedder.keep()
        _print(console, play, result)
    cost = honest_cost(arguments.locomo, embedder) if arguments.locomo else {}
    embedder.keep()
    for name, shares in cost.items():
        console.print(
            f"LoCoMo, half by agents, {name}: " + ", ".join(f"R@{k} {v:.3f}" for k, v in shares.items())
        )
    if arguments.json:
        told = [[*key, asdict(tally)] for key, tally in result.items()]
        arguments.json.write_text(json.dumps({"attacks": told, "honest": cost}, indent=1))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engineering", type=Path)
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--faces", type=lambda text: text.split(","), default=list(FACES))
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _print(console: Console, play: Play, result: Result) -> None:
    console.print(f"{play.name}: {len(play.texts)} memories, {len(play.targets)} questions")
    table = Table(
        "right by", "family", "face", "n", "hostile first", "own in top 5", "right first", "right in 3"
    )
    fitted = {*FAMILIES, "all topics"}
    sums: dict[tuple[str, str, str], Tally] = {}
    for (name, author, family, face), tally in result.items():
        if name != play.name:
            continue
        table.add_row(author, family, face, *_cells(tally))
        kind = "all twelve" if family in fitted else "all kept back" if family in KEPT_BACK else None
        if kind:
            sums[author, kind, face] = tally + sums.get((author, kind, face), Tally())
    table.add_section()
    for key, tally in sums.items():
        table.add_row(*key, *_cells(tally))
    console.print(table)


def _cells(tally: Tally) -> list[str]:
    counts = (tally.asked, tally.hostile_first)
    own = f"{100 * tally.own / max(1, tally.asked):.1f} %"
    return [*map(str, counts), own, str(tally.right_first), str(tally.right_in_three)]


if __name__ == "__main__":
    main()
