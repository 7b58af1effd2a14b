"""Text to vectors with MiniLM on onnxruntime."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from memory_layer.adapters.onnx.artifact import DIMENSIONS, MODEL_ID, broken, verified

if TYPE_CHECKING:  # late at run time: who wires an embedder need not load numpy
    import numpy as np
    from numpy.typing import NDArray

EmbedOne: TypeAlias = "Callable[[str], NDArray[np.float32]]"


class OnnxEmbedder:
    """The `Embedder` port on a built model; nothing is loaded before the first text.

    A vector depends on its text alone: not on the batch, its order, or the number of threads.
    """

    def __init__(self, folder: Path, *, threads: int | None = None) -> None:
        """
        Args:
            folder: what `build_model` returned, or `model_dir(root)`.
            threads: texts embedded side by side, >= 1; None: one per available core.
        """
        self.model = MODEL_ID
        self.dimensions = DIMENSIONS
        self._folder = folder
        self._threads = threads or available_cores()
        self._loading = Lock()
        self._embed_one: EmbedOne | None = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of the texts, each cut at 256 word pieces.

        Returns:
            Shape (len(texts), 384), float32, rows of unit length, in the order of `texts`.

        Raises:
            EmbedderUnavailable: there is no whole model in the folder, or it does not load.
        """
        import numpy as np

        if not texts:
            return np.empty((0, DIMENSIONS), dtype=np.float32)
        embed_one = self._loaded()
        if len(texts) == 1 or self._threads == 1:
            return np.stack([embed_one(text) for text in texts])
        return _side_by_side(embed_one, texts, self._threads)

    def _loaded(self) -> EmbedOne:
        with self._loading:
            if self._embed_one is None:
                self._embed_one = _load(self._folder)
            return self._embed_one


def available_cores() -> int:
    """Cores this process may use, which in a container is often fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _side_by_side(embed_one: EmbedOne, texts: Sequence[str], threads: int) -> NDArray[np.float32]:
    import numpy as np

    vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
    # The longest first, so that no thread is left with a long text when the others are done.
    longest_first = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
    with ThreadPoolExecutor(threads, thread_name_prefix="embed") as pool:
        done = pool.map(embed_one, (texts[row] for row in longest_first))
        for row, vector in zip(longest_first, done, strict=True):
            vectors[row] = vector
    return vectors


def _load(folder: Path) -> EmbedOne:
    from memory_layer.adapters.onnx.session import embed_one, open_session, open_tokenizer

    files = verified(folder)
    try:
        session, tokenizer = open_session(files.model), open_tokenizer(files.tokenizer)
    except Exception as error:  # onnxruntime and tokenizers raise classes of their own for any damage
        raise broken(folder, f"it does not load ({error})") from error
    return lambda text: embed_one(session, tokenizer, text)
