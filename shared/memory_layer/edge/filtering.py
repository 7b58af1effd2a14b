"""From the filters that a caller sent to the ones that the domain knows."""

from __future__ import annotations

from dataclasses import fields

from memory_layer.domain.filters import Filters
from memory_layer.edge.schemas import FilterFields


def filters_of(asked: FilterFields, status: tuple[str, ...]) -> Filters:
    """The domain's filters, for records of these statuses."""
    given = {field.name: getattr(asked, field.name) for field in fields(Filters) if field.name != "status"}
    tuples = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    return Filters(**{**given, **tuples, "status": status})
