"""What each term of a query weighs in the projects that are asked: BM25's idf, of their own texts alone.

An index holds many tenants' projects, and its own statistics are of all of them: what is rare in one project may be in
every text of another, and nobody's ranking may depend on strangers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from memory_layer.adapters.aws.index_filters import in_scopes
from memory_layer.domain.analysis import analyze
from memory_layer.domain.memory import Scope
from memory_layer.manifest.index import MAX_TERM_CHARS

TermWeights = Mapping[str, float]
"""Idf of each term, times how often the query says it."""

MAX_QUERY_TERMS: Final = 900
"""OpenSearch takes 1,024 clauses, those of the filters included; the commonest terms of a longer text count."""

LOOKED_AT: Final = 20_000
"""Texts in each shard by which terms are weighed: all of most projects, enough of any; bounds the time."""


def query_terms(text: str) -> dict[str, int]:
    """The terms of a query and how often it says each."""
    said = Counter(analyze(text)).most_common(MAX_QUERY_TERMS)
    return {term: count for term, count in said if len(term) <= MAX_TERM_CHARS}


def holders_body(scopes: Sequence[Scope], terms: Mapping[str, int], fields: Sequence[str]) -> dict[str, Any]:
    """How many texts there are in each field, and how many of them hold each term."""
    return {
        "query": {"bool": {"filter": in_scopes(scopes)}},
        "size": 0,
        "track_total_hits": False,
        "terminate_after": LOOKED_AT,
        "aggs": {field: _of_field(field, terms) for field in fields},
    }


def term_weights(answer: Mapping[str, Any], field: str, terms: Mapping[str, int]) -> TermWeights:
    """
    Args:
        answer: to `holders_body`.
        terms: as there.

    Source: Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework"; as in Lucene since 8.
    """
    found = answer["aggregations"][field]
    texts, holders = found["doc_count"], found["holders"]["buckets"]
    return {
        term: count * math.log1p((texts - bucket["doc_count"] + 0.5) / (bucket["doc_count"] + 0.5))
        for (term, count), bucket in zip(terms.items(), holders, strict=True)
    }


def _of_field(field: str, terms: Mapping[str, int]) -> dict[str, Any]:
    holders = {"filters": {"filters": [{"term": {field: term}} for term in terms]}}
    return {"filter": {"exists": {"field": field}}, "aggs": {"holders": holders}}
