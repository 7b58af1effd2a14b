"""Embedder of texts with MiniLM on onnxruntime."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from memory_layer.adapters.onnx.artifact import DIMENSIONS, MODEL_ID, unusable_model, verified_model_files

if TYPE_CHECKING:  # late at run time: wiring an embedder need not load numpy
    import numpy as np
    from numpy.typing import NDArray


class LoadedModel(NamedTuple):
    """Loaded model: text to pieces, pieces to a vector, and a word to its place in the vocabulary."""

    pieces: Callable[[str], tuple[int, ...]]
    vector: Callable[[tuple[int, ...]], NDArray[np.float32]]
    rank: Callable[[str], int | None]


class OnnxEmbedder:
    """The `Embedder` port on a built model; nothing is loaded before the first text.

    A vector depends on its text alone: not on the batch, its order, or the number of threads.
    """

    def __init__(
        self,
        folder: Path,
        *,
        threads: int | None = None,
        model: str = MODEL_ID,
        dimensions: int = DIMENSIONS,
        load: Callable[[Path], LoadedModel] | None = None,
    ) -> None:
        """
        Args:
            folder: the result of `build_model`, or `model_dir(root)`.
            threads: texts embedded side by side, >= 1; None: one per available core.
            model, dimensions: id of the model, and length of its vectors.
            load: loads the model at the first text; None: the one that the product builds.
        """
        self.model = model
        self.dimensions = dimensions
        self._folder = folder
        self._load = load or _load
        self._threads = threads or available_cores()
        self._loading = Lock()
        self._model: LoadedModel | None = None

    @property
    def is_loaded(self) -> bool:
        """True once a text was embedded: the next one costs no loading."""
        return self._model is not None

    def rank(self, word: str) -> int | None:
        """Place of a word in the model's vocabulary, the commonest first; None: it is made of several pieces there.

        None besides until the model is loaded: a question is embedded before its words are weighed.
        """
        return None if self._model is None else self._model.rank(word)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of the texts, each cut at the pieces that the model reads: 256 of the product's own.

        Returns:
            Shape (len(texts), dimensions), float32, rows of unit length, in the order of `texts`.

        Raises:
            EmbedderUnavailable: there is no whole model in the folder, or it does not load.
        """
        import numpy as np

        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        model = self._loaded()
        if len(texts) == 1:  # a question: nothing to sort, to share or to copy
            return model.vector(model.pieces(texts[0]))[None]
        if self._threads == 1:
            return _vectors(model, texts, map)
        return _vectors(model, texts, self._pool.map)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        """Threads of all batches: to start them takes a fifth of a short text's time."""
        return ThreadPoolExecutor(self._threads, thread_name_prefix="embed")

    def _loaded(self) -> LoadedModel:
        with self._loading:
            if self._model is None:
                self._model = self._load(self._folder)
            return self._model


def available_cores() -> int:
    """Cores this process may use, which in a container is often fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _vectors(
    model: LoadedModel, texts: Sequence[str], each: Callable[..., Iterable[Any]]
) -> NDArray[np.float32]:
    """Vectors of texts; equal pieces are embedded once, as the model reads no context of a long content.

    Args:
        each: as `map`.
    """
    import numpy as np

    pieces = list(each(model.pieces, texts))
    # The longest first, so that no thread is left with a long text when the others are done.
    distinct = sorted(dict.fromkeys(pieces), key=len, reverse=True)
    vectors = dict(zip(distinct, each(model.vector, distinct), strict=True))
    return np.stack([vectors[of_text] for of_text in pieces])


def _load(folder: Path) -> LoadedModel:
    from memory_layer.adapters.onnx.session import open_session, open_tokenizer, pieces_of, vector_of

    files = verified_model_files(folder)
    try:
        session, tokenizer = open_session(files.model), open_tokenizer(files.tokenizer)
    except Exception as error:  # onnxruntime and tokenizers raise classes of their own for any damage
        raise unusable_model(folder, f"it does not load ({error})") from error
    return LoadedModel(partial(pieces_of, tokenizer), partial(vector_of, session), tokenizer.token_to_id)
