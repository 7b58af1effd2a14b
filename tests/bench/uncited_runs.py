"""Does it learn when nobody cites? Runs that tell their verdict and not which memory helped.

    python -m tests.bench.uncited_runs [--rounds 100] [--seed N] [--locomo FOLDER] [--json FILE]

50 topics of ten about equally relevant memories each, seven of which help. A round is one run a topic: it recalls five
memories, uses two of them, and works if both help. After `rounds` the world drifts: in each topic one memory that
helped does so no more, and another begins to.

Of LoCoMo every second question is told as a run that works where a right turn was shown, which has nothing to do with
how good a turn is: what do lists lose where verdicts tell nothing?
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.console import Console
from rich.table import Table

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.access import Principal
from memory_layer.domain.learning.run import Run
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.settings import read_settings
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.configure import set_policy
from tests.bench.learning import ADMIN, AGENTS, HELPFUL, NOISE, PROJECT, SEED, SHOWN, USED, Clock, World
from tests.bench.learning_topics import ADVICE, QUERIES, TOPICS, UNRELATED
from tests.bench.retrieval import lines, load, opened

DRIFT_ROUNDS = 40
RECOVERED_SHARE = 0.95
"""Share of the precision before a drift from which on a list has recovered."""

Reporters = Literal["one agent", "three agents"]


@dataclass
class UncitedWorld(World):
    """World whose runs say how they ended, and no more. Args: wrong: share of verdicts that are turned round."""

    wrong: float = 0.0
    precision: list[float] = field(default_factory=list)
    intrusions: list[float] = field(default_factory=list)

    def run_round(self, number: int, agents: list[Principal]) -> None:
        """One run a topic, by agents in turn; the clock goes on by a day."""
        helped, intruded = [], []
        for topic in range(len(TOPICS)):
            agent = self.randomness.choice(agents)
            shown = self.run(agent, topic, f"{number}-{topic}", number)
            helped += [self.helps.get(id, False) for id in shown]
            intruded += [self.topic_of.get(id) != topic for id in shown]
        self.precision.append(float(np.mean(helped)))
        self.intrusions.append(float(np.mean(intruded)))
        self.clock.moment += timedelta(days=1)

    def run(self, agent: Principal, topic: int, run_id: str, number: int) -> list[str]:
        """Recalls, uses two of what is shown, and reports how that went."""
        query = QUERIES[(topic + number) % len(QUERIES)].format(**TOPICS[topic])
        request = RecallRequest(query=query, limit=SHOWN, run_id=run_id)
        shown = [one.memory.id for one in recall(self.backend.ports, agent, PROJECT, request).memories]
        used = self.randomness.sample(shown, min(USED, len(shown)))
        worked = all(self.helps.get(id, False) for id in used) != (self.randomness.random() < self.wrong)
        self.end(agent, run_id, query, worked=worked)
        return shown

    def end(self, agent: Principal, run_id: str, objective: str, *, worked: bool) -> None:
        status = "completed" if worked else "failed"
        run = Run(run_id=run_id, objective=objective, status=status, iterations=())  # type: ignore[arg-type]
        learn_from_run(self.backend.ports, agent, PROJECT, run, "auto")

    def drift(self) -> None:
        """One memory of each topic stops helping, another begins to."""
        for topic in range(len(TOPICS)):
            own = [id for id, of in self.topic_of.items() if of == topic]
            for helps in (True, False):
                turned = self.randomness.choice([id for id in own if self.helps[id] == helps])
                self.helps[turned] = not helps
                own.remove(turned)


@contextmanager
def uncited_world(exploration: float, wrong: float = 0.0, seed: int = SEED) -> Iterator[UncitedWorld]:
    """World of a fresh project. Args: exploration: the project's setting."""
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock()
        backend = open_embedded(read_settings(data_dir=Path(folder)), clock=clock)
        try:
            set_policy(backend.ports, ADMIN, PROJECT, lambda old: replace(old, exploration=exploration))
            world = UncitedWorld(backend, clock, random.Random(seed), wrong=wrong)
            for number, topic in enumerate(TOPICS):
                ids = world.add([advice.format(**topic) for advice in ADVICE[:-1]])
                helpful = set(world.randomness.sample(ids, HELPFUL))
                world.topic_of |= dict.fromkeys(ids, number)
                world.helps |= {id: id in helpful for id in ids}
            world.add(UNRELATED)
            yield world
        finally:
            backend.close()


def simulate_uncited(
    exploration: float, reporters: Reporters, *, rounds: int, wrong: float = 0.0, seed: int = SEED
) -> dict[str, Any]:
    """One simulation; everything random but the lists' own draws comes from one seed."""
    agents = AGENTS[:1] if reporters == "one agent" else AGENTS
    with uncited_world(exploration, wrong, seed) as world:
        for number in range(rounds):
            world.run_round(number, agents)
        world.drift()
        for number in range(rounds, rounds + DRIFT_ROUNDS):
            world.run_round(number, agents)
        return {
            "exploration": exploration,
            "reporters": reporters,
            "wrong": wrong,
            "precision": world.precision,
            "intrusions": float(np.mean(world.intrusions)),
            **_figures(world.precision, rounds),
        }


