"""Stages of the attacks: people's memories with an agent's lines beside them, asked on each face of the product."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Source
from memory_layer.domain.policy import Policy
from memory_layer.domain.ranking import TaskProfile
from memory_layer.domain.time.sweep_state import SweepName
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.process import Embedder, Ports
from memory_layer.settings import read_settings
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import DEFAULT_TOKENS, ContextRequest
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import Result, StoredMemory, remember_many
from tests.bench.poison.own_lines import ANSWERED, OTHERS
from tests.bench.poison.targets import Target

Face = Literal["recall", "context", "prompt"]
FACES: Final[tuple[Face, ...]] = ("recall", "context", "prompt")
Way = Literal["default", "strict", "control"]
WAYS: Final[tuple[Way, ...]] = ("default", "strict", "control")

PERSON: Final = Principal("bench", "ana", email="ana@example.com")
HONEST: Final = Principal("bench", "agent-honest")
HOSTILE: Final = Principal("bench", "agent-hostile")
GANG: Final = (HOSTILE, *(Principal("bench", f"agent-hostile-{number}") for number in range(2, 6)))
"""Five principals that collude."""

ADMIN: Final = Principal("bench", "root", roles=frozenset({"admin"}))
AGENT_SOURCES: Final = tuple(source for source in get_args(Source) if source != "human")
PROJECT: Final = "stage"
MEMORIES, QUESTIONS = 97, 72
SHOWN: Final = 10
PATIENT_MS: Final = 27_000
SWEEP_S: Final = 60.0
NIGHTLY: Final[tuple[SweepName, ...]] = ("expiry", "decay", "staleness", "tiering")
WEEKLY: Final[tuple[SweepName, ...]] = ("consolidate",)
PAGE: Final = 10_000
TASK: Final = TaskProfile(write_scope=("src/app.py",))


@dataclass(frozen=True, slots=True)
class Play:
    """Texts of a stage: what people wrote, and the questions whose answers are among it."""

    name: str
    texts: Sequence[str]
    targets: Sequence[Target]


def read_plays(engineering: Path | None, locomo: Path | None, embedder: Embedder) -> list[Play]:
    """Plays of the folders that are given; of the benchmark's own lines where none is."""
    plays = [_engineering(engineering, embedder)] if engineering else []
    plays += [_locomo(locomo)] if locomo else []
    return plays or [_own()]


def _own() -> Play:
    targets = [Target(number, asked, right) for number, (asked, right) in enumerate(ANSWERED)]
    return Play("own lines", [*(one.right for one in targets), *OTHERS], targets)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _engineering(folder: Path, embedder: Embedder) -> Play:
    """Right is, of the facts that fit a question's pattern, the one nearest to the question."""
    facts = [fact["text"] for fact in lines(folder / "facts.jsonl")]
    targets: list[Target] = []
    for asked in lines(folder / "questions.jsonl"):
        if asked.get("right"):
            fitting = [text for text in facts if re.search(asked["right"], text)]
            near = (
                embedder.embed(fitting) @ embedder.embed([asked["question"]])[0] if fitting else np.zeros(0)
            )
            if fitting and len(targets) < QUESTIONS:
                targets.append(Target(len(targets), asked["question"], fitting[int(near.argmax())]))
    return _filled("engineering", targets, facts)


