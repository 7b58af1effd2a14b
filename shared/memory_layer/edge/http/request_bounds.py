"""Bounds of a request, checked before anything reads it: the same on the laptop and behind API Gateway."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from memory_layer.edge.shapes.problems import problem_document, title_of

MAX_BODY_BYTES: Final = 4 * 1024 * 1024
"""SPEC 2.2: a batch has at most 4 MB; Lambda itself takes 6 MB."""

BODY_DEADLINE_S: Final = 10.0
"""Seconds that a body may take to arrive."""

BODIES_MAX_BYTES: Final = 16 * MAX_BODY_BYTES
"""Bytes of all bodies that a process holds at once."""

READING_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""Methods without a body; of every other one the caller is known before the body is read."""

WRITING_METHODS: Final = frozenset({"POST", "PUT", "PATCH"})
SENT_TYPES: Final = (
    *("application/json", "application/x-ndjson", "application/cloudevents+json"),
    *("text/markdown", "text/csv", "application/octet-stream", "application/vnd.mif"),
)
"""Types that no web page sends to another origin unasked."""


@dataclass(frozen=True, slots=True)
class RequestRefusal:
    """Reason why a request is not served."""

    status: int
    code: str
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def document(self, path: str, request_id: str) -> dict[str, Any]:
        """Problem document of the refusal."""
        title = title_of(self.code)
        return problem_document(
            self.status, self.code, title, self.detail, instance=path, request_id=request_id
        )


NOT_UTF8: Final = RequestRefusal(400, "malformed", "the request is not valid UTF-8")
NOT_JSON: Final = RequestRefusal(415, "unsupported", "send content-type: application/json")
TOO_LARGE: Final = RequestRefusal(
    413, "too_large", f"the request is longer than {MAX_BODY_BYTES:,} bytes; send less at once"
)
TOO_SLOW: Final = RequestRefusal(
    408,
    "too_slow",
    f"the body did not arrive within {BODY_DEADLINE_S:g} s; send it again, or less at once",
    {"connection": "close"},
)
CUT_OFF: Final = RequestRefusal(400, "malformed", "the connection ended before the body did")
BUSY: Final = RequestRefusal(
    503, "busy", "too many bodies are arriving at once; send it again in a second", {"retry-after": "1"}
)


NO_HTTP: Final = RequestRefusal(400, "malformed", "what was sent is no HTTP request", {"connection": "close"})
NO_METHOD: Final = RequestRefusal(
    405,
    "method_not_allowed",
    "there is no such method; see /openapi.json for those of a path",
    {"allow": "DELETE, GET, PATCH, POST, PUT", "connection": "close"},
)


def refuse_method(method: str, path: str, allowed: Iterable[str]) -> RequestRefusal:
    """Refuses a method that a path does not have. Args: allowed: those that it has."""
    names = ", ".join(sorted(allowed))
    detail = f"{path} takes {names}, not {method}"
    return RequestRefusal(405, "method_not_allowed", detail, {"allow": names})


def refuse_unreadable(path: str, texts: Iterable[bytes]) -> RequestRefusal | None:
    """Refuses bytes that are no UTF-8. Args: path: decoded; texts: headers, query string, body."""
    is_readable = "\ufffd" not in path and all(map(_is_text, texts))
    return None if is_readable else NOT_UTF8


def refuse_unsupported(method: str, content_type: str, body: bytes) -> RequestRefusal | None:
    """Refuses a body of another kind: a web page can send text/plain to another origin unasked, JSON not."""
    declared = content_type.split(";")[0].strip().lower()
    is_supported = method not in WRITING_METHODS or not body or declared in SENT_TYPES
    return None if is_supported else NOT_JSON


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
