"""Whole projects as lines: cut into bodies that a server takes, and put together from the parts of an export."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from memory_layer.wire.api import Api
from memory_layer.wire.flows import WAIT_S, Flow, is_operation, outcome
from memory_layer.wire.message import Asked

BODY_MAX_BYTES: Final = 4 * 1024 * 1024 - 4_096
"""A server takes 4 MB (SPEC 2.2); its own parts are that long at most, manifest and all."""

MANIFEST: Final = '{"manifest":'
LINES: Final = "application/x-ndjson"
TEXT_TYPES: Final = {"csv": "text/csv", "markdown": "text/markdown"}


def type_of(format: str | None) -> str:
    """Content type of a file of a format."""
    return TEXT_TYPES.get(format or "", LINES)


def bodies(lines: Iterable[str | dict[str, Any]]) -> Iterator[str]:
    """Bodies of at most 4 MB, each cut behind a manifest, or where the next line has no room."""
    body: list[str] = []
    size = 0
    for line in map(_text, lines):
        if not line:
            continue
        length = len(line.encode()) + 1
        if body and size + length > BODY_MAX_BYTES and not line.startswith(MANIFEST):
            yield "\n".join(body) + "\n"
            body, size = [], 0
        body.append(line)
        size += length
        if line.startswith(MANIFEST):
            yield "\n".join(body) + "\n"
            body, size = [], 0
    if body:
        yield "\n".join(body) + "\n"


def export_begun(
    api: Api, format: str, seconds: float = WAIT_S, tell: Callable[[int, int], None] | None = None
) -> Flow[list[str]]:
    """Text of a small export, or the addresses of a large one's parts; what begins with / is an address."""
    reply = yield from api.steps(Asked("export_project", query={"format": format}))
    if not is_operation(reply):
        return [reply.body.decode()]
    result = yield from outcome(api, reply.document()["id"], seconds, tell)
    return [part["href"] for part in result["parts"]]


def _text(line: str | dict[str, Any]) -> str:
    return line.strip("\r\n") if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
