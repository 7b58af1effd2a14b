"""Hits of words tell if their record has a vector of the model in use: OpenSearch brings the column with them."""

from __future__ import annotations

from typing import Any

from memory_layer.adapters.aws.search.queries import arm_bodies, unembedded_of
from memory_layer.adapters.aws.search.term_weights import query_counts_by_hash, query_terms
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Ref
from memory_layer.domain.retrieval.candidates import candidates_of_lists
from memory_layer.domain.retrieval.exact_scores import TextStatistics
from memory_layer.manifest.index import CONTENT_TEXT, CONTEXT_TEXT
from memory_layer.ports.index import IndexQuery
from tests.given import START
from tests.index_examples import SCOPE

MODEL = "model-in-use"


def hit(id: str, **fields: list[Any]) -> dict[str, Any]:
    return {"sort": [2.5, 7, SCOPE.project, id], "fields": {"counts": [[1]], **fields}}


FOUND = {
    "content_lexical": {
        "hits": {
            "hits": [
                hit("current", embedding_model=[MODEL]),
                hit("earlier", embedding_model=["earlier-model"]),
                hit("none"),
            ]
        }
    },
    "content_semantic": {"hits": {"hits": [hit("near")]}},
}


def test_every_list_of_words_asks_for_the_model() -> None:
    terms = query_terms("queue")
    known = TextStatistics(3, 9, dict.fromkeys(query_counts_by_hash(terms), 3))
    query = IndexQuery(
        scopes=(SCOPE,), text="queue", vector=None, filters=Filters(), viewer=Viewer(), now=START, k=10
    )
    statistics = {SCOPE.project: {CONTENT_TEXT: known, CONTEXT_TEXT: known}}
    bodies = arm_bodies(query, statistics, terms, MODEL)
    assert [body["docvalue_fields"] for body in bodies.values()] == [["embedding_model"]] * 2


def test_what_names_no_model_or_another_has_words_only() -> None:
    lacking = unembedded_of(FOUND, MODEL)
    assert lacking == {Ref(SCOPE.project, "earlier"), Ref(SCOPE.project, "none")}
    refs = {Ref(SCOPE.project, id): 1.0 for id in ("current", "earlier", "none")}
    table = candidates_of_lists(SCOPE.tenant, {"content_lexical": refs}, lacking)
    assert table.records.lack_vectors().tolist() == [False, True, True]
