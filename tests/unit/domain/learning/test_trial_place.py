"""Trial places: at most one of five, for what is new and about as relevant, where proven memories stand above it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.learning.exploration import ABOUT_AS_RELEVANT
from memory_layer.domain.learning.trial_place import LEAST_LIST, TrialHits, rows_to_try

FLAGS = st.lists(st.booleans(), min_size=12, max_size=12)
LIST, NEWEST = 5, 7


def hits(**changed: Any) -> TrialHits:
    """Eight hits that people vouch for, all about as relevant, the first proven and the last new."""
    given = {
        "semantic": [0.9] * 8,
        "is_proven": [True] + [False] * 7,
        "is_new": [False] * NEWEST + [True],
        "is_trusted": [True] * 8,
    }
    return TrialHits(**{name: np.array(column) for name, column in {**given, **changed}.items()})


def tried(found: TrialHits, k: int = LIST) -> list[int]:
    rows: list[int] = rows_to_try(found, k).tolist()
    return rows


def test_what_is_new_is_tried_beside_what_is_proven() -> None:
    assert tried(hits()) == [NEWEST]


@pytest.mark.parametrize(
    "changed",
    [
        {"is_proven": [False] * 8},
        {"is_proven": [False] * LIST + [True] * 3},
        {"is_new": [False] * 8},
        {"is_new": [True] + [False] * 6 + [True]},
        {"semantic": [0.9] * NEWEST + [0.9 - ABOUT_AS_RELEVANT - 0.01]},
        {"is_trusted": [True] + [False] * 7},
    ],
    ids=[
        "nothing proven",
        "nothing proven shown",
        "none new",
        "one shown already",
        "less relevant",
        "unreviewed",
    ],
)
def test_nothing_is_tried(changed: dict[str, Any]) -> None:
    """Each falls with its condition: a list without verdicts keeps its order, an attacker's line stands no higher."""
    assert tried(hits(**changed)) == []


def test_unreviewed_ones_are_tried_among_themselves() -> None:
    assert tried(hits(is_trusted=[False] * 8)) == [NEWEST]


@pytest.mark.parametrize("k", [1, LEAST_LIST - 1, 8, 20])
def test_brief_lists_and_whole_ones_try_nothing(k: int) -> None:
    assert tried(hits(), k) == []


@given(st.lists(st.floats(0.0, 1.0), min_size=12, max_size=12), FLAGS, FLAGS, FLAGS, st.integers(1, 14))
def test_what_is_tried_is_new_not_shown_and_as_relevant_as_the_last(
    semantic: list[float], proven: list[bool], new: list[bool], trusted: list[bool], k: int
) -> None:
    found = hits(semantic=semantic, is_proven=proven, is_new=new, is_trusted=trusted)
    for row in tried(found, k):
        assert row >= k >= LEAST_LIST
        assert new[row]
        assert semantic[row] >= sorted(semantic)[-k] - ABOUT_AS_RELEVANT
        assert trusted[row] or not any(trusted[:k])
