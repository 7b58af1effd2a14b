"""Pairs as named texts and integers: the same in a row and in an item."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from memory_layer.domain.conflicts.pair import Pair
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.integrity.verification import UNREADABLE
from memory_layer.domain.memory import Scope

Stored = str | int | None

PAIR_FIELDS: Final = (
    *("id", "kind", "first_id", "second_id", "first_hash", "second_hash", "similarity", "severity"),
    *("reason", "status", "resolution", "resolved_by", "resolved_at", "persona", "found_at", "version"),
)
_PLAIN: Final = (*("id", "kind", "reason", "status", "resolution", "resolved_by", "persona", "version"),)


def pair_values(pair: Pair) -> dict[str, Stored]:
    """Stored value of every field but tenant and project, in the order of PAIR_FIELDS; scores in thousandths."""
    values: dict[str, Stored] = {
        **{name: getattr(pair, name) for name in _PLAIN},
        **dict(zip(("first_id", "second_id"), pair.ids, strict=True)),
        **dict(zip(("first_hash", "second_hash"), pair.content_hashes, strict=True)),
        "similarity": round(pair.similarity * 1000),
        "severity": round(pair.severity * 1000),
        "resolved_at": None if pair.resolved_at is None else rfc3339(pair.resolved_at),
        "found_at": rfc3339(pair.found_at),
    }
    return {name: values[name] for name in PAIR_FIELDS}


def readable_pairs(scope: Scope, all_values: Iterable[Mapping[str, Any]]) -> list[Pair]:
    """Pairs of stored values, without damaged ones: verify names them, and they keep no other from being decided on."""
    found: list[Pair] = []
    for values in all_values:
        with suppress(*UNREADABLE):
            found.append(_pair_of(scope, values))
    return found


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
