"""Refusals as a caller of the API meets them: one error, whether a server said it or no server answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

URN = "urn:memory-layer:problem:"


@dataclass(frozen=True, slots=True)
class BrokenPointer:
    """Rule that a request breaks. Args: pointer: JSON pointer into the request; empty: the request as a whole."""

    pointer: str
    detail: str
    limit: float | None = None


class MemoryProblem(Exception):
    """Refusal, in a sentence that says what to do.

    Args:
        code: short and stable: `not_found`, `duplicate`, `invalid`, `unauthenticated`. Without an answer of the
            service: `unreachable` (nothing was sent), `no_answer` (sent, and perhaps done), `not_memory_layer`.
        detail: the sentence; of the server, where it said one.
        status: of HTTP; None: there was no answer.
        document: the problem as the server wrote it (RFC 9457), with members such as `duplicate_of`.
        retry_after_s: seconds after which the server wants to be asked again.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        status: int | None = None,
        document: Mapping[str, Any] | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.status = status
        self.document = dict(document or {})
        self.retry_after_s = retry_after_s

    @property
    def violations(self) -> tuple[BrokenPointer, ...]:
        """Each broken rule, where the request is at fault."""
        errors = self.document.get("errors") or ()
        return tuple(
            BrokenPointer(one.get("pointer", ""), one.get("detail", ""), one.get("limit")) for one in errors
        )

    @property
    def request_id(self) -> str | None:
        """Id by which the server's log names the request."""
        return self.document.get("request_id")


def told_problem(status: int, body: bytes, retry_after_s: float | None) -> MemoryProblem | None:
    """Problem that a server told; None: the body is no problem document."""
    document = _parsed(body)
    if isinstance(document, dict) and isinstance(document.get("error"), dict):
        document = _as_problem(document["error"], document)
    if not isinstance(document, dict) or "detail" not in document:
        return None
    code = str(document.get("type", "")).removeprefix(URN) or "unknown"
    return MemoryProblem(
        code, document["detail"], status=status, document=document, retry_after_s=retry_after_s
    )


def _as_problem(error: Mapping[str, Any], whole: Mapping[str, Any]) -> dict[str, Any]:
    """Problem of an error as the routes of stores tell it."""
    code = str(error.get("type", "")).removesuffix("_error")
    return {**whole, "type": f"{URN}{code}", "detail": str(error.get("message", "it was refused"))}


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def problem_in(document: Mapping[str, Any]) -> MemoryProblem:
    """Problem of a problem document, such as an operation ends with."""
    code = str(document.get("type", "")).removeprefix(URN) or "unknown"
    detail = str(document.get("detail", "the operation failed"))
    return MemoryProblem(code, detail, status=document.get("status"), document=document)
