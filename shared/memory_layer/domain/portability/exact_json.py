"""JSON values in a memory's `detail`, read back as they were put, controls and lone surrogates in texts included."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

_UNSTORABLE: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
"""Characters that a memory refuses in any text."""

TEXT_MAX_BYTES: Final = 32_768
"""Bytes of UTF-8 that a memory's text has at most."""

_ESCAPE: Final = re.compile(r"\\u([0-9a-f]{4})|\\\\")


class NotJsonError(TypeError):
    """A value that JSON cannot hold, with its place; nothing was stored."""


def kept_value(value: Any) -> dict[str, Any]:
    """Members of `detail` that hold a value.

    Args:
        value: dict, list, tuple (kept as a list), str, int, float, bool or None, nested; keys are texts.

    Raises:
        NotJsonError: something in it is none of these, or a number is not finite.
    """
    plain = plain_json(value)
    if not _has_unstorable(plain):
        return {"value": plain}
    return {"value": _with_texts(plain, _escaped), "is_escaped": True}


def value_of(detail: Mapping[str, Any]) -> Any:
    """The value that `kept_value` put into a `detail`."""
    value = detail["value"]
    return _with_texts(value, _unescaped) if detail.get("is_escaped") else value


def storable_text(text: str) -> str:
    """The text with a blank for each character that a memory refuses."""
    return _UNSTORABLE.sub(" ", text)


def shortened(text: str, limit_bytes: int) -> str:
    """The beginning of a text that fits into a number of bytes of UTF-8."""
    return text.encode("utf-8", "replace")[:limit_bytes].decode("utf-8", "ignore")


def plain_json(value: Any, place: str = "") -> Any:
    """Copy of a value, made of JSON's own types. Args: place: its JSON pointer. Raises: NotJsonError"""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, Mapping):
        return {_key(key, place): plain_json(item, f"{place}/{key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(item, f"{place}/{number}") for number, item in enumerate(value)]
    what = f"the number {value}" if isinstance(value, float) else f"a {type(value).__name__}"
    raise NotJsonError(f"{what} at {place or '/'} is no JSON; give texts, finite numbers, lists and objects")


def _key(key: Any, place: str) -> str:
    if isinstance(key, str):
        return key
    raise NotJsonError(f"the key {key!r} at {place or '/'} is no text, and would come back as one")


def _has_unstorable(value: Any) -> bool:
    return any(map(_UNSTORABLE.search, _texts(value)))


def _texts(value: Any) -> list[str]:
    found: list[str] = []

    def noted(text: str) -> str:
        found.append(text)
        return text

    _with_texts(value, noted)
    return found


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(key): _with_texts(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_texts(item, change) for item in value]
    return value


def _escaped(text: str) -> str:
    doubled = text.replace("\\", "\\\\")
    return _UNSTORABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", doubled)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else "\\", text)
