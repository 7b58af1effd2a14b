"""Weights of a query's terms in each project that is asked: BM25's idf, of that project's texts alone.

An index holds many tenants' projects, and its own statistics are of all of them: what is rare in one project may be in
every text of another, and nobody's ranking may depend on strangers.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from memory_layer.adapters.aws.search.filter_clauses import in_scopes
from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.abstention import WordCounts, added_up
from memory_layer.domain.retrieval.exact_scores import TextStatistics, inverse_frequencies
from memory_layer.domain.text.analyzer import analyze, term_hash
from memory_layer.manifest.index import CONTENT_TEXT, LENGTHS, MAX_TERM_CHARS

TermWeights = Mapping[str, float]
"""Idf of each term, times how often the query says it."""

FieldStatistics = Mapping[str, Mapping[str, TextStatistics]]
"""By project, then by text field."""

MAX_QUERY_TERMS: Final = 900
"""OpenSearch takes 1,024 clauses, those of the filters included; the commonest terms of a longer text count."""

TEXTS_EXAMINED_MAX: Final = 20_000
"""Texts in each shard by which terms are weighed: all of most projects, enough of any; bounds the time."""


UNKNOWN: Final = 0
"""Length of all texts in an index that was built before texts were measured: the engine's own scores stand there."""


def query_terms(text: str) -> dict[str, int]:
    """Terms of a query with their counts in it."""
    said = Counter(analyze(text))
    commonest = {term for term, _ in said.most_common(MAX_QUERY_TERMS) if len(term) <= MAX_TERM_CHARS}
    return {term: count for term, count in said.items() if term in commonest}


def query_counts_by_hash(terms: Mapping[str, int]) -> dict[int, int]:
    """Counts of a query's terms, by the hash that texts are stored with. Args: terms: as `query_terms`."""
    said: Counter[int] = Counter()
    for term, count in terms.items():
        said[term_hash(term)] += count
    return dict(said)


def holders_body(scopes: Sequence[Scope], terms: Mapping[str, int], fields: Sequence[str]) -> dict[str, Any]:
    """Request for each project's number of texts in each field, their length, and the number with each term."""
    in_fields = {field: _of_field(field, terms) for field in fields}
    return {
        "query": {"bool": {"filter": in_scopes(scopes)}},
        "size": 0,
        "track_total_hits": False,
        "terminate_after": TEXTS_EXAMINED_MAX,
        "aggs": {
            "projects": {
                "filters": {
                    "filters": {scope.project: {"term": {"project": scope.project}} for scope in scopes}
                },
                "aggs": in_fields,
            }
        },
    }


def field_statistics(
    answer: Mapping[str, Any], fields: Sequence[str], terms: Mapping[str, int]
) -> FieldStatistics:
    """Statistics of the fields in each project.

    Args:
        answer: to `holders_body`.
        fields, terms: as there.
    """
    projects = answer["aggregations"]["projects"]["buckets"]
    hashes = [term_hash(term) for term in terms]
    return {
        project: {field: _statistics(bucket[field], hashes) for field in fields}
        for project, bucket in projects.items()
    }


def term_weights(statistics: TextStatistics, terms: Mapping[str, int]) -> TermWeights:
    """Weights of the terms. Args: terms: as `query_terms`."""
    import numpy as np  # late: who reads a record need not load it

    holders = np.array([statistics.holders[term_hash(term)] for term in terms], np.int64)
    weights = inverse_frequencies(statistics.texts, holders).tolist()
    return {term: count * weight for (term, count), weight in zip(terms.items(), weights, strict=True)}


def word_counts(statistics: FieldStatistics, terms: Iterable[str]) -> WordCounts:
    """Numbers of records in all projects with each of these terms, in content or in context."""
    said = [(term, term_hash(term)) for term in terms]
    return added_up(
        WordCounts(
            fields[CONTENT_TEXT].texts,
            {term: max(field.holders.get(hash, 0) for field in fields.values()) for term, hash in said},
        )
        for fields in statistics.values()
    )


def _of_field(field: str, terms: Mapping[str, int]) -> dict[str, Any]:
    holders = {"filters": {"filters": [{"term": {field: term}} for term in terms]}}
    lengths = {"stats": {"field": LENGTHS[field]}}
    says_something = {"filter": [{"exists": {"field": field}}], "must_not": [{"term": {LENGTHS[field]: 0}}]}
    return {"filter": {"bool": says_something}, "aggs": {"holders": holders, "lengths": lengths}}


def _statistics(found: Mapping[str, Any], hashes: Sequence[int]) -> TextStatistics:
    """Statistics of texts; where not all were measured, as in an index of before, their length is unknown."""
    counts = (bucket["doc_count"] for bucket in found["holders"]["buckets"])
    texts, lengths = found["doc_count"], found["lengths"]
    total_length = round(lengths["sum"]) if lengths["count"] == texts else UNKNOWN
    return TextStatistics(texts, total_length, dict(zip(hashes, counts, strict=True)))
