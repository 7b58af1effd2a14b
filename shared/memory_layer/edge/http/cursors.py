"""Page cursors: the key of the next page as an opaque text that fits its own query only."""

import base64
import binascii
import hashlib
import json
from typing import Any

from memory_layer.domain.fields import canonical_json, rfc3339
from memory_layer.domain.text_rules import text_problem
from memory_layer.errors import Malformed
from memory_layer.ports.audit import AuditFilter

_BINDING_LENGTH = 16
_DIGITS_MAX = 18

PROJECTS_QUERY = ["projects"]
"""Query that a cursor of projects belongs to."""


def encode_cursor(key: tuple[str, str] | None, query: Any) -> str | None:
    """Encodes the key of the next page; None after the last page."""
    if key is None:
        return None
    return base64.urlsafe_b64encode(json.dumps([_binding(query), *key]).encode()).decode().rstrip("=")


def decode_cursor(cursor: str | None, query: Any) -> tuple[str, str] | None:
    """Reads back a cursor that `encode_cursor` made for the same query.

    Raises:
        Malformed: it is no cursor of ours, or belongs to another query.
    """
    if cursor is None:
        return None
    try:
        binding, moment, id = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, TypeError, binascii.Error) as error:
        raise Malformed("the cursor cannot be read; start again without one") from error
    is_ours = isinstance(moment, str) and isinstance(id, str) and not text_problem(moment + id)
    if binding != _binding(query) or not is_ours:
        raise Malformed("the cursor belongs to another query; start again without one")
    return moment, id


def audit_cursor(before: int | None, project: str, asked: AuditFilter) -> str | None:
    """Cursor of a page of the audit log. Args: before: the position that it ends at; None: it was the last page."""
    return encode_cursor(None if before is None else (str(before), ""), _audit_query(project, asked))


def audit_position(cursor: str | None, project: str, asked: AuditFilter) -> int | None:
    """Position at which the page before ended. Raises: Malformed."""
    key = decode_cursor(cursor, _audit_query(project, asked))
    return None if key is None else int(_decimal(key[0]))


def text_cursor(key: str | None, query: Any) -> str | None:
    """Cursor of a list in the order of one text. Args: key: None: the page was the last."""
    return encode_cursor(None if key is None else (key, ""), query)


def text_key(cursor: str | None, query: Any) -> str | None:
    """Text at which the page before ended. Raises: Malformed."""
    key = decode_cursor(cursor, query)
    return None if key is None else key[0]


def sessions_query(project: str) -> list[Any]:
    """Query that a cursor of conversations belongs to."""
    return ["sessions", project]


def turns_query(project: str, session_id: str, *, newest_first: bool) -> list[Any]:
    """Query that a cursor of turns belongs to."""
    return ["turns", project, session_id, newest_first]


def turn_place(cursor: str | None, query: Any) -> tuple[str, str] | None:
    """Position and id of the turn at which the page before ended. Raises: Malformed."""
    key = decode_cursor(cursor, query)
    return None if key is None else (_decimal(key[0]), key[1])


def _decimal(text: str) -> str:
    if not (text.isdecimal() and text.isascii() and len(text) <= _DIGITS_MAX):
        raise Malformed("the cursor cannot be read; start again without one")
    return text


def _audit_query(project: str, asked: AuditFilter) -> list[Any]:
    times = [None if at is None else rfc3339(at) for at in (asked.since, asked.until)]
    return ["audit", project, asked.principal, asked.about, asked.what, *times]


def _binding(query: Any) -> str:
    return hashlib.sha256(canonical_json(query).encode()).hexdigest()[:_BINDING_LENGTH]
