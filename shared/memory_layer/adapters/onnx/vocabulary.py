"""Vocabulary of the product's own model: words in the order of their frequency, also where another model embeds."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from memory_layer.adapters.onnx.artifact import verified_model_files
from memory_layer.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class WordRanks:
    """Ranks of words by the tokenizer of the product's own model, loaded at the first word.

    Another encoder's vocabulary is in no order of frequency, so that words would weigh by chance (ADR-0020). Where the
    own model was never built all words weigh alike.

    Args:
        folder: of the product's own model.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loading = Lock()
        self._tokenizer: Tokenizer | None = None
        self._is_missing = False

    def rank(self, word: str) -> int | None:
        """Place of a word, the commonest first; None: it is made of several pieces, or nobody knows."""
        tokenizer = self._loaded()
        return None if tokenizer is None else tokenizer.token_to_id(word)

    def _loaded(self) -> Tokenizer | None:
        with self._loading:
            if self._tokenizer is None and not self._is_missing:
                try:
                    self._tokenizer = _opened(self._folder)
                except EmbedderUnavailable:
                    self._is_missing = True
            return self._tokenizer


def _opened(folder: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(verified_model_files(folder).tokenizer))
