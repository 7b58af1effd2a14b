"""Searches among trusted records alone, beside those among all, and the field that they ask for."""

from __future__ import annotations

import numpy as np
import pytest

from memory_layer.adapters.aws.search.documents import document_of
from memory_layer.adapters.aws.search.queries import arm_bodies
from memory_layer.adapters.aws.search.trusted_queries import arm_of, trusted_bodies
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Source
from memory_layer.manifest.index import TRUSTED, index_body
from memory_layer.ports.index import IndexQuery
from tests.given import START, a_memory
from tests.index_examples import SCOPE

MODEL = "model-in-use"


def query(trusted: int) -> IndexQuery:
    vector = np.zeros(4, np.float32)
    return IndexQuery(
        scopes=(SCOPE,),
        text=None,
        vector=vector,
        filters=Filters(),
        viewer=Viewer(),
        now=START,
        k=100,
        trusted=trusted,
    )


def test_a_search_among_trusted_records_asks_for_nothing_else_than_the_other_but_that() -> None:
    everything = arm_bodies(query(20), {}, {}, MODEL)["content_semantic"]
    among_trusted = {arm_of(name): body for name, body in trusted_bodies(query(20), {}, {}, MODEL).items()}
    trusted = among_trusted["content_semantic"]
    asked, of_trusted = (
        body["query"]["knn"]["content_vector"]["filter"]["bool"]["filter"] for body in (everything, trusted)
    )
    assert [clause for clause in of_trusted if clause not in asked] == [{"term": {TRUSTED: True}}]
    assert trusted["size"] < everything["size"]


def test_none_is_searched_where_nobody_asks() -> None:
    assert trusted_bodies(query(0), {}, {}, MODEL) == {}


@pytest.mark.parametrize(
    ("source", "approved_by", "is_trusted"),
    [("human", None, True), ("run", "rae@acme.test", True), ("run", None, False), ("learning", None, False)],
)
def test_a_document_says_if_people_vouch_for_it(
    source: Source, approved_by: str | None, is_trusted: bool
) -> None:
    document = document_of(a_memory(SCOPE, source=source, approved_by=approved_by), None)
    assert document[TRUSTED] is is_trusted


def test_the_mapping_knows_the_field() -> None:
    body = index_body("lucene", dimensions=4, model=MODEL, stop_words=())
    assert body["mappings"]["properties"][TRUSTED] == {"type": "boolean"}
