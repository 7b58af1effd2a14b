"""Request bodies of upkeep: records settled in a tier, vectors of the model in use, and documents without one."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memory_layer.adapters.aws.search.filter_clauses import in_scopes, of_model
from memory_layer.adapters.aws.table.keys import microseconds
from memory_layer.domain.integrity.index_comparison import VectorCoverage
from memory_layer.domain.memory import AWAITING_STATUSES, Scope, Tier
from memory_layer.ports.index import ReviewBacklog


def settled_body(
    scope: Scope, tier: Tier, since: datetime | None, until: datetime, after: str | None, k: int
) -> dict[str, Any]:
    """Search for ids alone, in order. Args: since, until: of `updated_at`, the first included, the last not."""
    written = {"lt": microseconds(until)} | ({} if since is None else {"gte": microseconds(since)})
    conditions = [*in_scopes((scope,)), {"term": {"tier": tier}}, {"range": {"updated_at": written}}]
    body: dict[str, Any] = {
        "size": k,
        "track_total_hits": False,
        "query": {"bool": {"filter": conditions, "must_not": [{"term": {"pinned": True}}]}},
        "sort": [{"id": "asc"}],
        "_source": False,
        "docvalue_fields": ["id"],
    }
    return body if after is None else {**body, "search_after": [after]}


def coverage_body(model: str) -> dict[str, Any]:
    """Count of vectors over all tenants: numbers alone come back."""
    return {
        "size": 0,
        "track_total_hits": True,
        "query": {"bool": {"filter": [{"term": {"is_tombstone": False}}]}},
        "aggs": {"with_vector": {"filter": of_model(model)}},
    }


def coverage_of(answer: Mapping[str, Any]) -> VectorCoverage:
    found = answer["aggregations"]["with_vector"]["doc_count"]
    return VectorCoverage(answer["hits"]["total"]["value"], found)


def backlog_body() -> dict[str, Any]:
    """Count of what waits for a person over all tenants, and the first creation of it."""
    waits = [{"term": {"is_tombstone": False}}, {"terms": {"status": list(AWAITING_STATUSES)}}]
    return {
        "size": 0,
        "track_total_hits": True,
        "query": {"bool": {"filter": waits}},
        "aggs": {"oldest": {"min": {"field": "created_at"}}},
    }


def backlog_of(answer: Mapping[str, Any]) -> ReviewBacklog:
    oldest, total = answer["aggregations"]["oldest"]["value"], answer["hits"]["total"]["value"]
    return ReviewBacklog(total, datetime.fromtimestamp(oldest / 1_000_000, UTC) if total else None)


def unembedded_body(scope: Scope, model: str, after: str | None, k: int) -> dict[str, Any]:
    body: dict[str, Any] = {
        "size": k,
        "track_total_hits": False,
        "query": {"bool": {"filter": in_scopes((scope,)), "must_not": [of_model(model)]}},
        "sort": [{"id": "asc"}],
        "_source": False,
        "docvalue_fields": ["id"],
    }
    return body if after is None else {**body, "search_after": [after]}


def ids_of(answer: Mapping[str, Any]) -> list[str]:
    return [hit["fields"]["id"][0] for hit in answer["hits"]["hits"]]
