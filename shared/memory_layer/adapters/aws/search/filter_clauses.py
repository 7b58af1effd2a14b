"""Filters as OpenSearch clauses: the condition of `Filters.accept`, asked of the index."""

from collections.abc import Collection, Iterator
from datetime import datetime
from math import ceil
from typing import Any, Final

from memory_layer.adapters.aws.table.keys import microseconds
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import EQUALITIES, OVERLAPS, VISIBLE_STATUSES, Filters
from memory_layer.domain.memory import ENDED_STATUSES, OUT_OF_RECALL, Scope
from memory_layer.domain.outcome import ARCHIVE_BELOW_SCORE
from memory_layer.domain.retrieval.told_days import DaySpans
from memory_layer.manifest.index import TOLD, TRUSTED

Clause = dict[str, Any]

Body = dict[str, Any]
"""The body of a request or an answer."""

_ANY_OF = tuple(name for name in (*EQUALITIES, "complexity", *OVERLAPS) if name != "status")
_BOUNDS = (
    ("created_at", "gt", "created_after"),
    ("created_at", "lt", "created_before"),
    ("updated_at", "gt", "updated_after"),
    ("updated_at", "lt", "updated_before"),
)
RECALLABLE: Final[Clause] = {"bool": {"must_not": [{"terms": {"tier": list(OUT_OF_RECALL)}}]}}

_WORST_OUTCOME = round(ARCHIVE_BELOW_SCORE * 1000)
"""In thousandths; what failed more is not recalled, even before it is archived."""


def in_tenant(tenant: str) -> list[Clause]:
    """Clauses of the live documents of a tenant."""
    return [_term("tenant", tenant), _term("is_tombstone", False)]


def in_scopes(scopes: Collection[Scope]) -> list[Clause]:
    """Clauses of the live documents of these projects of one tenant: no question is asked without them.

    Raises:
        ValueError: no scope, or scopes of two tenants.
    """
    tenants = {scope.tenant for scope in scopes}
    if len(tenants) != 1:
        raise ValueError(f"scopes of one tenant are searched together, not of {sorted(tenants)}")
    return [
        _term("tenant", tenants.pop()),
        {"terms": {"project": sorted(scope.project for scope in scopes)}},
        _term("is_tombstone", False),
    ]


def of_model(model: str) -> Clause:
    """Clause of the documents with vectors of a model."""
    return _term("embedding_model", model)


def filter_clauses(filters: Filters, viewer: Viewer, now: datetime) -> list[Clause]:
    """Clauses that a document must fulfil to be recalled, all of them."""
    is_recall = filters.status == VISIBLE_STATUSES
    worst = [_range("outcome_score", "gte", _WORST_OUTCOME)] if is_recall else []
    return [*listing_clauses(filters, viewer, now), *worst, RECALLABLE]


def listing_clauses(filters: Filters, viewer: Viewer, now: datetime) -> list[Clause]:
    """Clauses that a document must fulfil to be listed, whatever its tier and its outcome."""
    return [
        *({"terms": {name: list(wanted)}} for name in _ANY_OF if (wanted := getattr(filters, name))),
        *([] if filters.standing is None else [_term(TRUSTED, filters.standing == "trusted")]),
        *([] if filters.pinned is None else [_term("pinned", filters.pinned)]),
        *_bounds(filters),
        *visible_to(viewer),
        *_in_status(filters.status, microseconds(now)),
    ]


def telling(days: DaySpans, conditions: list[Clause]) -> Clause:
    """Clause of documents that tell of some of these days; those that tell of no other score higher."""
    whole: list[Clause] = [{"constant_score": {"filter": one}} for one in _told(days, "within")]
    return {"bool": {"filter": [*conditions, _any(_told(days, "intersects"))], "should": whole}}


def _told(days: DaySpans, relation: str) -> list[Clause]:
    return [{"range": {TOLD: {"gte": first, "lte": last, "relation": relation}}} for first, last in days]


def visible_to(viewer: Viewer) -> list[Clause]:
    """Clauses of the viewer's personas' documents and everyone's."""
    if viewer.sees_all_personas:
        return []
    everyones: Clause = {"bool": {"must_not": [{"exists": {"field": "persona"}}]}}
    own: list[Clause] = [{"terms": {"persona": sorted(viewer.personas)}}] if viewer.personas else []
    return [_any([everyones, *own])]


def _bounds(filters: Filters) -> Iterator[Clause]:
    for name in ("confidence", "success_rate"):
        bound = getattr(filters, f"min_{name}")
        if bound is not None:
            yield _range(name, "gte", _thousandths_reaching(bound))
    for name, operator, given in _BOUNDS:
        moment = getattr(filters, given)
        if moment is not None:
            yield _range(name, operator, microseconds(moment))


def _in_status(wanted: tuple[str, ...], now: int) -> Iterator[Clause]:
    """Clauses of statuses; expired records count as archived, whether or not the sweep has come by."""
    if not wanted:
        return
    expired = expired_clause(now)
    current: Clause = {"bool": {"filter": [{"terms": {"status": list(wanted)}}], "must_not": [expired]}}
    yield _any([current, expired]) if "archived" in wanted else current


def expired_clause(now: int) -> Clause:
    """Clause of expired records that are not out of use anyway. Args: now: microseconds since 1970."""
    ended = [{"terms": {"status": list(ENDED_STATUSES)}}]
    return {"bool": {"filter": [_range("expires_at", "lte", now)], "must_not": ended}}


def _thousandths_reaching(bound: float) -> int:
    """Least number of thousandths that is at least the bound, compared as floats as the domain does."""
    near = ceil(bound * 1000)
    return next(score for score in range(near - 1, near + 2) if score / 1000 >= bound)


def _term(name: str, value: str | bool) -> Clause:
    return {"term": {name: value}}


def _range(name: str, operator: str, value: int) -> Clause:
    return {"range": {name: {operator: value}}}


def _any(clauses: list[Clause]) -> Clause:
    return {"bool": {"should": clauses, "minimum_should_match": 1}}
