"""Bounds of a request, checked before anything reads it: the same on the laptop and behind API Gateway."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from memory_layer.edge.shapes.problems import problem_document, title_of

MAX_BODY_BYTES: Final = 4 * 1024 * 1024
"""SPEC 2.2: a batch has at most 4 MB; Lambda itself takes 6 MB."""

WRITING_METHODS: Final = frozenset({"POST", "PUT", "PATCH"})
SENT_TYPES: Final = (
    *("application/json", "application/x-ndjson", "application/cloudevents+json"),
    *("text/markdown", "text/csv"),
)
"""Types that no web page sends to another origin unasked."""


@dataclass(frozen=True, slots=True)
class RequestRefusal:
    """Reason why a request is not served."""

    status: int
    code: str
    detail: str

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
