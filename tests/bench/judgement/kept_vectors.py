"""Vectors of the product's model that outlast a run, so that a corpus is embedded once."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory_layer.ports.process import Embedder, word_ranks

Matrix = NDArray[np.float32]


class KeptVectors:
    """An `Embedder` that asks a model only for texts that it has not embedded before.

    Args:
        model: makes the vectors that are missing.
        folder: where they are kept; None: they end with the process.
    """

    def __init__(self, model: Embedder, folder: Path | None = None) -> None:
        self.model, self.dimensions = model.model, model.dimensions
        self._embedder, self._ranks, self._is_loaded = model, word_ranks(model), False
        self._file = None if folder is None else folder / f"judgement-{model.model}.npz"
        self._known: dict[bytes, Matrix] = {}
        self._kept = 0
        if self._file is not None and self._file.exists():
            with np.load(self._file) as stored:
                names = (name.tobytes() for name in stored["names"])
                self._known = dict(zip(names, stored["vectors"], strict=True))
            self._kept = len(self._known)

    def embed(self, texts: Sequence[str]) -> Matrix:
        names = [blake2b(text.encode(), digest_size=16).digest() for text in texts]
        missing = {name: text for name, text in zip(names, texts, strict=True) if name not in self._known}
        if missing:
            self._known.update(zip(missing, self._embedder.embed([*missing.values()]), strict=True))
        rows = [self._known[name] for name in names]
        return np.stack(rows) if rows else np.empty((0, self.dimensions), np.float32)

    def rank(self, word: str) -> int | None:
        """Place of a word in the model's vocabulary, by which the product weighs words; the model is loaded for it."""
        if not self._is_loaded:
            self._embedder.embed([word])
            self._is_loaded = True
        return self._ranks(word)

    def keep(self) -> None:
        """Writes what is new beside the file and puts it in its place."""
        if self._file is None or len(self._known) == self._kept:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        names = np.array([np.frombuffer(name, np.uint8) for name in self._known])
        with tempfile.NamedTemporaryFile(dir=self._file.parent, suffix=".npz", delete=False) as draft:
            np.savez(draft, names=names, vectors=np.stack([*self._known.values()]))
        Path(draft.name).rename(self._file)
        self._kept = len(self._known)
