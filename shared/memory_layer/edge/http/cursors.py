"""Page cursors: the key of the next page as an opaque text that fits its own query only."""

import base64
import binascii
import hashlib
import json
from typing import Any

from memory_layer.domain.fields import canonical_json
from memory_layer.domain.text_rules import text_problem
from memory_layer.errors import Malformed

_BINDING_LENGTH = 16


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


def _binding(query: Any) -> str:
    return hashlib.sha256(canonical_json(query).encode()).hexdigest()[:_BINDING_LENGTH]
