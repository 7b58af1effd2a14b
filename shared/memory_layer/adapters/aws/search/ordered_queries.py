"""Requests for lists in an order that is not that of their age, and for their number."""

from datetime import date, timedelta
from typing import Any, Final

from memory_layer.adapters.aws.search.filter_clauses import Body, Clause, in_scopes, listing_clauses
from memory_layer.adapters.aws.search.queries import hits_of
from memory_layer.adapters.aws.table.keys import DAY_MICROSECONDS, EPOCH
from memory_layer.domain.list_order import UNKNOWN_SUCCESS, ListOrder, OrderedId
from memory_layer.ports.index import ListQuery

_WORTH: Final = (
    "double success = doc['success_rate'].size() == 0"
    f" ? {round(1000 * UNKNOWN_SUCCESS)} : doc['success_rate'].value;"
    " return doc['confidence'].value * success * Math.log10(doc['use_count'].value + 1);"
)


def ordered_body(query: ListQuery, order: ListOrder, after: OrderedId | None, k: int) -> Body:
    """Search for the first `k` after a place; what has no key comes last, and equal ones go by id."""
    body: Body = {
        "query": _matching(query),
        "size": k,
        "sort": [_sorted_by(order), {"id": "desc" if order.is_from_end else "asc"}],
        "stored_fields": "_none_",
        "track_total_hits": False,
    }
    return body if after is None else {**body, "search_after": [after.key, after.id]}


def count_matching_body(query: ListQuery) -> Body:
    return {"query": _matching(query), "size": 0, "track_total_hits": True}


def created_by_day_body(query: ListQuery) -> Body:
    days = {"histogram": {"field": "created_at", "interval": DAY_MICROSECONDS, "min_doc_count": 1}}
    return {"query": _matching(query), "size": 0, "aggs": {"days": days}}


def created_by_day_of(answer: Body) -> dict[date, int]:
    """Counts by day of an answer."""
    return {
        (EPOCH + timedelta(microseconds=int(bucket["key"]))).date(): bucket["doc_count"]
        for bucket in answer["aggregations"]["days"]["buckets"]
    }


def ordered_of(answer: Body) -> list[OrderedId]:
    """Places of the hits, read off what they were sorted by."""
    return [OrderedId(*hit["sort"]) for hit in hits_of(answer)]


def _matching(query: ListQuery) -> Clause:
    listed = listing_clauses(query.filters, query.viewer, query.now)
    return {"bool": {"filter": [*in_scopes((query.scope,)), *listed]}}


def _sorted_by(order: ListOrder) -> dict[str, Any]:
    direction = "desc" if order.goes_down else "asc"
    if order.field == "worth":
        return {"_script": {"type": "number", "order": direction, "script": {"source": _WORTH}}}
    return {order.field: {"order": direction, "missing": "_first" if order.is_from_end else "_last"}}
