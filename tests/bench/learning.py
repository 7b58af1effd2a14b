"""Does it learn? A seeded simulation of ten weeks through the product's own use cases.

    python -m tests.bench.learning [--rounds 10] [--seed N] [--exploration 0] [--json FILE]

50 topics of ten about equally relevant memories each, seven of which truly help, among 500 unrelated ones. A round is
a week: one recall per topic, five memories shown, two of them used and reported on. Ten topics get no feedback.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.console import Console
from rich.table import Table

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.access import Principal
from memory_layer.domain.policy import OutcomeModel, Policy
from memory_layer.errors import TooMany
from memory_layer.settings import read_settings
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember_many
from tests.bench.learning_topics import ADVICE, QUERIES, TOPICS, UNRELATED

SHOWN, USED, HELPFUL = 5, 2, 7
TOPICS_WITHOUT_FEEDBACK = 10
NOISE = 0.2
NEWCOMER_ROUND = 5
PROVEN_SCORE = 0.4
ATTACKED_TOPICS = 5
PROJECT = "simulation"
SEED = 20260105
"""Seed of the tables; others are for what was chosen on it."""
ADMIN = Principal(tenant="bench", subject="admin", roles=frozenset({"admin"}))
AGENTS = [Principal(tenant="bench", subject=f"agent-{number}") for number in range(3)]
HOSTILE = Principal(tenant="bench", subject="hostile")

Voters = Literal["honest", "noisy", "hostile"]
Credit = Literal["cited", "shown"]


@dataclass
class Clock:
    moment: datetime = datetime(2026, 1, 5, 9, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment


@dataclass
class World:
    """What is true: which memory belongs to which topic, and whether it helps."""

    backend: EmbeddedBackend
    clock: Clock
    randomness: random.Random
    topic_of: dict[str, int] = field(default_factory=dict)
    helps: dict[str, bool] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)
    newcomers: dict[int, str] = field(default_factory=dict)

    def add(self, texts: Sequence[str]) -> list[str]:
        """Store them as a person would; the ids."""
        asked = [
            RememberRequest(
                fields={"content": text, "category": "general", "type": "pattern"}, on_duplicate="create"
            )
            for text in texts
        ]
        results = remember_many(self.backend.ports, ADMIN, PROJECT, asked)
        return [result.memory.id for result in results if isinstance(result, StoredMemory)]

    def shown(self, topic: int, round_: int) -> list[str]:
        query = QUERIES[(topic + round_) % len(QUERIES)].format(**TOPICS[topic])
        request = RecallRequest(query=query, limit=SHOWN)
        return [item.memory.id for item in recall(self.backend.ports, ADMIN, PROJECT, request).memories]

    def report(self, id: str, agent: Principal, worked: bool, session: str) -> None:
        report = OutcomeReport(result="worked" if worked else "failed", session_id=session)
        try:
            judged = report_outcome(self.backend.ports, agent, PROJECT, id, report)
        except TooMany:
            return  # an agent that is told to come back later does not
        self.scores[id] = judged.memory.outcome_score  # type: ignore[union-attr]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--exploration", type=float, default=Policy().exploration, help="0: without trials")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    runs: list[tuple[OutcomeModel, Voters, Credit]] = [
        (model, voters, "cited") for model in ("fixed", "beta") for voters in ("honest", "noisy", "hostile")
    ]
    runs += [("fixed", "honest", "shown"), ("fixed", "noisy", "shown")]
    chosen = {
        "rounds": arguments.rounds,
        "seed": arguments.seed,
        "exploration": arguments.exploration,
    }
    results = [simulate(model, voters, credit, **chosen) for model, voters, credit in runs]
    _print(results, arguments.rounds)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2))


def simulate(
    model: OutcomeModel,
    voters: Voters,
    credit: Credit,
    *,
    rounds: int,
    seed: int = SEED,
    exploration: float = Policy().exploration,
) -> dict[str, Any]:
    """One run of the simulation; everything random comes from one seed."""
    policy = Policy(outcome_model=model, exploration=exploration)
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock()
        backend = open_embedded(read_settings(data_dir=Path(folder)), clock=clock)
        try:
            set_policy(backend.ports, ADMIN, PROJECT, lambda _: policy)
            world = _populated(World(backend, clock, random.Random(seed)))
            figures = _run(world, voters, credit, rounds)
            figures["newcomers_by_merit"] = _shown_by_merit(world, rounds)
            return {"model": model, "voters": voters, "credit": credit, **figures}
        finally:
            backend.close()


def _populated(world: World) -> World:
    for number, topic in enumerate(TOPICS):
        ids = world.add([advice.format(**topic) for advice in ADVICE[:-1]])
        helpful = set(world.randomness.sample(ids, HELPFUL))
        world.topic_of |= dict.fromkeys(ids, number)
        world.helps |= {id: id in helpful for id in ids}
    world.add(UNRELATED)
    return world


def _run(world: World, voters: Voters, credit: Credit, rounds: int) -> dict[str, Any]:
    taught = range(len(TOPICS) - TOPICS_WITHOUT_FEEDBACK)
    untouched = range(len(TOPICS) - TOPICS_WITHOUT_FEEDBACK, len(TOPICS))
    precision, intrusions, hostile_moves = [], [], []
    tried: set[str] = set()
    first_order = {topic: world.shown(topic, 0) for topic in untouched}
    for round_ in range(rounds):
        shown = {topic: world.shown(topic, round_) for topic in taught}
        tried |= {id for ids in shown.values() for id in ids}
        precision.append(np.mean([world.helps.get(id, False) for ids in shown.values() for id in ids]))
        intrusions.append(
            np.mean([_is_intruder(world, id, topic) for topic in taught for id in shown[topic]])
        )
        for topic, ids in shown.items():
            world.clock.moment += timedelta(minutes=30)
            _give_feedback(world, ids, voters, credit, f"{round_}-{topic}")
        if voters == "hostile":
            hostile_moves.append(_attack(world, taught, round_))
        if round_ + 1 == NEWCOMER_ROUND:
            _add_newcomers(world, taught)
        world.clock.moment += timedelta(days=7) - timedelta(minutes=30) * len(taught)
    last = {topic: world.shown(topic, rounds) for topic in taught}
    tried |= {id for ids in last.values() for id in ids}
    moved = sum(world.shown(topic, 0) != first_order[topic] for topic in untouched)
    return {
        "precision": [float(value) for value in precision],
        "final_precision": float(
            np.mean([world.helps.get(id, False) for ids in last.values() for id in ids])
        ),
        "intrusions": float(np.mean(intrusions)),
        "untouched_topics_moved": moved,
        "newcomers_shown": float(np.mean([world.newcomers[topic] in last[topic] for topic in taught])),
        "newcomers_tried": float(np.mean([world.newcomers[topic] in tried for topic in taught])),
        "hostile_max_move": max(hostile_moves, default=0),
    }


def _shown_by_merit(world: World, round_: int) -> float:
    """Share of the newcomers that stand among the first without a trial."""
    set_policy(world.backend.ports, ADMIN, PROJECT, lambda old: replace(old, exploration=0.0))
    return float(np.mean([id in world.shown(topic, round_) for topic, id in world.newcomers.items()]))


def _is_intruder(world: World, id: str, topic: int) -> bool:
    """A memory of another topic that stands here by its fame."""
    return world.topic_of.get(id) not in (None, topic) and world.scores.get(id, 0.0) >= PROVEN_SCORE


def _give_feedback(world: World, ids: list[str], voters: Voters, credit: Credit, session: str) -> None:
    """The agent uses two of what it was shown, and credits these; the control credits all that was shown."""
    agent = world.randomness.choice(AGENTS)
    used = world.randomness.sample(ids, min(USED, len(ids)))
    succeeded = {id: world.helps.get(id, False) for id in used}
    if voters == "noisy":
        succeeded = {id: ok != (world.randomness.random() < NOISE) for id, ok in succeeded.items()}
    if credit == "cited":
        for id, ok in succeeded.items():
            world.report(id, agent, ok, session)
    else:
        for id in ids:
            world.report(id, agent, all(succeeded.values()), session)


def _attack(world: World, topics: Sequence[int], round_: int) -> int:
    """One principal calls a helpful memory a failure, again and again; the most places that any of them falls."""
    furthest = 0
    for topic in world.randomness.sample(list(topics), ATTACKED_TOPICS):
        before = world.shown(topic, round_)
        target = next(id for id in before if world.helps.get(id, False))
        for attempt in range(4):
            world.report(target, HOSTILE, False, f"attack-{round_}-{topic}-{attempt}")
        after = world.shown(topic, round_)
        place = after.index(target) if target in after else SHOWN
        furthest = max(furthest, abs(place - before.index(target)))
    return furthest


def _add_newcomers(world: World, topics: Sequence[int]) -> None:
    ids = world.add([ADVICE[-1].format(**TOPICS[topic]) for topic in topics])
    for topic, id in zip(topics, ids, strict=True):
        world.newcomers[topic], world.topic_of[id], world.helps[id] = id, topic, True


def _print(results: list[dict[str, Any]], rounds: int) -> None:
    table = Table(
        "model",
        "voters",
        "credit",
        "first",
        "middle",
        f"after {rounds}",
        "intrusions",
        "untouched moved",
        "newcomers tried",
        "shown last",
        "by merit",
        "hostile: places",
    )
    for run in results:
        table.add_row(
            run["model"],
            run["voters"],
            run["credit"],
            f"{run['precision'][0]:.1%}",
            f"{run['precision'][len(run['precision']) // 2]:.1%}",
            f"{run['final_precision']:.1%}",
            f"{run['intrusions']:.2%}",
            str(run["untouched_topics_moved"]),
            f"{run['newcomers_tried']:.0%}",
            f"{run['newcomers_shown']:.0%}",
            f"{run['newcomers_by_merit']:.0%}",
            str(run["hostile_max_move"]),
        )
    console = Console(width=130)
    console.print("precision@5 of what is shown; targets: >= 90 % honest, >= 85 % noisy, intrusions <= 1 %")
    console.print(table)


if __name__ == "__main__":
    main()
