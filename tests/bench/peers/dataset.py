"""The data that every product is given: the same texts, the same vectors, the same questions.

A peer's process loads it with nothing of the product but its embedder.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tests.bench.vectors import vector_asked

if TYPE_CHECKING:
    from memory_layer.ports.process import Embedder

DIMENSIONS = 384


@dataclass(frozen=True, slots=True)
class Dataset:
    """Memories and questions, each text with its unit vector (float32, 384)."""

    texts: list[str]
    vectors: NDArray[np.float32]
    questions: list[str]
    question_vectors: NDArray[np.float32]


class GivenVectors:
    """An `Embedder` that knows each text's vector; with a model behind it, it also pays for the embedding.

    The answer is the same with and without the model, so the difference in time is the embedding alone.
    """

    dimensions = DIMENSIONS

    def __init__(self, dataset: Dataset, model_id: str, paid: Embedder | None = None) -> None:
        self.model = model_id
        self._paid = paid
        self._vectors = dict(zip(dataset.texts, dataset.vectors, strict=True))
        self._vectors.update(zip(dataset.questions, dataset.question_vectors, strict=True))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self._paid is not None:
            self._paid.embed(texts)
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> NDArray[np.float32]:
        found = vector_asked(text, self._vectors)
        if found is None:
            raise KeyError(f"no vector was given for {text!r}")
        return found


def save(dataset: Dataset, folder: Path) -> None:
    np.savez(folder / "vectors.npz", memories=dataset.vectors, questions=dataset.question_vectors)
    texts = {"memories": dataset.texts, "questions": dataset.questions}
    (folder / "texts.json").write_text(json.dumps(texts))


def load(folder: Path) -> Dataset:
    with np.load(folder / "vectors.npz") as vectors:
        memories, questions = vectors["memories"], vectors["questions"]
    texts = json.loads((folder / "texts.json").read_text())
    return Dataset(texts["memories"], memories, texts["questions"], questions)
