"""Errors of the routes of stores, in the words of Anthropic's API, which their client reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from memory_layer.edge.shapes.answer_fields import document
from memory_layer.errors import MemoryLayerError, PathTaken

STORES_PATH: Final = "/v1/memory_stores"

_KINDS: Final[Mapping[int, str]] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    429: "rate_limit_error",
}
_CONFLICTS: Final[Mapping[str, str]] = {
    "path_taken": "memory_path_conflict_error",
    "content_changed": "memory_precondition_failed_error",
}
_STATUSES: Final[Mapping[int, int]] = {415: 400, 422: 400}
"""Statuses that this API says otherwise: whatever is wrong with a request is a 400."""

NO_RETRY: Final[Mapping[str, str]] = {"x-should-retry": "false"}
"""Header that keeps the client from sending the same again: a conflict stays until somebody decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreErrorDetail:
    """What went wrong.

    Args:
        type: the kind of error, a word of that API.
        message: what is wrong, and what to do.
        conflicting_memory_id: the file in the way, where there is one that the caller sees.
        conflicting_path: its path.
    """

    type: str
    message: str
    conflicting_memory_id: str | None = None
    conflicting_path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreError:
    """Error of a route of stores.

    Args:
        type: always `error`.
        error: what went wrong.
    """

    type: str = "error"
    error: StoreErrorDetail
    request_id: str


def is_of_stores(path: str) -> bool:
    """Tells whether a path is one of these routes'."""
    return path == STORES_PATH or path.startswith(f"{STORES_PATH}/")


def store_error(
    found: Mapping[str, Any], error: MemoryLayerError | None
) -> tuple[int, dict[str, Any], Mapping[str, str]]:
    """Status, document and further headers of an error. Args: found: the same as a problem document."""
    code, status = str(found["type"]).rpartition(":")[2], int(found["status"])
    holder = error.holder if isinstance(error, PathTaken) else None
    said = StoreError(
        error=StoreErrorDetail(
            type=_CONFLICTS.get(code) or _kind(status),
            message=str(found["detail"]),
            conflicting_memory_id=holder[0] if holder else None,
            conflicting_path=holder[1] if holder else None,
        ),
        request_id=str(found["request_id"]),
    )
    return _STATUSES.get(status, status), document(said), NO_RETRY if status == 409 else {}


def _kind(status: int) -> str:
    return _KINDS.get(status, "api_error" if status >= 500 else "invalid_request_error")
