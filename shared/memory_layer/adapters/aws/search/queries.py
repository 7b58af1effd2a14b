"""Request bodies of searches, and the scores and hits of their answers."""

from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import Final

from memory_layer.adapters.aws.search.filter_clauses import (
    Body,
    Clause,
    filter_clauses,
    in_scopes,
    of_model,
    telling,
)
from memory_layer.adapters.aws.search.term_weights import (
    MAX_QUERY_TERMS,
    FieldStatistics,
    query_counts_by_hash,
    term_weights,
)
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Ref, Scope
from memory_layer.domain.retrieval.abstention import SAMPLE
from memory_layer.domain.retrieval.mentions import MentionedRecords
from memory_layer.manifest import index
from memory_layer.ports.commit import Vector
from memory_layer.ports.index import IndexQuery, NearQuery

MAX_HITS: Final = 10_000
"""OpenSearch's `index.max_result_window`."""

LONGER_BY_WORDS: Final = 2
"""Lists of words are asked for so many times as long as wanted: Lucene rounds the length of a text, up to 6 %, and
what comes is scored again."""
SPARE_NEIGHBOURS: Final = 28
"""Hits asked for beyond those wanted: they are found by approximation."""

NEIGHBOURS_VISITED: Final = 128
"""The graph's search keeps so many candidates even where fewer are asked for: with 8 it misses some of the 8."""

ARMS: Final = {
    "content_lexical": index.CONTENT_TEXT,
    "content_semantic": index.CONTENT_VECTOR,
    "context_lexical": index.CONTEXT_TEXT,
    "context_semantic": index.CONTEXT_VECTOR,
}
"""The field behind each list of `domain.retrieval.candidates.LISTS`."""

TOLD_DAYS: Final = "told_days"
"""List of the records that tell of the days asked for."""

_CONTENT_ARMS = ("content_lexical", "content_semantic")
_TIMEOUT = "2500ms"
"""Nobody waits for an answer beyond the client's 3 s."""


TERM_COUNTS: Final = "counts"
"""Column that comes with each hit of words: the count of each term of the query in it."""

_COUNTING: Final = """
long hashAt(byte[] bytes, int at) {
    long hash = 0;
    for (int n = 3; n >= 0; n--) { hash = hash * 256 + Byte.toUnsignedInt(bytes[at + n]); }
    return hash;
}
if (!doc.containsKey(params.column) || doc[params.column].size() == 0) { return null; }
BytesRef row = doc[params.column].get(0);
int terms = row.length / 5;
List counts = new ArrayList();
for (Number wanted : params.hashes) {
    int low = 0;
    int high = terms;
    while (low < high) {
        int middle = (low + high) / 2;
        if (hashAt(row.bytes, row.offset + 4 * middle) < wanted.longValue()) { low = middle + 1; }
        else { high = middle; }
    }
    boolean isThere = low < terms && hashAt(row.bytes, row.offset + 4 * low) == wanted.longValue();
    int count = isThere ? Byte.toUnsignedInt(row.bytes[row.offset + 4 * terms + low]) : 0;
    counts.add(count);
}
return counts;
"""
"""Looks the terms up in what `analysis.encode_terms` wrote: a long text has thousands, and a query some."""


def arm_bodies(
    query: IndexQuery,
    statistics: FieldStatistics,
    terms: Mapping[str, int],
    model: str,
    further: Sequence[Clause] = (),
) -> dict[str, Body]:
    """Searches for the lists that the query asks for, by the names in LISTS; more of each than is asked for.

    Args:
        statistics: of the query's terms; none: no word to look for.
        terms: as `query_terms`.
        model: vectors of another are not searched.
        further: conditions of this search alone.
    """
    if query.k < 1:
        return {}
    filters = filter_clauses(query.filters, query.viewer, query.now)
    conditions = [*in_scopes(query.scopes), *filters, *further]
    bodies: dict[str, Body] = {}
    for arm, field in ARMS.items():
        if query.content_only and arm not in _CONTENT_ARMS:
            continue
        if arm.endswith("_lexical") and (said := _word_clauses(field, statistics, terms)):
            lexical: Clause = {"bool": {"filter": conditions, "should": said, "minimum_should_match": 1}}
            bodies[arm] = {
                **_hits(lexical, LONGER_BY_WORDS * query.k, "embedding_model", [index.LENGTHS[field]]),
                "script_fields": {TERM_COUNTS: {"script": _counting(index.TERMS[field], terms)}},
            }
        if arm.endswith("_semantic") and query.vector is not None:
            size = min(query.k + SPARE_NEIGHBOURS, MAX_HITS)
            semantic = _semantic(field, query.vector, size, [*conditions, of_model(model)])
            bodies[arm] = _hits(semantic, size, index.EXACT[field])
    return _with_told_days(bodies, conditions, query) if query.days else bodies


def _with_told_days(bodies: dict[str, Body], conditions: list[Clause], query: IndexQuery) -> dict[str, Body]:
    """Searches with the days that each hit tells of, and one for those asked for, what tells of no other first."""
    asked = {**bodies, TOLD_DAYS: _hits(telling(query.days, conditions), query.k)}
    return {
        arm: {**body, "docvalue_fields": [*body["docvalue_fields"], index.TOLD_COLUMN]}
        for arm, body in asked.items()
    }


def near_content_queries(query: NearQuery) -> list[IndexQuery]:
    """Searches for the contents near to each vector, one each."""
    return [
        IndexQuery(
            scopes=(query.scope,),
            text=None,
            vector=vector,
            filters=Filters(),
            viewer=query.viewer,
            now=query.now,
            k=query.k,
            content_only=True,
            nearer_than=query.nearer_than,
        )
        for vector in query.vectors
    ]


