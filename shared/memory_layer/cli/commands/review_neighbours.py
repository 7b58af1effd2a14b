"""Neighbours of the items of a review: what is in force and near to each, as the console shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from memory_layer.cli.terminal.invocation import FolderCall, Invocation
from memory_layer.cli.terminal.refusal_text import is_refused_as, refusals
from memory_layer.wire.message import Asked


def neighbours(call: Invocation, page: Mapping[str, Any]) -> dict[str, Sequence[Mapping[str, Any]]]:
    """Neighbours of the items of a page, by id: none of a pair, none for who is no reviewer; JSON has none."""
    items = [] if call.is_json else [item["id"] for item in page["reviews"] if "memories" not in item]
    return {id: _near(call, id) for id in items}


def _near(call: Invocation, id: str) -> Sequence[Mapping[str, Any]]:
    from memory_layer.errors import Forbidden, NotFound

    try:
        found = call.answer(Asked("list_near_memories", {"id": id}), partial(_near_here, id=id))
    except refusals() as error:
        if is_refused_as(error, NotFound, "not_found"):  # decided on by somebody else meanwhile
            return ()
        if is_refused_as(error, Forbidden, "forbidden"):
            return ()
        raise
    near: Sequence[Mapping[str, Any]] = found["near"]
    return near


def _near_here(here: FolderCall, id: str) -> dict[str, Any]:
    from memory_layer.edge.shapes.review_answers import near_json
    from memory_layer.usecases.review.near_review_item import near_review_item

    return near_json(near_review_item(here.ports, here.principal, here.project, id))
