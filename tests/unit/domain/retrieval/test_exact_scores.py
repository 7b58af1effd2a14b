"""Scores are the same to the last bit, whichever backend computes them, and in whatever order memories came."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory_layer.adapters.project_index.bm25 import bm25
from memory_layer.adapters.project_index.postings import Postings, TermRows
from memory_layer.adapters.project_index.project_index import ProjectIndex
from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.abstention import SAMPLE, sample_place, sample_seed, typical_cosine
from memory_layer.domain.retrieval.exact_scores import (
    TextStatistics,
    bm25_of_counts,
    exact_cosines,
    quantized,
    said_once,
)
from memory_layer.domain.text.analyzer import MAX_LENGTH, analyze, encode_terms, encoded_length, term_hash
from tests.index_examples import DIMENSIONS, decode_terms, index_rows, memory, unit_vectors

WORDS = st.sampled_from(["wal", "mode", "lock", "queue", "cache", "days"])
TEXTS = st.lists(st.lists(WORDS, max_size=300).map(" ".join), min_size=1, max_size=12)


@given(
    texts=TEXTS,
    asked=st.lists(WORDS, min_size=1, max_size=4),
    others=st.sampled_from([0, 500]),
    batches=st.sampled_from([1, 3]),
)
def test_postings_and_counts_give_the_same_bits(
    texts: list[str], asked: list[str], others: int, batches: int
) -> None:
    """Among many other texts the few that hold a term are picked out; a batch is a segment."""
    texts = [*texts, *(f"other{number}" for number in range(others))]
    rows = [encode_terms(analyze(text)) for text in texts]
    decoded = [decode_terms(row) for row in rows]
    postings = Postings()
    for batch in np.array_split(np.arange(len(decoded)), batches):
        postings.extend(_term_rows([decoded[at] for at in batch]))
        postings.view(None)
    view, query = postings.view(None), Counter(map(term_hash, analyze(" ".join(asked))))
    holders = {term: sum(term in hashes for hashes, _ in decoded) for term in query}
    statistics = TextStatistics(view.texts, view.total_length, holders)
    said = [dict(zip(hashes.tolist(), counts.tolist(), strict=True)) for hashes, counts in decoded]
    counts = np.array([[row.get(term, 0) for term in query] for row in said], np.uint8)
    lengths = np.array([encoded_length(row) for row in rows], np.uint16)
    expected = bm25_of_counts(counts, lengths, query, statistics)
    found = bm25(view, query)
    slots = range(len(texts)) if found.slots is None else found.slots.tolist()
    scores = dict(zip(slots, found.scores.tolist(), strict=True))
    assert [scores.get(slot, 0.0) for slot in range(len(texts))] == expected.tolist()
    assert view.once.tolist() == said_once(lengths, view.texts, view.total_length).tolist()


def _term_rows(decoded: list[tuple[NDArray[np.uint32], NDArray[np.uint8]]]) -> TermRows:
    return TermRows(
        np.concatenate([np.empty(0, np.uint32), *(hashes for hashes, _ in decoded)]),
        np.concatenate([np.empty(0, np.uint8), *(counts for _, counts in decoded)]),
        np.array([len(hashes) for hashes, _ in decoded], np.int64),
    )


def test_after_a_compaction_every_text_is_damped_by_its_own_length() -> None:
    """Safeguard: `Postings.renumber` forgets what was computed; number and sum of the lengths are those of before."""
    rows = [encode_terms(analyze(text)) for text in ("wal " * 9, "wal")]
    decoded = [decode_terms(row) for row in rows]
    postings = Postings()
    postings.extend(_term_rows([decoded[0], decoded[1]]))
    before = postings.view(None).once
    postings.remove(np.array([0]))
    postings.renumber(np.array([-1, 0], np.int32))
    postings.extend(_term_rows([decoded[0]]))
    assert postings.view(None).once.tolist() == before[::-1].tolist()


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
