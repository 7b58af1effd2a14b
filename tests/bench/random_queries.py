"""Random recalls and prompts over a folder: of all strategies, filters, personas and profiles, from a seed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from tests.bench import corpus
from tests.bench.questions import Sample, long_question, part_of
from tests.bench.sentences import vocabulary
from tests.bench.vectors import LookupEmbedder

Query = dict[str, Any]
"""`kind` (recall or prompt), `label` by which differences are counted, `project`, `persona`, `roles`, `body`."""

STRATEGIES = ("auto", "auto", "auto", "semantic", "lexical", "entity", "graph")
PROFILES = (None, None, "learned", "governed", "task")
PROMPT_SHARE = 0.06
FILTERED = 0.5
COMMONEST, RARER = 400, 12_000
PERSONAS = (None, None, *corpus.PERSONAS)


def random_queries(sample: Sample, count: int, seed: int) -> list[Query]:
    """Draws queries about the memories of a sample."""
    drawing = _Drawing(sample, np.random.default_rng(seed))
    return [drawing.query() for _ in range(count)]


class NearEmbedder(LookupEmbedder):
    """Gives a text that holds a part of a sampled memory a vector near that memory's."""

    def __init__(self, model: str, sample: Sample) -> None:
        super().__init__(model, {}, sample.noise)
        contents = (one["content"] for one in sample.documents)
        self._by_words: dict[str, int] = {}
        for row, content in enumerate(contents):
            words = content.split()
            self._by_words.update((" ".join(pair), row) for pair in pairwise(words))
        self._vectors = sample.vectors

    def _vector(self, text: str) -> Any:
        words = text.split()
        rows = (self._by_words.get(" ".join(pair)) for pair in pairwise(words))
        row = next((row for row in rows if row is not None), None)
        if row is None:
            return super()._vector(text)
        near = 0.6 * self._vectors[row] + 0.8 * self._made(text)
        return near / np.linalg.norm(near)


class _Drawing:
    def __init__(self, sample: Sample, randomness: np.random.Generator) -> None:
        self._sample = sample
        self._randomness = randomness
        self._filters: dict[str, Callable[[], Any]] = {
            "type": lambda: self._some(corpus.TYPES),
            "category": lambda: self._some(corpus.CATEGORIES),
            "dimension": lambda: self._some(corpus.DIMENSIONS),
            "task_type": lambda: self._some(corpus.TASK_TYPES),
            "source": lambda: self._some(corpus.SOURCES),
            "tier": lambda: self._some(("hot", "warm", "cold")),
            "persona": lambda: self._some(corpus.PERSONAS),
            "created_by": lambda: self._some(corpus.WRITERS),
            "session_id": lambda: self._theirs("session_id"),
            "complexity": lambda: self._some(corpus.COMPLEXITIES),
            "tags": lambda: self._theirs("tags"),
            "entities": lambda: self._theirs("entities"),
            "min_confidence": lambda: round(float(self._randomness.uniform(0.4, 1.0)), 2),
            "min_success_rate": lambda: round(float(self._randomness.uniform(0.0, 1.0)), 2),
            "created_after": self._moment,
            "created_before": self._moment,
            "updated_after": self._moment,
            "updated_before": self._moment,
        }

    def query(self) -> Query:
        about = self._document()
        persona = self._one(PERSONAS)
        roles = ["admin"] if self._happens(0.3) else ["agent"]
        asked = {"project": about["project"], "persona": persona, "roles": roles}
        if self._happens(PROMPT_SHARE):
            form = str(self._one(("memories", "knowledge")))
            return asked | {"kind": "prompt", "label": f"prompt {form}", "body": self._prompt(about, form)}
        body, text_kind = self._recall(about)
        filters = "+".join(sorted(body["filters"])) or "no filter"
        label = f"{body['strategy']}, {text_kind}, {filters}"
        return asked | {"kind": "recall", "label": label, "body": body}

    def _recall(self, about: Query) -> tuple[Query, str]:
        strategy = str(self._one(STRATEGIES))
        text, kind = self._text(about)
        body: Query = {
            "query": text,
            "strategy": strategy,
            "limit": int(self._one((5, 10, 10, 25, 50))),
            "filters": self._filtered() if self._happens(FILTERED) else {},
            "profile": self._one(PROFILES),
            "include_stale": bool(self._happens(0.15)),
            "min_score": 0.3 if self._happens(0.05) else 0.0,
        }
        if strategy == "entity" or (strategy in ("auto", "graph") and self._happens(0.2)):
            body["entities"] = about["entities"] or self._theirs("entities")
        if strategy == "graph":
            body["hops"] = int(self._one((1, 2, 3)))
        if self._happens(0.05):
            body["as_of"] = self._moment()
        return body | (self._task() if self._happens(0.15) else {}), kind

    def _prompt(self, about: Query, form: str) -> Query:
        text, _ = self._text(about)
        return {"task": text, "limit": int(self._one((5, 10, 25))), "format": form, **self._task()}

    def _task(self) -> Query:
        scope = [f"src/{self._one(corpus.SYSTEMS)}/**"] if self._happens(0.5) else []
        return {"task_type": self._one((None, *corpus.TASK_TYPES)), "write_scope": scope}

    def _text(self, about: Query) -> tuple[str, str]:
        """A text to ask with, and its kind."""
        kind = str(
            self._one(("part", "part", "part", "whole", "words", "common words", "named", "long", "foreign"))
        )
        if kind == "part":
            return part_of(about["content"], self._randomness), kind
        if kind == "whole":
            return about["content"], kind
        if kind == "long":
            return long_question(self._sample, self._randomness), kind
        if kind == "named":
            return f"what about {about['content'].split()[-1]} {' '.join(about['entities'])}".strip(), kind
        if kind == "common words":
            return self._words(COMMONEST), kind
        if kind == "foreign":
            return f"Zanzibar {self._words(RARER)}", kind
        return self._words(RARER), kind

    def _words(self, below: int) -> str:
        words = vocabulary()
        chosen = self._randomness.integers(0, min(below, len(words)), int(self._randomness.integers(1, 7)))
        return " ".join(words[number] for number in chosen)

    def _filtered(self) -> Query:
        names = self._randomness.choice(
            sorted(self._filters), int(self._randomness.integers(1, 4)), replace=False
        )
        return {str(name): self._filters[str(name)]() for name in names}

    def _theirs(self, field: str) -> list[str]:
        """Values that some memory has."""
        values = self._document()[field]
        return values if isinstance(values, list) and values else [values or "none-has-this"]

    def _some(self, options: tuple[str, ...]) -> list[str]:
        count = int(self._randomness.integers(1, 4))
        return sorted({str(self._one(options)) for _ in range(count)})

    def _moment(self) -> str:
        days = float(self._randomness.uniform(10, corpus.SPAN_DAYS))
        return (corpus.START + corpus.timedelta(days=days)).isoformat()

    def _document(self) -> Query:
        found: Query = self._sample.documents[int(self._randomness.integers(len(self._sample.documents)))]
        return found

    def _one(self, options: tuple[Any, ...]) -> Any:
        return options[int(self._randomness.integers(len(options)))]

    def _happens(self, probability: float) -> bool:
        return bool(self._randomness.random() < probability)
