"""Searches among trusted records alone, beside those among all, so that no number of others crowds them out."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from memory_layer.adapters.aws.search.filter_clauses import Body
from memory_layer.adapters.aws.search.queries import arm_bodies
from memory_layer.adapters.aws.search.term_weights import FieldStatistics
from memory_layer.manifest import index
from memory_layer.ports.index import IndexQuery

_TRUSTED: Final = "trusted "


def trusted_bodies(
    query: IndexQuery, statistics: FieldStatistics, terms: Mapping[str, int], model: str
) -> dict[str, Body]:
    """Searches as `arm_bodies` among trusted records alone, by names of their own."""
    asked = replace(query, k=query.trusted)
    bodies = arm_bodies(asked, statistics, terms, model, [{"term": {index.TRUSTED: True}}])
    return {f"{_TRUSTED}{arm}": body for arm, body in bodies.items()}


def arm_of(name: str) -> str:
    """Arm of a search of `trusted_bodies`."""
    return name.removeprefix(_TRUSTED)
