"""Copies of records with some fields changed, for where many are made."""

from dataclasses import fields
from operator import attrgetter
from typing import Any, Final

from memory_layer.domain.memory import Memory

_NAMES: Final = tuple(field.name for field in fields(Memory))
_PLACES: Final = {name: place for place, name in enumerate(_NAMES)}
_VALUES: Final = attrgetter(*_NAMES)
_SETTERS: Final = tuple(getattr(Memory, name).__set__ for name in _NAMES)


def copied_with(memory: Memory, **changed: Any) -> Memory:
    """Copy of a record with these fields changed: dataclasses.replace takes five times as long for 56 fields.

    Raises:
        KeyError: a record has no such field.
    """
    values = list(_VALUES(memory))
    for name, value in changed.items():
        values[_PLACES[name]] = value
    copy = object.__new__(Memory)
    for put, value in zip(_SETTERS, values, strict=True):
        put(copy, value)
    return copy
