"""Tokenizers that a caller may name: the embedding model's own, four characters a token, and tiktoken's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from memory_layer.domain.context.fragments import TokenCounter, chars4
from memory_layer.domain.safety.text_caches import cleared_with_texts
from memory_layer.errors import EmbedderUnavailable, Invalid

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TIKTOKEN_PREFIX: Final = "tiktoken:"
TOKENIZER_NAMES: Final = (
    "wordpiece (of the embedding model), chars4 (four characters a token) or tiktoken:<encoding>"
)

NAME_MAX_CHARS: Final = 64

KNOWN_WORDS_MAX: Final = 32_768
"""Words whose counts are kept, about 4 MB; then the cache begins anew."""

WORD_MAX_CHARS: Final = 128
"""Longest word that is kept: what is longer is seldom said again."""


class TokenizerRegistry:
    """Registry of token counters by name, each loaded at its first use and kept."""

    def __init__(self, models: Path | None) -> None:
        """Args: models: folder of all models, for the vocabulary of `wordpiece`; None: the default folder."""
        self._models = models
        self._loading = Lock()
        self._counters: dict[str, TokenCounter] = {"chars4": chars4}

    def is_at_hand(self, name: str) -> bool:
        return name in self._counters or not (name == "wordpiece" or name.startswith(TIKTOKEN_PREFIX))

    def __call__(self, name: str) -> TokenCounter:
        """The counter of this name.

        Raises:
            Invalid: no tokenizer has this name; the text names those there are, or the package to install.
        """
        if name in self._counters:  # no caller waits for a vocabulary that another one names
            return self._counters[name]
        with self._loading:
            if name not in self._counters:
                self._counters[name] = self._loaded(name)
            return self._counters[name]

    def _loaded(self, name: str) -> TokenCounter:
        if name == "wordpiece":
            return _wordpiece(self._models)
        if name.startswith(TIKTOKEN_PREFIX):
            return _tiktoken(name.removeprefix(TIKTOKEN_PREFIX))
        said = name if len(name) <= NAME_MAX_CHARS else f"{name[:NAME_MAX_CHARS]}…"
        raise Invalid.at("/tokenizer", f"there is no tokenizer {said!r}; name {TOKENIZER_NAMES}")


def _wordpiece(models: Path | None) -> TokenCounter:
    from memory_layer.adapters.onnx.artifact import model_dir, verified_model_files

    try:
        path = verified_model_files(model_dir(models)).tokenizer
    except EmbedderUnavailable as error:
        raise Invalid.at(
            "/tokenizer", f"wordpiece cannot be counted: {error.detail}; or name chars4"
        ) from error
    return WordPieceCounter(_whole_text_tokenizer(path))


def _whole_text_tokenizer(path: Path) -> Tokenizer:
    """Tokenizer of the model without its cut at 256 pieces: a page is longer than an embedded text."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class WordPieceCounter:
    """Counter of word pieces, without the two that frame a sentence for the model.

    No piece reaches over a space or the end of a line, and pages are made of the same words: their counts are kept,
    and cleared with all that was made of texts, so that none stay in this process that it erased.

    Args:
        known_words_max: words kept at a time; then all are forgotten.
    """

    def __init__(self, tokenizer: Tokenizer, *, known_words_max: int = KNOWN_WORDS_MAX) -> None:
        self._tokenizer = tokenizer
        self._known_words_max = known_words_max
        self._known: dict[str, int] = {}
        cleared_with_texts(self)

    def __call__(self, texts: Sequence[str], /) -> list[int]:
        each = [text.replace("\n", " ").split(" ") for text in texts]
        try:
            return _sums(self._known, each)
        except KeyError:
            return _sums(self._counts_of(frozenset().union(*each)), each)

    def cache_clear(self) -> None:
        self._known = {}  # who counts goes on with the one before

    def _counts_of(self, words: frozenset[str]) -> Mapping[str, int]:
        """Counts of words of which some are new."""
        known = self._known
        new = list(words.difference(known))
        # word by word in one call: a batch of few words takes longer to share among threads than to encode
        encoded = self._tokenizer.encode(new, is_pretokenized=True, add_special_tokens=False)
        pieces = Counter(encoded.word_ids)
        counted = {word: pieces[at] for at, word in enumerate(new)}
        kept = {word: count for word, count in counted.items() if len(word) <= WORD_MAX_CHARS}
        if len(known) + len(kept) <= self._known_words_max:
            known.update(kept)  # a table that an erasure has put aside meanwhile is nobody's
            if len(kept) == len(new):
                return known
        elif self._known is known:
            self._known = kept if len(kept) <= self._known_words_max else {}
        return {word: counted[word] if word in counted else known[word] for word in words}


def _sums(counts: Mapping[str, int], texts: Sequence[Sequence[str]]) -> list[int]:
    return [sum(map(counts.__getitem__, words)) for words in texts]


def _tiktoken(encoding: str) -> TokenCounter:
    try:
        import tiktoken  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        detail = (
            "tiktoken is not installed here; run in a checkout: pip install '.[tiktoken]', "
            "or name wordpiece or chars4"
        )
        raise Invalid.at("/tokenizer", detail) from error
    known = tiktoken.list_encoding_names()
    if encoding not in known:
        said = encoding[:NAME_MAX_CHARS]
        raise Invalid.at(
            "/tokenizer", f"tiktoken has no encoding {said!r}; it has {', '.join(sorted(known))}"
        )
    try:
        found = tiktoken.get_encoding(encoding)
    except (
        Exception
    ) as error:  # tiktoken fetches vocabularies over the network, with errors of several libraries
        detail = (
            f"the vocabulary of tiktoken's {encoding} cannot be fetched ({error}); set TIKTOKEN_CACHE_DIR"
        )
        raise Invalid.at(
            "/tokenizer", f"{detail} to a folder that has it, or name wordpiece or chars4"
        ) from error

    def count(texts: Sequence[str], /) -> list[int]:
        return [len(tokens) for tokens in found.encode_ordinary_batch(list(texts), num_threads=1)]

    return count
