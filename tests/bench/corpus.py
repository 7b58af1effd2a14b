"""A large corpus of memories as an export has them: texts that mention things, contexts, categories, outcomes.

A memory's text is made of the halves of two sentences on one subject, some words of others, and the names, identifiers,
paths and days that it mentions. Everything comes from a seed, a chunk at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.bench.vectors import Matrix, SeedVectors

CHUNK = 10_000
START = datetime(2024, 1, 1, tzinfo=UTC)
SPAN_DAYS = 700
NOW = START + timedelta(days=SPAN_DAYS + 1)
"""Time of the questions, where a fixed one is asked for."""

CATEGORIES = (
    *(
        "architecture",
        "convention",
        "decision",
        "pattern",
        "gotcha",
        "workaround",
        "troubleshooting",
        "command",
    ),
    *(
        "preference",
        "dependency",
        "environment",
        "coding_style",
        "tool_preference",
        "context",
        "todo",
        "general",
    ),
)
TYPES = ("pattern", "warning", "learning", "context", "strategy", "antipattern", "estimate", "convention")
DIMENSIONS = ("knowledge", "event", "entity", "relationship", "preference")
TASK_TYPES = ("test-fix", "feature", "refactor", "bug-fix", "documentation", "architecture", "performance")
SOURCES = ("human", "run", "learning")
COMPLEXITIES = ("simple", "moderate", "complex")
PERSONAS = ("backend", "frontend", "operator")
STATUSES = ("active", "stale", "archived", "inactive", "pending", "rejected")
STATUS_SHARES = (0.93, 0.02, 0.02, 0.01, 0.01, 0.01)
WRITERS = tuple(f"{name}@example.com" for name in ("ada", "bo", "chen", "dara")) + tuple(
    f"agent-{number}" for number in range(8)
)
FIRST_NAMES = (
    "Amy",
    "Bela",
    "Carla",
    "Dmitri",
    "Esra",
    "Farid",
    "Greta",
    "Hiro",
    "Ines",
    "Jonas",
    "Kira",
    "Luis",
)
LAST_NAMES = (
    "Nutt",
    "Okafor",
    "Pereira",
    "Quist",
    "Rossi",
    "Sato",
    "Tanaka",
    "Ueda",
    "Vogel",
    "Weber",
    "Yilmaz",
)
SYSTEMS = (
    "billing",
    "orders",
    "search",
    "ledger",
    "gateway",
    "mailer",
    "scheduler",
    "catalog",
    "audit",
    "session",
)
VERBS = (
    "parse",
    "load",
    "retry",
    "flush",
    "merge",
    "fetch",
    "build",
    "check",
    "route",
    "store",
    "drain",
    "index",
)
KINDS = ("service", "table", "queue", "bucket", "function")
MENTIONING = 0.6
WITH_CONTEXT = 0.4


@dataclass(frozen=True, slots=True)
class Chunk:
    """Memories `start` to `start + len(documents)` with the vectors of their contents."""

    start: int
    documents: list[dict[str, Any]]
    vectors: Matrix


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus of `n` memories in `projects`, named `p0` on. Args: context_share: of memories with a context, 0..1."""

    n: int
    projects: int
    sentences: Sequence[str]
    seeds: SeedVectors
    context_share: float = WITH_CONTEXT
    seed: int = 1

    def chunks(self) -> Iterator[Chunk]:
        for start in range(0, self.n, CHUNK):
            yield self._chunk(start, min(self.n, start + CHUNK))

    def project(self, number: int) -> str:
        return f"p{number % self.projects}"

    def _chunk(self, start: int, stop: int) -> Chunk:
        randomness = np.random.default_rng((self.seed, start))
        count = stop - start
        first = randomness.integers(0, len(self.sentences), count)
        second = self.seeds.neighbours[first, randomness.integers(0, self.seeds.neighbours.shape[1], count)]
        vectors = self.seeds.mixed(first, second, randomness)
        draw = _Draw(randomness, self.n // self.projects)
        documents = [
            self._document(start + row, int(first[row]), int(second[row]), draw) for row in range(count)
        ]
        return Chunk(start, documents, vectors)

    def _document(self, number: int, first: int, second: int, draw: _Draw) -> dict[str, Any]:
        content = self._content(first, second, draw)
        created = START + timedelta(days=SPAN_DAYS * number / self.n)
        document = {
            "id": f"mem_{number:032x}",
            "project": self.project(number),
            "content": content,
            "content_hash": hashlib.sha256(content.encode()).hexdigest(),
            "created_at": _instant(created),
            "updated_at": _instant(created + timedelta(hours=draw.below(400))),
            "version": 1,
        }
        return document | _labels(draw) | _standing(draw, created) | self._context(first, draw)

    def _content(self, first: int, second: int, draw: _Draw) -> str:
        words, others = self.sentences[first].split(), self.sentences[second].split()
        said = [*words[: max(4, len(words) * 2 // 3)], *others[len(others) // 2 :]]
        foreign = self.sentences[draw.below(len(self.sentences))].split()
        for _ in range(len(said) // 8):
            said[draw.below(len(said))] = foreign[draw.below(len(foreign))]
        return " ".join([*said, *_mentions(draw)])

    def _context(self, first: int, draw: _Draw) -> dict[str, Any]:
        """The sentences around it, as a turn of a conversation has them."""
        if not draw.happens(self.context_share):
            return {}
        around = self.seeds.neighbours[first]
        told = [self.sentences[int(around[draw.below(len(around))])] for _ in range(3)]
        return {"context": "\n".join(told)}


class _Draw:
    """Draws of one chunk. Args: scale: memories of a project, by which the number of things they mention grows."""

    def __init__(self, randomness: np.random.Generator, scale: int) -> None:
        self._shares = iter(_endless(randomness))
        self.scale = scale

    def share(self) -> float:
        return next(self._shares)

    def below(self, end: int) -> int:
        return int(self.share() * end)

    def happens(self, probability: float) -> bool:
        return self.share() < probability

    def one(self, options: Sequence[str]) -> str:
        return options[self.below(len(options))]

    def common(self, end: int) -> int:
        """A number below `end`, small ones more often: by Zipf's law."""
        return int(end ** self.share()) - 1 if end > 1 else 0


def _endless(randomness: np.random.Generator) -> Iterator[float]:
    while True:
        yield from randomness.random(65_536).tolist()


def _mentions(draw: _Draw) -> Iterator[str]:
    if draw.happens(MENTIONING * 0.6):
        yield f"in `{identifier(draw.common(max(20, draw.scale // 40)))}`"
    if draw.happens(MENTIONING * 0.5):
        yield f"says {person(draw.common(max(20, draw.scale // 60)))}"
    if draw.happens(MENTIONING * 0.25):
        yield f"see src/{draw.one(SYSTEMS)}/{identifier(draw.common(max(20, draw.scale // 40)))}.py"
    if draw.happens(MENTIONING * 0.2):
        yield f"since 2024-{1 + draw.below(12):02d}-{1 + draw.below(28):02d}"


def identifier(number: int) -> str:
    stem = f"{VERBS[number % len(VERBS)]}_{SYSTEMS[number // 12 % len(SYSTEMS)]}"
    return stem if number < 120 else f"{stem}_{number // 120}"


def person(number: int) -> str:
    first, last = FIRST_NAMES[number % len(FIRST_NAMES)], LAST_NAMES[number // 12 % len(LAST_NAMES)]
    return f"{first} {last}" if number < 132 else f"{first} {last}{'abcdefghij'[number // 132 % 10] * 2}"


def urn(number: int) -> str:
    return f"urn:{KINDS[number % len(KINDS)]}:{SYSTEMS[number // 5 % len(SYSTEMS)]}-{number // 50}"


def _labels(draw: _Draw) -> dict[str, Any]:
    wide = max(20, draw.scale // 50)
    named = range(1 + draw.below(2)) if draw.happens(MENTIONING * 0.7) else ()
    return {
        "category": draw.one(CATEGORIES),
        "type": draw.one(TYPES),
        "dimension": draw.one(DIMENSIONS),
        "task_type": draw.one(TASK_TYPES) if draw.happens(0.5) else None,
        "tags": sorted({f"{draw.one(SYSTEMS)}/{draw.one(VERBS)}" for _ in range(draw.below(3))}),
        "entities": sorted({urn(draw.common(wide)) for _ in named}),
        "persona": draw.one(PERSONAS) if draw.happens(0.1) else None,
        "session_id": f"session-{draw.common(wide)}" if draw.happens(0.3) else None,
        "detail": {"complexity": draw.one(COMPLEXITIES)} if draw.happens(0.2) else {},
        "source": draw.one(SOURCES) if draw.happens(0.4) else "human",
        "created_by": draw.one(WRITERS),
    }


def _standing(draw: _Draw, created: datetime) -> dict[str, Any]:
    """Status, confidence, and what came of its use, which 40 % have."""
    ends = np.cumsum(STATUS_SHARES)
    status = STATUSES[min(int(np.searchsorted(ends, draw.share())), len(STATUSES) - 1)]
    approved = draw.happens(0.2)
    standing = {
        "status": status,
        "confidence": round(0.4 + 0.6 * draw.share(), 3),
        "relevance_score": round(0.5 + 0.5 * draw.share(), 3),
        "expires_at": _instant(created + timedelta(days=30 + draw.below(2_000)))
        if draw.happens(0.1)
        else None,
        "approved_by": WRITERS[draw.below(4)] if approved else None,
        "approved_at": _instant(created + timedelta(days=1)) if approved else None,
    }
    return standing | (_outcomes(draw, created) if draw.happens(0.4) else {})


def _outcomes(draw: _Draw, created: datetime) -> dict[str, Any]:
    uses = 1 + draw.common(60)
    worked = draw.below(uses + 1)
    return {
        "use_count": uses,
        "worked": worked,
        "failed": uses - worked,
        "worked_weight": float(worked),
        "failed_weight": float(uses - worked),
        "success_rate": round(worked / uses, 3),
        "outcome_score": round((2 * worked - uses) / (uses + 2), 3),
        "last_used_at": _instant(created + timedelta(days=draw.below(60))),
    }


def _instant(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def contents_by_project(chunk: Chunk) -> dict[str, NDArray[np.int64]]:
    """Rows of a chunk by project."""
    names = np.array([document["project"] for document in chunk.documents])
    return {str(name): np.flatnonzero(names == name) for name in np.unique(names)}
