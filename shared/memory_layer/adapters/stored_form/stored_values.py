"""Stored values: their conversion, and parsing that reports damage as such and not as a mistake of the program."""

import json
import logging
import struct
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

from memory_layer.domain.context.assembly_policy import AssemblyPolicy, assembly_policy_of
from memory_layer.domain.integrity import verification
from memory_layer.domain.learning.author_records import AuthorRecords, author_records_of
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import DamagedPolicy, DamagedText
from memory_layer.errors import StoreUnavailable

_log = logging.getLogger(__name__)

compact_json: Final = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
"""JSON text of a value without blanks, as one Unicode text."""


def converted(
    values: Iterable[tuple[str, Any]], conversions: Mapping[str, Callable[[Any], Any]]
) -> dict[str, Any]:
    """Values by name, each but None in the conversion of its name, if there is one."""
    return {
        name: conversions[name](value) if name in conversions and value is not None else value
        for name, value in values
    }


def assembly_of(scope: Scope, text: str | None, version: int = 0) -> tuple[AssemblyPolicy, bool]:
    """Tuning of contexts in a cell, and if it is damaged: the defaults then, with a log line.

    Args:
        version: of the cell, as far as it is known beside it.
    """
    try:
        return assembly_policy_of(text), False
    except DamagedPolicy as error:
        _log.error("the tuning of contexts of %s is damaged (%s); the defaults hold", scope.project, error)
        return AssemblyPolicy(version=version), True


def authors_of(scope: Scope, text: str | None, version: int = 0) -> AuthorRecords:
    """Records of authors in a cell; none, with a log line, where it is damaged. Args: version: as `assembly_of`."""
    try:
        return author_records_of(text)
    except DamagedText as error:
        _log.error("the records of authors of %s are damaged (%s); nobody ranks lower", scope.project, error)
        return AuthorRecords(version=version)


def authors_flaw(text: str | None) -> str | None:
    """Flaw of the records of authors in a cell; None: it is sound."""
    try:
        author_records_of(text)
    except DamagedText as error:
        return f"the records of authors are damaged: {error}; nobody ranks lower until a line is judged again"
    return None


def tuning_flaw(text: str | None) -> str | None:
    """Flaw of the tuning of contexts in a cell; None: it is sound."""
    try:
        assembly_policy_of(text)
    except DamagedPolicy as error:
        return f"the tuning of contexts is damaged: {error}; the defaults hold; set it back: DELETE /context/tuning"
    return None


UNREADABLE: Final = (*verification.UNREADABLE, zlib.error, struct.error)

Stored = TypeVar("Stored")
Read = TypeVar("Read")


def parse_stored(parse: Callable[[Stored], Read], stored: Stored, what: str) -> Read:
    """Parses a stored value. Args: what: its name in errors, e.g. "a verdict on m1".

    Raises:
        StoreUnavailable: the value is damaged.
    """
    try:
        return parse(stored)
    except UNREADABLE as error:
        raise StoreUnavailable(
            f"{what} is damaged and cannot be read: {error}; see what else is: mem verify"
        ) from error
