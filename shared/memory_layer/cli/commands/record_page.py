"""Page of records, as HTTP answers it."""

from typing import Any

from memory_layer.cli.terminal.empty_project import tell_if_empty
from memory_layer.cli.terminal.invocation import Invocation
from memory_layer.edge.http.cursors import decode_cursor, encode_cursor
from memory_layer.edge.shapes.answers import page_json
from memory_layer.edge.shapes.filter_requests import Listing
from memory_layer.edge.shapes.recall_requests import filters_of
from memory_layer.usecases.recall.as_of import list_memories_at


def record_page(call: Invocation, listing: Listing) -> dict[str, Any]:
    """Page of a listing: the records, newest first, and the cursor of the next page."""
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
        tell_if_empty(call)
    return page_json(page.memories, encode_cursor(page.next_key, bound_to), page.note)
