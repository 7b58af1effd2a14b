"""Encoder that a user brought, as an `Embedder`: its prefixes, its pooling, its calibration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memory_layer.adapters.onnx.embedder import LoadedModel, OnnxEmbedder
from memory_layer.adapters.onnx.encoder_files import EncoderFiles, check_files, unusable_encoder
from memory_layer.errors import Invalid

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class EncoderEmbedder:
    """The `Embedder` port on an encoder's files; nothing is loaded before the first text.

    Args:
        threads: as OnnxEmbedder.
        rank: place of a word in the vocabulary of the product's own model, in the order of frequency.
    """

    def __init__(
        self,
        files: EncoderFiles,
        *,
        threads: int | None = None,
        rank: Callable[[str], int | None] | None = None,
    ) -> None:
        self.model = files.model
        self.dimensions = files.dimensions
        self._files = files
        self._rank = rank
        self._raw = OnnxEmbedder(
            files.folder,
            threads=threads,
            model=files.model,
            dimensions=files.dimensions,
            load=partial(load_encoder, files),
        )

    @property
    def is_loaded(self) -> bool:
        return self._raw.is_loaded

    def rank(self, word: str) -> int | None:
        """Place of a word in the language; None until the encoder is loaded, as OnnxEmbedder."""
        return self._rank(word) if self._rank is not None and self.is_loaded else None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of what is remembered; shape (len(texts), dimensions).

        Raises:
            EmbedderUnavailable: its files were changed, or do not load.
        """
        rows = self._raw.embed([self._files.options.memory_prefix + text for text in texts])
        return self._files.calibration.memories(rows) if len(texts) else rows

    def embed_question(self, text: str) -> NDArray[np.float32]:
        """Unit vector of what is asked; shape (dimensions,). Raises: EmbedderUnavailable: as `embed`."""
        rows = self._raw.embed([self._files.options.question_prefix + text])
        vector: NDArray[np.float32] = self._files.calibration.questions(rows)[0]
        return vector


def load_encoder(files: EncoderFiles, folder: Path) -> LoadedModel:
    """Loads an encoder whose files are as they were brought.

    Raises:
        EmbedderUnavailable: they are not, or do not load.
    """
    from memory_layer.adapters.onnx.encoder_session import encoded, graph_shape
    from memory_layer.adapters.onnx.session import open_session, open_tokenizer, pieces_of

    check_files(folder)
    pieces_max = files.options.pieces_max
    try:
        session, tokenizer = open_session(files.graph), open_tokenizer(files.tokenizer, pieces_max)
        shape = graph_shape(session)
    except Invalid as error:
        raise unusable_encoder(folder, error.detail) from error
    except Exception as error:  # onnxruntime and tokenizers raise classes of their own for any damage
        raise unusable_encoder(folder, f"it does not load ({error})") from error
    return LoadedModel(
        lambda text: pieces_of(tokenizer, text, pieces_max),
        partial(encoded, session, shape, files.options),
        tokenizer.token_to_id,
    )
