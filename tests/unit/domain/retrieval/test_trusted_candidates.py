"""Candidates that people vouch for: when they are crowded out, and how they come back in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from memory_layer.domain.memory import Ref
from memory_layer.domain.retrieval.candidates import LISTS, CandidateTable, candidates_of_lists
from memory_layer.domain.retrieval.facts import facts_of
from memory_layer.domain.retrieval.trusted_candidates import (
    TRUSTED_KEPT,
    complete,
    is_crowded,
    with_best_trusted,
)
from tests.given import SCOPE, a_memory


def ref(number: int) -> Ref:
    return Ref(SCOPE.project, f"m{number:03d}")


def table(trusted: int, others: int) -> CandidateTable:
    """Records found by meaning, those of people last."""
    refs = [ref(number) for number in range(trusted + others)]
    found = candidates_of_lists(SCOPE.tenant, {"content_semantic": dict.fromkeys(refs, 0.5)})
    sources = ["run"] * others + ["human"] * trusted
    facts = facts_of(
        [a_memory(SCOPE, one.id, source=source) for one, source in zip(refs, sources, strict=True)]
    )
    return replace(found, records=replace(found.records, facts=facts))


def test_a_full_list_with_few_trusted_records_is_crowded() -> None:
    assert is_crowded(table(trusted=2, others=8), k=10, trusted=3)
    assert not is_crowded(table(trusted=3, others=7), k=10, trusted=3)
    assert not is_crowded(table(trusted=2, others=7), k=10, trusted=3)


def test_candidates_are_added_and_their_lacking_scores_filled() -> None:
    one = candidates_of_lists(SCOPE.tenant, {"content_semantic": {ref(1): 0.5}})
    more = candidates_of_lists(
        SCOPE.tenant, {"content_semantic": {ref(1): 0.5, ref(2): 0.4}, "content_lexical": {ref(1): 3.0}}
    )
    both = complete(one, more)
    assert both.ranked("content_semantic") == {ref(1): 0.5, ref(2): 0.4}
    assert both.ranked("content_lexical") == {ref(1): 3.0}
    assert both.scores.shape == (len(LISTS), 2)
    assert complete(one, None) is one


def test_the_best_trusted_records_join_those_that_are_ranked() -> None:
    found = table(trusted=8, others=10)
    merit = np.linspace(1.0, 0.1, 18)
    is_trusted = np.arange(18) >= 10
    joined = with_best_trusted(np.arange(10), merit, is_trusted, found.records)
    assert joined.tolist() == [*range(10), *range(10, 10 + TRUSTED_KEPT)]
    enough = np.arange(10 + TRUSTED_KEPT)
    assert with_best_trusted(enough, merit, is_trusted, found.records) is enough