def sample_body(scope: Scope, model: str, *, with_vectors: bool) -> Body:
    """Search for the project's sample of contents with their versions; in order of `abstention.sample_place`."""
    has_vector: Clause = {"exists": {"field": index.CONTENT_VECTOR}}
    return {
        "query": {"bool": {"filter": [*in_scopes((scope,)), of_model(model), has_vector]}},
        "size": SAMPLE,
        "sort": ["key_hash", "id", "version_hash"],
        "stored_fields": "_none_",
        "docvalue_fields": [index.EXACT[index.CONTENT_VECTOR]] if with_vectors else [],
        "track_total_hits": False,
        "timeout": _TIMEOUT,
    }


def count_body(query: IndexQuery) -> Body:
    """Count of the records that a search looks at."""
    conditions = [*in_scopes(query.scopes), *filter_clauses(query.filters, query.viewer, query.now)]
    return {
        "query": {"bool": {"filter": conditions}},
        "size": 0,
        "track_total_hits": True,
        "timeout": _TIMEOUT,
    }


def standing_body(conditions: list[Clause], k: int) -> Body:
    """Search for the records of highest standing, then as hits are sorted: by id, then by project."""
    body = _hits({"bool": {"filter": conditions}}, min(k, MAX_HITS))
    return {**body, "sort": [{"standing": "desc"}, {"id": "asc"}, {"project": "asc"}]}


def mention_body(key: str, conditions: list[Clause], k: int) -> Body:
    """Search for the records tied to one thing, and their number; `k` 0 counts them."""
    return {
        **standing_body([*conditions, {"term": {index.MENTIONS: key}}], k),
        "size": min(k, MAX_HITS),
        "track_total_hits": True,
    }


def cosine_of(score: float) -> float:
    """Inner product of OpenSearch's score, which is always positive.

    Source: OpenSearch, k-NN, Spaces, `innerproduct`: 1 + p from 0 up, 1 / (1 - p) below.
    """
    return score - 1.0 if score >= 1.0 else 1.0 - 1.0 / score


def ref_and_score(hit: Body) -> tuple[Ref, float]:
    """Ref and score of a hit of an arm, read off what it was sorted by."""
    score, *_, project, id = hit["sort"]
    return Ref(project, id), score


def standing_ref(hit: Body) -> Ref:
    _, id, project = hit["sort"]
    return Ref(project, id)


def unembedded_of(answers: Mapping[str, Body], model: str) -> set[Ref]:
    """Records among the hits of words that have no vector of the model in use. Args: answers: by the names in LISTS."""
    return {
        ref_and_score(hit)[0]
        for arm, answer in answers.items()
        if arm.endswith("_lexical")
        for hit in hits_of(answer)
        if hit.get("fields", {}).get("embedding_model") != [model]
    }


def hits_of(answer: Body) -> list[Body]:
    hits: list[Body] = answer.get("hits", {}).get("hits", [])
    return hits


def total_of(answer: Body) -> int:
    return int(answer.get("hits", {}).get("total", {}).get("value", 0))


def mentioned_of(answer: Body, hub_above: int) -> MentionedRecords:
    total = total_of(answer)
    hits = hits_of(answer) if total <= hub_above else []
    return MentionedRecords(total, tuple(map(standing_ref, hits)), tuple(hit["sort"][0] for hit in hits))


def _hits(query: Clause, size: int, column: str | None = None, then: Sequence[str] = ()) -> Body:
    """Search with the best first, then by project and id. Nothing stored is read: that takes longer than the search.

    Args:
        column: comes with each hit.
        then: by what else equal scores are sorted, before that; an index of before may not have it.
    """
    ascending = {"order": "asc", "unmapped_type": "integer"}
    return {
        "query": query,
        "size": min(size, MAX_HITS),
        "sort": [
            "_score",
            *({name: ascending} for name in then),
            {"project": "asc"},
            {"id": "asc"},
        ],
        "stored_fields": "_none_",
        "docvalue_fields": [column] if column else [],
        "track_total_hits": False,
        "timeout": _TIMEOUT,
    }


def _counting(column: str, terms: Mapping[str, int]) -> Body:
    """Score by counts of terms, with one source for all queries, so that it is compiled once."""
    return {"source": _COUNTING, "params": {"column": column, "hashes": list(query_counts_by_hash(terms))}}


def _word_clauses(field: str, statistics: FieldStatistics, terms: Mapping[str, int]) -> list[Clause]:
    """Clauses of each project for the sum of the terms' BM25, each with its weight there.

    One clause a term, because a `match` takes what stands together for synonyms. There is room for so many: of a long
    text on two projects those that weigh most find the candidates, and all of them score.
    """
    said: list[Clause] = []
    for project, fields in statistics.items():
        if not fields[field].texts:
            continue
        weights = term_weights(fields[field], terms)
        heaviest = nlargest(MAX_QUERY_TERMS // len(statistics), weights.items(), key=lambda one: one[1])
        clauses = [{"term": {field: {"value": term, "boost": weight}}} for term, weight in heaviest]
        said.append(
            {
                "bool": {
                    "filter": [{"term": {"project": project}}],
                    "should": clauses,
                    "minimum_should_match": 1,
                }
            }
        )
    return said


def _semantic(field: str, vector: Vector, size: int, conditions: list[Clause]) -> Clause:
    nearest = {
        "vector": vector.tolist(),
        "k": max(size, NEIGHBOURS_VISITED),
        "filter": {"bool": {"filter": conditions}},
    }
    return {"knn": {field: nearest}}
