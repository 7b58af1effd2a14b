"""Sentences that a corpus is made of: real ones of a folder, or drawn from a seed as English is distributed.

Drawn ones take their words from the embedding model's vocabulary, which is ordered by how common a word is: stop
words come first and make up as much of a text as they do in English; the rest of a sentence belongs to a topic.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory_layer.settings import read_settings

MODEL = "all-MiniLM-L6-v2-int8"
TOPICS = 400
TOPIC_WORDS = 60
TOPIC_SHARE = 0.45
"""Share of a sentence's words that are its topic's; of the others half are stop words, as in English."""

ZIPF_EXPONENT, ZIPF_OFFSET = 1.05, 2.7
SHORTEST, LONGEST = 8, 32
COMMON = 300
"""First words of the vocabulary, which belong to no topic."""


def sentences(count: int, seed: int) -> list[str]:
    """Draws sentences of 8 to 32 words, each of one topic."""
    randomness = np.random.default_rng(seed)
    words, ends = np.array(vocabulary()), _cumulative_shares(len(vocabulary()))
    topics = _topics(len(words))
    return [_sentence(randomness, words, ends, topics) for _ in range(count)]


def real_sentences(folders: Iterable[Path]) -> list[str]:
    """Texts of the folders' memories.jsonl and facts.jsonl, each once.

    Raises:
        SystemExit: a folder has none of them.
    """
    texts: dict[str, None] = {}
    for folder in folders:
        files = [path for name in ("memories", "facts") if (path := folder / f"{name}.jsonl").exists()]
        if not files:
            raise SystemExit(f"{folder} has neither memories.jsonl nor facts.jsonl; name a folder that does")
        for path in files:
            texts.update((json.loads(line)["text"], None) for line in path.read_text("utf-8").splitlines())
    return [text for text in texts if len(text.split()) >= SHORTEST // 2]


@cache
def vocabulary() -> tuple[str, ...]:
    """Whole words of the model's vocabulary, the commonest first.

    Raises:
        SystemExit: there is no model.
    """
    file = read_settings().model_dir / MODEL / "tokenizer.json"
    if not file.exists():
        raise SystemExit(f"{file} is missing; build the model first: make model")
    ranks = json.loads(file.read_text("utf-8"))["model"]["vocab"]
    ordered = sorted(ranks, key=ranks.__getitem__)
    return tuple(word for word in ordered if word.isascii() and word.isalpha() and len(word) > 1)


def _cumulative_shares(size: int) -> NDArray[np.float64]:
    shares = 1.0 / (np.arange(size) + ZIPF_OFFSET) ** ZIPF_EXPONENT
    ends: NDArray[np.float64] = np.cumsum(shares / shares.sum())
    return ends


@cache
def _topics(size: int) -> NDArray[np.int64]:
    """Words of each topic, the commonest ones shared by many topics."""
    randomness = np.random.default_rng(0)
    drawn = np.exp(randomness.uniform(np.log(COMMON), np.log(size), (TOPICS, TOPIC_WORDS)))
    return drawn.astype(np.int64)


def _sentence(
    randomness: np.random.Generator,
    words: NDArray[np.str_],
    ends: NDArray[np.float64],
    topics: NDArray[np.int64],
) -> str:
    length = int(randomness.integers(SHORTEST, LONGEST + 1))
    drawn = np.searchsorted(ends, randomness.random(length)).clip(max=len(words) - 1)
    topical = topics[randomness.integers(TOPICS)][randomness.integers(0, TOPIC_WORDS, length)]
    chosen = words[np.where(randomness.random(length) < TOPIC_SHARE, topical, drawn)]
    return f"{' '.join(chosen).capitalize()}."
