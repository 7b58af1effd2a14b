"""Questions about what is stored: parts of stored texts with words left out, each with the vector it would have."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.vectors import Matrix, question_vectors

SAMPLED = 3_000
LEFT_OUT = 0.25
SHORTEST, LONGEST = 4, 14
LONG_WORDS = 200


@dataclass(frozen=True, slots=True)
class Sample:
    """Some of a folder's memories with their vectors, and noise that is distributed as these are."""

    documents: list[dict[str, Any]]
    vectors: Matrix
    noise: Matrix


@dataclass(frozen=True, slots=True)
class Question:
    """A question about one memory. Args: about: that memory, as an export has it."""

    text: str
    about: dict[str, Any]

    @property
    def project(self) -> str:
        return str(self.about["project"])


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions with their vectors by text."""

    asked: list[Question]
    vectors: dict[str, Matrix]

    @property
    def about_entities(self) -> list[Question]:
        return [question for question in self.asked if question.about["entities"]]


def save_sample(folder: Path, sample: Sample) -> None:
    (folder / "sample.json").write_text(json.dumps(sample.documents))
    np.savez(folder / "sample.npz", vectors=sample.vectors, noise=sample.noise)


def load_sample(folder: Path) -> Sample:
    with np.load(folder / "sample.npz") as arrays:
        vectors, noise = arrays["vectors"], arrays["noise"]
    return Sample(json.loads((folder / "sample.json").read_text()), vectors, noise)


def questions_of(sample: Sample, count: int, seed: int) -> Questions:
    """Draws questions about active memories of the sample."""
    randomness = np.random.default_rng(seed)
    active = [row for row, one in enumerate(sample.documents) if one["status"] == "active"]
    rows = randomness.choice(active, count)
    vectors = question_vectors(sample.vectors[rows], sample.noise, randomness)
    asked = [
        Question(part_of(sample.documents[row]["content"], randomness), sample.documents[row]) for row in rows
    ]
    return Questions(asked, dict(zip((one.text for one in asked), vectors, strict=True)))


def part_of(content: str, randomness: np.random.Generator) -> str:
    """Some words of a text in their order, a quarter of them left out."""
    words = content.split()
    length = int(randomness.integers(SHORTEST, LONGEST + 1))
    start = int(randomness.integers(0, max(1, len(words) - length)))
    part = words[start : start + length]
    kept = [word for word in part if randomness.random() >= LEFT_OUT]
    return " ".join(kept or part)


def long_question(sample: Sample, randomness: np.random.Generator) -> str:
    """A question of 200 words: whole texts, one after the other."""
    words: list[str] = []
    while len(words) < LONG_WORDS:
        words += sample.documents[int(randomness.integers(len(sample.documents)))]["content"].split()
    return " ".join(words[:LONG_WORDS])
