"""Which records of a tier nobody has written to for a while, as OpenSearch is asked: candidates for another tier."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memory_layer.adapters.aws.search.filter_clauses import in_scopes
from memory_layer.adapters.aws.table.keys import microseconds
from memory_layer.domain.memory import Scope, Tier


def settled_body(
    scope: Scope, tier: Tier, since: datetime | None, until: datetime, after: str | None, k: int
) -> dict[str, Any]:
    """Of ids alone, in order. Args: since, until: of `updated_at`, the first included, the last not."""
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