def _figures(precision: list[float], rounds: int) -> dict[str, Any]:
    before = float(np.mean(precision[rounds - 5 : rounds]))
    after = [np.mean(precision[at : at + 5]) for at in range(rounds, len(precision) - 4)]
    recovered = next((at for at, mean in enumerate(after) if mean >= RECOVERED_SHARE * before), None)
    return {
        "first_ten": float(np.mean(precision[:10])),
        "last_five": before,
        "area": float(np.mean(precision[:rounds])),
        "regret": float(sum(1.0 - one for one in precision[:rounds])),
        "after_drift": precision[rounds],
        "twenty_after_drift": float(np.mean(precision[rounds + 18 : rounds + 23])),
        "rounds_to_recover": recovered,
    }


def told_questions(locomo: Path, amounts: tuple[float, ...]) -> list[dict[str, float]]:
    """Share of the evidence among the first five and ten: of the told questions, and of the others."""
    memories, questions = (lines(locomo / f"{name}.jsonl") for name in ("memories", "questions"))
    told, others = questions[::2], questions[1::2]
    with tempfile.TemporaryDirectory() as folder, opened("embedded", Path(folder)) as backend:
        load(backend, Path(folder), memories)
        for number, question in enumerate(told):
            shown = _asked(backend, question, run_id=f"{number}")
            worked = not set(question["evidence"]).isdisjoint(shown)
            run = Run(
                run_id=f"{number}",
                objective=question["question"],
                status="completed" if worked else "failed",
                iterations=(),
            )
            learn_from_run(backend.ports, LOCAL_PRINCIPAL, question["project"], run, "auto")
        return [
            {
                "exploration": amount,
                **_shares(backend, "others", others, amount),
                **_shares(backend, "told", told, amount),
            }
            for amount in amounts
        ]


def _asked(backend: EmbeddedBackend, question: dict[str, Any], **asked: Any) -> list[str]:
    request = RecallRequest(query=question["question"], limit=10, **asked)
    found = recall(backend.ports, LOCAL_PRINCIPAL, question["project"], request)
    return [one.memory.id for one in found.memories]


def _shares(
    backend: EmbeddedBackend, name: str, questions: list[dict[str, Any]], amount: float
) -> dict[str, float]:
    """Shares of the evidence, each question asked three times with this exploration."""
    for project in {question["project"] for question in questions}:
        set_policy(backend.ports, LOCAL_PRINCIPAL, project, lambda old: replace(old, exploration=amount))
    found = [
        (set(question["evidence"]), _asked(backend, question)) for question in questions for _ in range(3)
    ]
    return {
        f"{name} R@{k}": float(
            np.mean([len(right.intersection(ids[:k])) / len(right) for right, ids in found])
        )
        for k in (10, 5)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    runs: list[tuple[float, Reporters, float]] = [
        *((amount, "one agent", 0.0) for amount in (0.0, 0.5, 1.0)),
        (1.0, "three agents", 0.0),
        (1.0, "one agent", NOISE),
    ]
    results = [
        simulate_uncited(amount, reporters, rounds=arguments.rounds, wrong=wrong, seed=arguments.seed)
        for amount, reporters, wrong in runs
    ]
    print_uncited(results, arguments.rounds)
    if arguments.locomo:
        told = told_questions(arguments.locomo, (0.0, 0.5, 1.0))
        print_told(told)
        results += told
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2))


def print_uncited(results: list[dict[str, Any]], rounds: int) -> None:
    """Prints the table of the simulations."""
    table = Table(
        *("exploration", "runs of", "wrong", "first ten", f"after {rounds}", "area", "regret", "intrusions"),
        *("drift", "20 later", "recovered in"),
    )
    for run in results:
        table.add_row(
            *(f"{run['exploration']:g}", run["reporters"], f"{run['wrong']:.0%}", f"{run['first_ten']:.1%}"),
            *(f"{run['last_five']:.1%}", f"{run['area']:.3f}", f"{run['regret']:.1f}"),
            *(f"{run['intrusions']:.2%}", f"{run['after_drift']:.1%}", f"{run['twenty_after_drift']:.1%}"),
            "not" if run["rounds_to_recover"] is None else f"{run['rounds_to_recover']} rounds",
        )
    console = Console(width=130)
    console.print(
        "Nobody cites: precision@5 of what is shown, one verdict a run; regret in lists of five wrong"
    )
    console.print(table)


def print_told(results: list[dict[str, float]]) -> None:
    """Prints the table of LoCoMo's questions."""
    table = Table(*results[0])
    for row in results:
        table.add_row(
            *(f"{value:g}" if name == "exploration" else f"{value:.3f}" for name, value in row.items())
        )
    console = Console(width=130)
    console.print("LoCoMo: every second question was told as a run whose verdict tells nothing of a memory")
    console.print(table)


if __name__ == "__main__":
    main()
