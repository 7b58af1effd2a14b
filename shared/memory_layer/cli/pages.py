"""A page of records, as HTTP answers it."""

from __future__ import annotations

from typing import Any

from memory_layer.cli.call import Call
from memory_layer.cli.nothing_yet import tell_if_nothing_yet
from memory_layer.domain.fields import memory_to_json
from memory_layer.edge.asking import filters_of
from memory_layer.edge.cursors import decode_cursor, encode_cursor
from memory_layer.edge.schemas import Listing
from memory_layer.usecases.looking_back import list_memories_at


def listed(call: Call, listing: Listing) -> dict[str, Any]:
    """The records asked for, newest first, and where the next page begins."""
    asked = listing.model_dump(mode="json", exclude={"cursor", "limit"})
    bound_to = ["memories", call.project, asked]
    page = list_memories_at(
        call.ports,
        call.principal,
        call.project,
        filters_of(listing, listing.statuses()),
        listing.as_of,
        after=decode_cursor(listing.cursor, bound_to),
        limit=listing.limit,
    )
    if not page.memories:
        tell_if_nothing_yet(call)
    return {
        "memories": [memory_to_json(memory) for memory in page.memories],
        "next_cursor": encode_cursor(page.next_key, bound_to),
    }
