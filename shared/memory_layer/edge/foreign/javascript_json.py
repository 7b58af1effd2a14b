"""JSON as JavaScript reads and writes it, so that a checksum taken there can be taken again here.

Source: ECMA-262, JSON.parse, JSON.stringify, Number::toString, OrdinaryOwnPropertyKeys.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from json.encoder import encode_basestring
from math import isfinite
from typing import Any

from memory_layer.edge.foreign.json_text import TOO_DEEP, parse_json
from memory_layer.errors import Malformed

ARRAY_INDEX_MAX = 2**32 - 2
"""Names that are array indices come before all others, in ascending order."""

PLAIN_DIGITS_MAX = 21
PLAIN_ZEROS_MAX = 6
"""Beyond 21 digits before the point, or 6 zeros after it, a number is written with an exponent."""

_ARRAY_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def parse(text: str) -> Any:
    """Value of a JSON text: every number a double, the last of equal names at the place of the first.

    Raises:
        Malformed: it is no JSON, with line and column; NaN and Infinity are none.
    """
    return parse_json(text, parse_int=float, parse_float=float)


def stringify(value: Any) -> str:
    """Text that JSON.stringify(value) gives for a value that `parse` gave.

    Raises:
        Malformed: nested too deeply.
    """
    try:
        return _serialized(value)
    except RecursionError as error:
        raise Malformed(TOO_DEEP) from error


def _serialized(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        members = (f"{_text(name)}:{_serialized(member)}" for name, member in _in_order(value))
        return f"{{{','.join(members)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_serialized, value))}]"
    return _number(value) if isinstance(value, float) else {None: "null", True: "true", False: "false"}[value]


def _text(value: str) -> str:
    """Quoted text: lone surrogates, quotes, backslashes and control characters escaped, all else as it is."""
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", encode_basestring(value))


def _in_order(members: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    indices = sorted((name for name in members if _is_array_index(name)), key=int)
    yield from ((name, members[name]) for name in indices)
    yield from ((name, member) for name, member in members.items() if not _is_array_index(name))


def _is_array_index(name: str) -> bool:
    return _ARRAY_INDEX.fullmatch(name) is not None and int(name) <= ARRAY_INDEX_MAX


def _number(value: float) -> str:
    """Shortest digits that read back as this double, as both languages find them, in JavaScript's shape."""
    if not isfinite(value):
        return "null"
    if value == 0:
        return "0"  # the sign of a zero is not written
    _, digits, exponent = Decimal(repr(abs(value))).normalize().as_tuple()
    return f"{'-' if value < 0 else ''}{_with_point(''.join(map(str, digits)), len(digits) + int(exponent))}"


def _with_point(digits: str, point: int) -> str:
    """Digits with their decimal point after the first `point` of them, which may lie outside."""
    if len(digits) <= point <= PLAIN_DIGITS_MAX:
        return digits.ljust(point, "0")
    if 0 < point <= PLAIN_DIGITS_MAX:
        return f"{digits[:point]}.{digits[point:]}"
    if -PLAIN_ZEROS_MAX < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"
