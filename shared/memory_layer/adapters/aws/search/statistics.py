"""Counts of a project, as aggregations; the same numbers as the embedded backend's SQL."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, get_args

from memory_layer.adapters.aws.search.filter_clauses import (
    expired_clause,
    in_scopes,
    in_tenant,
    of_model,
    visible_to,
)
from memory_layer.adapters.aws.table.keys import EPOCH, microseconds
from memory_layer.domain.access import Viewer
from memory_layer.domain.memory import Scope, Tier
from memory_layer.ports.index import ProjectCount, ProjectStats

GROUPS = ("type", "category", "dimension", "task_type", "source", "status", "tier")
MOST_USED = 5

_AVERAGES = ("confidence", "success_rate", "outcome_score")
_BANDS = (
    {"key": "low", "to": -500},
    {"key": "neutral", "from": -500, "to": 501},
    {"key": "high", "from": 501},
)
"""In thousandths; `to` is exclusive."""
_MOST_VALUES = 50
"""More than any of the groups has (domain.memory)."""


def no_stats() -> ProjectStats:
    """Counts of a project of which nothing has arrived."""
    return ProjectStats(
        total=0,
        by={group: {} for group in GROUPS},
        average_confidence=None,
        average_success_rate=None,
        average_outcome_score=None,
        outcome_bands=dict.fromkeys(("high", "neutral", "low"), 0),
        most_used=(),
        last_updated_at=None,
        bytes=0,
        with_vector=0,
        tiers=_tiers([]),
        body_bytes=_body_bytes([]),
    )


def stats_body(scope: Scope, viewer: Viewer, now: datetime, model: str) -> dict[str, Any]:
    """Request for the counts. Args: model: whose vectors count."""
    return {
        "query": {"bool": {"filter": [*in_scopes((scope,)), *visible_to(viewer)]}},
        "size": MOST_USED,
        "sort": [{"use_count": "desc"}, {"id": "asc"}],
        "_source": False,
        "docvalue_fields": ["id", "use_count"],
        "track_total_hits": True,
        "aggs": {
            **{group: {"terms": {"field": group, "size": _MOST_VALUES}} for group in GROUPS},
            **{f"average_{name}": {"avg": {"field": name}} for name in _AVERAGES},
            "lapsed": {
                "filter": expired_clause(microseconds(now)),
                "aggs": {"status": {"terms": {"field": "status", "size": _MOST_VALUES}}},
            },
            "bands": {"range": {"field": "outcome_score", "ranges": list(_BANDS)}},
            "last_updated_at": {"max": {"field": "updated_at"}},
            "bytes": {"sum": {"field": "bytes"}},
            "tiers": {
                "terms": {"field": "tier"},
                "aggs": {name: {"sum": {"field": name}} for name in ("bytes", "body_bytes")},
            },
            "with_vector": {"filter": of_model(model)},
        },
    }


def stats_of(answer: Mapping[str, Any]) -> ProjectStats:
    """Counts of an answer. Source: SPEC 8.9; Outcome-Ranked Engine, outcome bands."""
    found, hits = answer["aggregations"], answer["hits"]
    used = [(hit["fields"]["id"][0], hit["fields"]["use_count"][0]) for hit in hits["hits"]]
    latest = found["last_updated_at"]["value"]
    return ProjectStats(
        total=hits["total"]["value"],
        by={group: _counts(found[group]["buckets"]) for group in GROUPS}
        | {"status": _statuses(found["status"]["buckets"], found["lapsed"]["status"]["buckets"])},
        average_confidence=_score(found["average_confidence"]),
        average_success_rate=_score(found["average_success_rate"]),
        average_outcome_score=_score(found["average_outcome_score"]),
        outcome_bands={band: _counts(found["bands"]["buckets"])[band] for band in ("high", "neutral", "low")},
        most_used=tuple((id, count) for id, count in used if count > 0),
        last_updated_at=None if latest is None else EPOCH + timedelta(microseconds=int(latest)),
        bytes=int(found["bytes"]["value"]),
        with_vector=found["with_vector"]["doc_count"],
        tiers=_tiers(found["tiers"]["buckets"]),
        body_bytes=_body_bytes(found["tiers"]["buckets"]),
    )


def projects_body(tenant: str, viewer: Viewer, after: str | None, limit: int) -> dict[str, Any]:
    """Request for the projects of a tenant, by name, with their counts."""
    source = {"size": limit, "sources": [{"project": {"terms": {"field": "project"}}}]}
    place = {} if after is None else {"after": {"project": after}}
    return {
        "query": {"bool": {"filter": [*in_tenant(tenant), *visible_to(viewer)]}},
        "size": 0,
        "aggs": {
            "projects": {
                "composite": {**source, **place},
                "aggs": {"active": {"filter": {"term": {"status": "active"}}}},
            }
        },
    }


def projects_of(answer: Mapping[str, Any]) -> list[ProjectCount]:
    """Projects of an answer."""
    return [
        ProjectCount(bucket["key"]["project"], bucket["doc_count"], bucket["active"]["doc_count"])
        for bucket in answer["aggregations"]["projects"]["buckets"]
    ]


def _tiers(buckets: Sequence[Mapping[str, Any]]) -> dict[Tier, tuple[int, int]]:
    found = {bucket["key"]: (bucket["doc_count"], int(bucket["bytes"]["value"])) for bucket in buckets}
    return {tier: found.get(tier, (0, 0)) for tier in get_args(Tier)}


def _body_bytes(buckets: Sequence[Mapping[str, Any]]) -> dict[Tier, int]:
    found = {bucket["key"]: int(bucket["body_bytes"]["value"]) for bucket in buckets}
    return {tier: found.get(tier, 0) for tier in get_args(Tier)}


def _counts(buckets: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {bucket["key"]: bucket["doc_count"] for bucket in buckets}


def _statuses(stored: Sequence[Mapping[str, Any]], lapsed: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Counts by the status that readers see, where expired is archived; the most frequent first, then by name."""
    counts, expired = Counter(_counts(stored)), Counter(_counts(lapsed))
    counts.subtract(expired)
    counts["archived"] += expired.total()
    return {
        name: count for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if count
    }


def _score(average: Mapping[str, float | None]) -> float | None:
    value = average["value"]
    return None if value is None else round(value / 1000, 3)
