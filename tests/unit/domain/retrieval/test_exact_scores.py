"""Scores are the same to the last bit, whichever backend computes them, and in whatever order memories came."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.adapters.embedded.ram_index.postings import Postings, TermRows, bm25
from memory_layer.adapters.embedded.ram_index.project_index import ProjectIndex
from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.abstention import SAMPLE, sample_place, sample_seed, typical_cosine
from memory_layer.domain.retrieval.exact_scores import (
    TextStatistics,
    bm25_of_counts,
    exact_cosines,
    quantized,
)
from memory_layer.domain.text.analyzer import MAX_LENGTH, analyze, encode_terms, encoded_length, term_hash
from tests.index_examples import DIMENSIONS, decode_terms, index_rows, memory, unit_vectors

WORDS = st.sampled_from(["wal", "mode", "lock", "queue", "cache", "days"])
TEXTS = st.lists(st.lists(WORDS, max_size=300).map(" ".join), min_size=1, max_size=12)


@given(texts=TEXTS, asked=st.lists(WORDS, min_size=1, max_size=4))
def test_postings_and_counts_give_the_same_bits(texts: list[str], asked: list[str]) -> None:
    rows = [encode_terms(analyze(text)) for text in texts]
    decoded = [decode_terms(row) for row in rows]
    postings = Postings()
    postings.extend(
        TermRows(
            np.concatenate([hashes for hashes, _ in decoded]),
            np.concatenate([counts for _, counts in decoded]),
            np.array([len(hashes) for hashes, _ in decoded]),
        )
    )
    view, query = postings.view(None), Counter(map(term_hash, analyze(" ".join(asked))))
    holders = {term: sum(term in hashes for hashes, _ in decoded) for term in query}
    statistics = TextStatistics(view.texts, view.total_length, holders)
    said = [dict(zip(hashes.tolist(), counts.tolist(), strict=True)) for hashes, counts in decoded]
    counts = np.array([[row.get(term, 0) for term in query] for row in said], np.uint8)
    assert bm25(view, query).tolist() == bm25_of_counts(counts, view.lengths, query, statistics).tolist()
    assert [encoded_length(row) for row in rows] == view.lengths.tolist()


@pytest.mark.parametrize("words", [0, 1, 300, MAX_LENGTH + 1_000])
def test_a_text_is_as_long_as_its_postings_say(words: int) -> None:
    """A term counts 255 times at most, as in the row itself."""
    distinct = 1 + words // 250
    row = encode_terms(f"t{number % distinct}" for number in range(words))
    assert encoded_length(row) == min(words, MAX_LENGTH)


def test_a_cosine_does_not_depend_on_what_else_is_compared() -> None:
    vectors, query = unit_vectors(40, seed=1).astype(np.float16), unit_vectors(1, seed=2)[0]
    alone = [exact_cosines(vector[None], query)[0] for vector in vectors]
    assert exact_cosines(vectors, query).tolist() == alone
    assert exact_cosines(vectors[::-1].copy(), query).tolist() == alone[::-1]


def test_the_typical_cosine_is_of_the_same_memories_in_whatever_order_they_came() -> None:
    """Safeguard: `ProjectSample`; a sample by slot would be another one after every restart."""
    scope, count = Scope("acme", "shop"), 2 * SAMPLE
    ids, vectors = [f"m{number}" for number in range(count)], unit_vectors(count, seed=4)

    def measured(order: list[int], asks_at: int) -> float:
        index = ProjectIndex(scope, DIMENSIONS)
        for start in range(0, count, asks_at):
            some = order[start : start + asks_at]
            index.put(index_rows([(n, memory(ids[n])) for n in some], [vectors[n] for n in some]))
            index.typical_cosine()
        return index.typical_cosine()

    shuffled = list(range(count))
    random.Random(5).shuffle(shuffled)
    first = sorted(range(count), key=lambda n: (sample_place(ids[n], sample_seed(scope)), ids[n]))[:SAMPLE]
    expected = typical_cosine(*quantized(vectors[first].astype(np.float16).astype(np.float32)))
    assert measured(list(range(count)), 100) == expected
    assert measured(shuffled, count) == expected
