"""Tables of candidates: their lists are cut, joined and ordered as lists of records would be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.memory import Ref
from memory_layer.domain.retrieval.candidates import (
    LISTS,
    TOLD,
    best_rows,
    candidates_of_lists,
    joined,
    table_of_refs,
)
from memory_layer.domain.retrieval.facts import fact_dtype
from memory_layer.domain.retrieval.merged_candidates import cut_to, united

refs = st.builds(Ref, st.sampled_from(["shop", "_shared"]), st.sampled_from("abcdefgh"))
lists = st.fixed_dictionaries(
    {name: st.dictionaries(refs, st.integers(0, 4).map(float), max_size=8) for name in LISTS}
)


def in_order(scores: dict[Ref, float]) -> list[Ref]:
    return sorted(scores, key=lambda ref: (-scores[ref], ref))


@given(lists, st.integers(0, 5))
def test_each_list_is_cut_to_its_best(drawn: dict[str, dict[Ref, float]], k: int) -> None:
    cut = cut_to(candidates_of_lists("acme", drawn), k)
    for name, scores in drawn.items():
        best = {ref: scores[ref] for ref in in_order(scores)[:k]}
        if name == LISTS[TOLD]:  # what another list keeps still tells of its days
            kept = cut.ranked(name)
            assert best.keys() <= kept.keys() <= scores.keys()
        else:
            assert cut.ranked(name) == best
    assert not np.isnan(cut.scores).all(axis=0).any()


@given(lists, lists)
def test_of_a_record_in_both_searches_the_newer_scores_hold(
    new: dict[str, dict[Ref, float]], old: dict[str, dict[Ref, float]]
) -> None:
    table = united(candidates_of_lists("acme", new), candidates_of_lists("acme", old))
    changed = {ref for scores in new.values() for ref in scores}
    for name in LISTS:
        kept = {ref: score for ref, score in old[name].items() if ref not in changed}
        assert table.ranked(name) == {**kept, **new[name]}


@given(st.lists(refs, unique=True), st.data(), st.integers(0, 10))
def test_best_rows_are_those_of_a_full_sort(drawn: list[Ref], data: st.DataObject, k: int) -> None:
    merit = data.draw(st.lists(st.integers(0, 3).map(float), min_size=len(drawn), max_size=len(drawn)))
    rows = best_rows(np.array(merit, float), table_of_refs("acme", drawn), k)
    assert [drawn[row] for row in rows] == in_order(dict(zip(drawn, merit, strict=True)))[:k]


def test_a_table_without_rows_takes_no_facts_from_the_others() -> None:
    """Facts spare the reading of every record; an empty list of refs has none to give."""
    known = replace(table_of_refs("acme", [Ref("shop", "a")]), facts=np.zeros(1, fact_dtype()))
    nothing = table_of_refs("acme", ())

    together = joined([nothing, known, nothing])
    assert together.refs() == [Ref("shop", "a")]
    assert together.facts is not None
    assert len(joined([nothing, nothing])) == 0
    assert joined([known, table_of_refs("acme", [Ref("shop", "b")])]).facts is None
