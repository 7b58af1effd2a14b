"""Page of a list of memories, as a document: in the order asked for, whole records or the fields asked for."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.domain.fields import memory_to_json, rfc3339
from memory_layer.domain.filters import Filters
from memory_layer.domain.list_order import ListOrder, OrderedId, parsed_order
from memory_layer.domain.memory import Memory
from memory_layer.domain.remedies import omit
from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
from memory_layer.edge.shapes import answers
from memory_layer.edge.shapes.filter_requests import Listing
from memory_layer.edge.shapes.recall_requests import filters_of
from memory_layer.errors import Invalid, Malformed
from memory_layer.ports.process import Ports
from memory_layer.ports.records import RecordPage
from memory_layer.usecases.ground.list_in_order import count_listed, list_in_order
from memory_layer.usecases.recall.as_of import list_memories_at

PAGE_MAX_BYTES = 4_000_000
"""A page stays under what Lambda may answer (SPEC 2.3)."""

ALWAYS_SHOWN = ("id", "version")
"""Members of a row, whatever fields are asked for: by them it is read, and changed."""

Place = tuple[str, str]
"""Key and id that a page ends at, as a cursor keeps them."""


def memory_page(ports: Ports, principal: Principal, project: str, listing: Listing) -> dict[str, Any]:
    """Page of a list, with the cursor of the next one.

    Raises:
        Invalid: an order beside `as_of`.
        Malformed: the cursor belongs to another list.
    """
    filters, order = filters_of(listing, listing.statuses()), _order(listing)
    asked = {**asdict(filters), "viewer": sorted(principal.own_personas), "as_of": listing.as_of}
    bound_to = _plain(["memories", project, asked, *_order_bound(listing, order)])
    after = decode_cursor(listing.cursor, bound_to)
    if order == ListOrder():
        page = list_memories_at(
            ports, principal, project, filters, listing.as_of, after=after, limit=listing.limit
        )
        places: Sequence[Place] = [(rfc3339(one.created_at), one.id) for one in page.memories]
    else:
        page, places = _in_order(ports, principal, project, listing, filters, order, after)
    shown = _fitting(page.memories, listing.fields)
    end = places[len(shown) - 1] if len(shown) < len(page.memories) else page.next_key
    total = count_listed(ports, principal, project, filters) if listing.count else None
    return {
        "memories": [] if listing.fields else shown,
        "next_cursor": encode_cursor(end, bound_to),
        **({} if page.note is None else {"note": page.note}),
        **({"rows": shown} if listing.fields else {}),
        **({} if total is None else {"total": total}),
    }


def _order(listing: Listing) -> ListOrder:
    order = parsed_order(listing.sort)
    return order.from_end if listing.from_end else order


def _order_bound(listing: Listing, order: ListOrder) -> list[str]:
    """Order of a list as its cursors are bound to it."""
    if order == ListOrder():
        return []
    return [listing.sort, "from_end"] if listing.from_end else [listing.sort]


def _in_order(
    ports: Ports,
    principal: Principal,
    project: str,
    listing: Listing,
    filters: Filters,
    order: ListOrder,
    after: Place | None,
) -> tuple[RecordPage, list[Place]]:
    if listing.as_of is not None:
        reason = "the state of a past moment is listed newest first alone"
        pointer = "/query/from_end" if listing.from_end else "/query/sort"
        raise Invalid.at(pointer, reason, omit(pointer), omit("/query/as_of"))
    place = None if after is None else OrderedId(_key(after[0]), after[1])
    found = list_in_order(ports, principal, project, filters, order, after=place, limit=listing.limit)
    end = None if found.next_place is None else _place(found.next_place)
    return RecordPage(found.memories, end, found.unread), list(map(_place, found.places))


def _place(one: OrderedId) -> Place:
    return json.dumps(one.key), one.id


def _key(text: str) -> Any:
    try:
        key = json.loads(text)
    except ValueError as error:
        raise Malformed("the cursor cannot be read; start again without one") from error
    if not (key is None or isinstance(key, str | int | float)):
        raise Malformed("the cursor cannot be read; start again without one")
    return key


def _fitting(memories: Sequence[Memory], fields: Sequence[str]) -> list[dict[str, Any]]:
    """Records, or rows of them, that fit into one answer: at least one."""
    shown: list[dict[str, Any]] = []
    size = 0
    for memory in memories:
        row = _row(memory_to_json(memory), fields)
        size += len(answers.to_text(row).encode())
        if shown and size > PAGE_MAX_BYTES:
            break
        shown.append(row)
    return shown


def _row(document: dict[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    return {name: document[name] for name in (*ALWAYS_SHOWN, *fields)} if fields else document


def _plain(value: Any) -> Any:
    """Value with every instant as text, so that it can be hashed."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.isoformat() if hasattr(value, "isoformat") else value
