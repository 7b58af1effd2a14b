"""What the search index is asked, as request bodies; and what its scores say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from memory_layer.adapters.aws.index_filters import Clause, accepted, in_scopes
from memory_layer.adapters.aws.term_weights import TermWeights
from memory_layer.domain.memory import Ref, Scope
from memory_layer.manifest import index
from memory_layer.ports import IndexQuery, Vector

Body = dict[str, Any]

MAX_HITS: Final = 10_000
"""OpenSearch's `index.max_result_window`."""

NEIGHBOURS_VISITED: Final = 128
"""The graph's search keeps so many candidates even where fewer are asked for: with 8 it misses some of the 8."""

ARMS: Final = {
    "content_lexical": index.CONTENT_TEXT,
    "content_semantic": index.CONTENT_VECTOR,
    "context_lexical": index.CONTEXT_TEXT,
    "context_semantic": index.CONTEXT_VECTOR,
}
"""The field behind each list of `domain.blending.Arms`."""

_CONTENT_ARMS = ("content_lexical", "content_semantic")
_TIMEOUT = "2500ms"
"""Nobody waits for an answer beyond the client's 3 s."""


def arm_bodies(query: IndexQuery, weights: Mapping[str, TermWeights], model: str) -> dict[str, Body]:
    """One search for each list that the query asks for, by its name in `Arms`.

    Args:
        weights: of the query's terms by text field; none: no word to look for.
        model: vectors of another are not searched.
    """
    size = min(query.k, MAX_HITS)
    if size < 1:
        return {}
    conditions = [*in_scopes(query.scopes), *accepted(query.filters, query.viewer, query.now)]
    bodies: dict[str, Body] = {}
    for arm in _CONTENT_ARMS if query.content_only else ARMS:
        if weights.get(ARMS[arm]):
            bodies[arm] = _hits(_lexical(ARMS[arm], weights[ARMS[arm]], conditions), size)
        if arm.endswith("_semantic") and query.vector is not None:
            bodies[arm] = _hits(_semantic(ARMS[arm], query.vector, size, [*conditions, _of(model)]), size)
    return bodies


def sample_body(scope: Scope, model: str, size: int) -> Body:
    """Vectors of contents in an order that is nobody's and always the same; the total says how many there are.

    Args:
        size: 0 counts them only, which the index answers from its cache.
    """
    has_vector: Clause = {"exists": {"field": index.CONTENT_VECTOR}}
    body = {
        "query": {"bool": {"filter": [*in_scopes((scope,)), _of(model), has_vector]}},
        "size": size,
        "track_total_hits": True,
        "timeout": _TIMEOUT,
    }
    return {**body, "sort": ["key_hash", "id"], "_source": [index.CONTENT_VECTOR]} if size else body


def standing_body(conditions: list[Clause], k: int) -> Body:
    """Standing first, then as hits are sorted: by id, then by project."""
    body = _hits({"bool": {"filter": conditions}}, min(k, MAX_HITS))
    return {**body, "sort": [{"standing": "desc"}, {"id": "asc"}, {"project": "asc"}]}


def mention_body(key: str, conditions: list[Clause], k: int) -> Body:
    """The records tied to one thing, and how many there are; `k` 0 counts them."""
    return {
        **standing_body([*conditions, {"term": {index.MENTIONS: key}}], k),
        "size": min(k, MAX_HITS),
        "track_total_hits": True,
    }


def cosine_of(score: float) -> float:
    """The inner product that OpenSearch made a positive score of.

    Source: OpenSearch, k-NN, Spaces, `innerproduct`: 1 + p from 0 up, 1 / (1 - p) below.
    """
    return score - 1.0 if score >= 1.0 else 1.0 - 1.0 / score


def ref_and_score(hit: Body) -> tuple[Ref, float]:
    """Of a hit of an arm, read off what it was sorted by."""
    score, project, id = hit["sort"]
    return Ref(project, id), score


def standing_ref(hit: Body) -> Ref:
    _, id, project = hit["sort"]
    return Ref(project, id)


def _hits(query: Clause, size: int) -> Body:
    """Best first, then by project and id. Nothing stored is read: that takes longer than the search itself."""
    return {
        "query": query,
        "size": size,
        "sort": ["_score", {"project": "asc"}, {"id": "asc"}],
        "stored_fields": "_none_",
        "track_total_hits": False,
        "timeout": _TIMEOUT,
    }


def _lexical(field: str, weights: TermWeights, conditions: list[Clause]) -> Clause:
    """The sum of the terms' BM25; one clause each, because a `match` takes what stands together for synonyms."""
    said = [{"term": {field: {"value": term, "boost": weight}}} for term, weight in weights.items()]
    return {"bool": {"filter": conditions, "should": said, "minimum_should_match": 1}}


def _semantic(field: str, vector: Vector, size: int, conditions: list[Clause]) -> Clause:
    nearest = {
        "vector": vector.tolist(),
        "k": max(size, NEIGHBOURS_VISITED),
        "filter": {"bool": {"filter": conditions}},
    }
    return {"knn": {field: nearest}}


def _of(model: str) -> Clause:
    return {"term": {"embedding_model": model}}
