"""Pairs as named texts and integers: the same in a row and in an item."""

from collections.abc import Mapping
from typing import Any, Final

from memory_layer.adapters.stored_form.collection_spec import Cell, CollectionSpec
from memory_layer.domain.conflicts.pair import Pair
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.memory import Scope

_FIELDS: Final = (
    *("id", "kind", "first_id", "second_id", "first_hash", "second_hash", "similarity", "severity"),
    *("reason", "status", "resolution", "resolved_by", "resolved_at", "persona", "found_at", "version"),
)
_PLAIN: Final = (*("id", "kind", "reason", "status", "resolution", "resolved_by", "persona", "version"),)


def _cells(pair: Pair) -> dict[str, Cell]:
    """Stored value of every field but tenant and project, in the order of its specification; scores in thousandths."""
    values: dict[str, Cell] = {
        **{name: getattr(pair, name) for name in _PLAIN},
        **dict(zip(("first_id", "second_id"), pair.ids, strict=True)),
        **dict(zip(("first_hash", "second_hash"), pair.content_hashes, strict=True)),
        "similarity": round(pair.similarity * 1000),
        "severity": round(pair.severity * 1000),
        "resolved_at": None if pair.resolved_at is None else rfc3339(pair.resolved_at),
        "found_at": rfc3339(pair.found_at),
    }
    return {name: values[name] for name in _FIELDS}


def _pair_of(scope: Scope, values: Mapping[str, Any]) -> Pair:
    resolved_at = values["resolved_at"]
    return Pair(
        tenant=scope.tenant,
        project=scope.project,
        ids=(values["first_id"], values["second_id"]),
        content_hashes=(values["first_hash"], values["second_hash"]),
        similarity=values["similarity"] / 1000,
        severity=values["severity"] / 1000,
        resolved_at=None if resolved_at is None else instant(resolved_at),
        found_at=instant(values["found_at"]),
        **{name: values[name] for name in _PLAIN},
    )


PAIRS: Final = CollectionSpec(name="pairs", fields=_FIELDS, cells=_cells, read=_pair_of)
