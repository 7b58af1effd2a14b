"""JSON of other tools' files: one document, or one a line."""

import json
from collections.abc import Callable
from typing import Any, NoReturn

from memory_layer.errors import Malformed

TOO_DEEP = "the file is nested too deeply to be read"

Number = Callable[[str], Any]


def parse_json(text: str, *, parse_int: Number | None = None, parse_float: Number | None = None) -> Any:
    """Value of a JSON text.

    Args:
        parse_int, parse_float: readers of numbers; None: Python's.

    Raises:
        Malformed: it is no JSON, with line and column; NaN and Infinity are none.
    """
    try:
        return json.loads(text, parse_int=parse_int, parse_float=parse_float, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise Malformed(TOO_DEEP) from error
    except json.JSONDecodeError as error:
        raise Malformed(
            f"the file is no JSON: {error.msg} at line {error.lineno}, column {error.colno}; "
            "it may have been cut off, take a whole copy of it"
        ) from error
    except ValueError as error:
        raise Malformed(f"the file is no JSON that can be read: {error}") from error


def parse_documents(text: str) -> Any:
    """Value of a JSON text, or the list of those of its lines, where each line is an object of its own.

    Raises:
        Malformed: as `parse_json`, of the whole text or of a line.
    """
    plain = text.removeprefix("\ufeff").strip(" \t\r\n")
    lines = plain.split("\n")
    if len(lines) == 1 or not is_object_line(lines[0]):
        return parse_json(plain)
    return [_line(number, line) for number, line in enumerate(lines, 1) if line.strip()]


def is_object_line(line: str) -> bool:
    """Tells whether a line is a whole JSON object by itself."""
    if not line.startswith("{") or not line.rstrip().endswith("}"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _line(number: int, line: str) -> Any:
    try:
        return parse_json(line)
    except Malformed as error:
        raise Malformed(f"line {number}: {error.reason.removeprefix('the file ')}") from error


def _refuse_constant(name: str) -> NoReturn:
    raise Malformed(f"the file is no JSON: {name} is no number there; put a number or null in its place")