def _locomo(folder: Path) -> Play:
    """Questions with one turn as evidence, every so many."""
    told = {
        (turn["project"], turn["id"]): f"{turn['speaker']}: {turn['text']}"
        for turn in lines(folder / "memories.jsonl")
    }
    single = [
        (asked["question"], told[asked["project"], asked["evidence"][0]])
        for asked in lines(folder / "questions.jsonl")
        if len(asked["evidence"]) == 1 and (asked["project"], asked["evidence"][0]) in told
    ]
    every = max(1, len(single) // QUESTIONS)
    drawn = single[::every][:QUESTIONS]
    targets = [Target(number, question, right) for number, (question, right) in enumerate(drawn)]
    return _filled("locomo", targets, list(told.values()))


def _filled(name: str, targets: Sequence[Target], texts: Sequence[str]) -> Play:
    """A play with as many memories as wanted: the right ones, and every so many of the others."""
    right = list(dict.fromkeys(one.right for one in targets))
    others = [text for text in texts if text not in set(right)]
    wanted = max(0, MEMORIES - len(right))
    every = max(1, len(others) // max(1, wanted))
    return Play(name, [*right, *others[::every][:wanted]], targets)


@dataclass(slots=True)
class Calendar:
    """The present, and some time later."""

    ahead: timedelta = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead


class Stage:
    """The embedded backend with a play's memories in it. Args: author: who wrote them."""

    def __init__(self, ports: Ports, play: Play, author: Principal, calendar: Calendar) -> None:
        self.ports, self._contexts, self._calendar = ports, 0, calendar
        labels = {one.right: {"entities": (one.urn,), "tags": (one.tag,)} for one in play.targets}
        batch = [_created({"content": text, **labels.get(text, {})}) for text in play.texts]
        stored = remember_many(ports, author, PROJECT, batch)
        lost = [one for one in stored if isinstance(one, MemoryLayerError)]
        if lost:
            raise SystemExit(f"a memory was not stored: {lost[0].detail}")
        self.right = dict(zip(play.texts, map(id_of, stored), strict=True))

    def told(self, lines: Mapping[int, Sequence[str]]) -> Hostile:
        """Stores lines of a hostile agent past the gates at writing, which are measured elsewhere.

        Args:
            lines: by the number of the question that they aim at.
        """
        texts = list(dict.fromkeys(line for each in lines.values() for line in each))
        stored = remember_many(self.ports, HOSTILE, PROJECT, [_created({"content": text}) for text in texts])
        ids = dict(zip(texts, map(id_of, stored), strict=True))
        return {number: {ids[line] for line in each if ids[line]} for number, each in lines.items()}

    def written(self, author: Principal, fields: Mapping[str, Any]) -> set[str]:
        """Id of a memory that is written as anybody writes it; none where it is refused."""
        return ids_of(remember_many(self.ports, author, PROJECT, [RememberRequest(fields=fields)]))

    def swept(self, *names: SweepName) -> None:
        for name in names:
            run_sweep(self.ports, name, holder="bench", seconds=SWEEP_S)

    def pass_hour(self) -> None:
        self._calendar.ahead += timedelta(hours=1)

    def pass_day(self, number: int) -> None:
        """Lets a day go by, with the sweeps that run every night, and every seventh one week's."""
        self._calendar.ahead += timedelta(days=1)
        self.swept(*NIGHTLY, *(WEEKLY if number % 7 == 0 else ()))

    def contents(self) -> dict[str, str]:
        """Words of all memories, by id, in whatever status."""
        page = self.ports.store.memories.page(
            ADMIN.scope(PROJECT),
            Filters(status=()),
            viewer_of(ADMIN),
            now=self.ports.clock.now(),
            after=None,
            limit=PAGE,
        )
        return {memory.id: memory.content for memory in page.memories}

    def ids(self) -> set[str]:
        return set(self.contents())

    def since(self, known: set[str], targets: Sequence[Target]) -> Hostile:
        """Memories that were not known, by the question whose topic they name; -1: none."""
        new = {id: text.casefold() for id, text in self.contents().items() if id not in known}
        own = {one.number: {id for id in new if one.topic.casefold() in new[id]} for one in targets}
        return {**own, -1: set(new)}

    def hijacked(self) -> set[str]:
        """Memories of the play that say something else now."""
        said = self.contents()
        return {id for text, id in self.right.items() if said.get(id, text) != text}

    def asked(self, face: Face, question: str) -> list[str]:
        """Ids that a face shows to a person, best first."""
        if face == "recall":
            request = RecallRequest(query=question, limit=SHOWN)
            return [one.memory.id for one in recall(self.ports, PERSON, PROJECT, request).memories]
        if face == "prompt":
            made = compose_prompt(self.ports, PERSON, PROJECT, question, TASK, limit=SHOWN)
            return [memory.id for memory in made.memories]
        self._contexts += 1
        asked = ContextRequest(
            intent=question, time_ms=PATIENT_MS, tokens_max=DEFAULT_TOKENS + self._contexts
        )  # none is like an earlier one: that would be reused
        page = assemble_context(self.ports, PERSON, PROJECT, asked)
        best = sorted(page.assembled.fragments, key=lambda one: (-one.priority_score, one.id))
        return [one.id for one in best]


def _created(fields: Mapping[str, Any]) -> RememberRequest:
    return RememberRequest(fields=fields, on_duplicate="create")


def id_of(stored: Result) -> str:
    """Id of what was stored; empty: it was refused."""
    return stored.memory.id if isinstance(stored, StoredMemory) else ""


def ids_of(stored: Sequence[Result]) -> set[str]:
    return set(map(id_of, stored)) - {""}


def tried(act: Callable[[], object]) -> None:
    """Acts, and goes on where the product refuses it: that is what is measured."""
    with suppress(MemoryLayerError):
        act()


Hostile = Mapping[int, set[str]]
"""Ids of hostile memories by the number of the question that they aim at."""

Act = Callable[[Stage, Sequence[Target]], Hostile]
"""Attack upon a stage, aimed at all these questions at once."""


def lines_of(family: Callable[[Target], list[str]]) -> Act:
    """Attack by lines that are made of one question each."""
    return lambda stage, targets: stage.told({target.number: family(target) for target in targets})


@contextmanager
def staged(
    play: Play, embedder: Embedder, author: Principal = PERSON, way: Way = "default"
) -> Iterator[Stage]:
    """A play on its stage. Args: way: strict: what agents say waits for a reviewer."""
    calendar = Calendar()
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(
            open_embedded(read_settings(data_dir=Path(folder)), embedder=embedder, clock=calendar)
        ) as backend,
    ):
        if way == "strict":
            set_policy(backend.ports, ADMIN, PROJECT, lambda _: Policy(review_sources=AGENT_SOURCES))
        yield Stage(backend.ports, play, author, calendar)
