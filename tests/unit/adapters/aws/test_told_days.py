"""Days that records tell of, in documents, in searches, and in the scores that are read off hits."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from memory_layer.adapters.aws.search.documents import document_of
from memory_layer.adapters.aws.search.hit_scores import told_scores
from memory_layer.adapters.aws.search.queries import TOLD_DAYS, arm_bodies
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Ref
from memory_layer.domain.retrieval.told_days import day_number
from memory_layer.domain.time.resolve_times import resolve_times
from memory_layer.manifest import index
from memory_layer.ports.index import IndexQuery
from tests.given import START
from tests.index_examples import SCOPE, memory

DAY = day_number(date(2026, 2, 11))


def query(*days: tuple[int, int]) -> IndexQuery:
    return IndexQuery(
        scopes=(SCOPE,),
        text=None,
        vector=None,
        filters=Filters(),
        viewer=Viewer(),
        now=START,
        k=10,
        days=days,
    )


def hit(id: str, *told: str) -> dict[str, Any]:
    return {"sort": [0.0, SCOPE.project, id], "fields": {index.TOLD_COLUMN: list(told)} if told else {}}


def test_a_document_says_which_days_its_record_tells_of() -> None:
    told = document_of(memory(times=resolve_times("released on 11 February 2026", None)), None)
    assert told[index.TOLD] == [{"gte": DAY, "lte": DAY}]
    assert told[index.TOLD_COLUMN] == [f"{DAY}/{DAY}"]
    assert index.TOLD not in document_of(memory(), None)


def test_a_question_with_a_period_asks_for_what_tells_of_its_days() -> None:
    """Falls where the cloud finds records by their words alone."""
    bodies = arm_bodies(query((DAY, DAY)), {}, {}, "model")
    assert f"'lte': {DAY}, 'relation': 'intersects'" in str(bodies[TOLD_DAYS]["query"])
    assert bodies[TOLD_DAYS]["docvalue_fields"] == [index.TOLD_COLUMN]
    assert arm_bodies(query(), {}, {}, "model") == {}


def test_scores_are_shares_of_the_told_days() -> None:
    found = {
        TOLD_DAYS: {"hits": {"hits": [hit("day", f"{DAY}/{DAY}"), hit("week", f"{DAY - 6}/{DAY}")]}},
        "content_lexical": {
            "hits": {
                "hits": [hit("cut off", f"{DAY}/{DAY}"), hit("listed", f"{DAY}/{DAY + 1}"), hit("of before")]
            }
        },
    }
    listed = {Ref(SCOPE.project, "listed"): 2.0, Ref(SCOPE.project, "of before"): 1.0}
    scores = told_scores(found, [listed], ((DAY, DAY),))
    by_id = {ref.id: share for ref, share in scores.items()}
    assert by_id == {"day": 1.0, "week": pytest.approx(1 / 7), "listed": 0.5}
