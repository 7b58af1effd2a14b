"""Fields of the record, read off its annotations: the one source of columns, JSON and mappings."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from functools import cache, lru_cache
from operator import attrgetter
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from memory_layer.domain.memory import THOUSANDTHS, Doubt, Memory, Relation, Standing
from memory_layer.domain.resolved_time import ResolvedTime, times_from_json, times_to_json

Kind = Literal[
    "text", "integer", "score", "boolean", "instant", "labels", "relations", "document", "doubt", "times"
]


@dataclass(frozen=True, slots=True)
class Field:
    """Field of the record: its name, its kind, and whether it may be null."""

    name: str
    kind: Kind
    is_nullable: bool


@cache
def record_fields() -> tuple[Field, ...]:
    """Fields of the record in declaration order."""
    hints = get_type_hints(Memory, include_extras=True)
    return tuple(_field(f.name, hints[f.name]) for f in fields(Memory))


def _field(name: str, hint: Any) -> Field:
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    present = [option for option in options if option is not type(None)]
    return Field(name, _kind(present[0]), len(present) < len(options))


def _kind(hint: Any) -> Kind:
    if THOUSANDTHS in getattr(hint, "__metadata__", ()):
        return "score"
    plain = getattr(hint, "__origin__", hint)
    if get_origin(plain) is tuple:
        return _LIST_KINDS.get(get_args(plain)[0], "labels")
    if plain is Mapping:
        return "document"
    return _PLAIN_KINDS.get(plain, "text")


_LIST_KINDS: dict[Any, Kind] = {Relation: "relations", ResolvedTime: "times"}
_PLAIN_KINDS: dict[Any, Kind] = {int: "integer", bool: "boolean", datetime: "instant", Doubt: "doubt"}


OFFSET = "+00:00"


@lru_cache(maxsize=1_024)
def rfc3339(moment: datetime) -> str:
    """Formats a time in UTC with microseconds and a Z: sorts as text, reads back exactly.

    A write formats the same moment ten times. Moments that are equal are one instant, whatever their zone.
    """
    in_utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return in_utc.isoformat(timespec="microseconds")[: -len(OFFSET)] + "Z"


def instant(text: str) -> datetime:
    """Parses a time that `rfc3339` wrote."""
    return datetime.fromisoformat(text)


def instant_said(value: object) -> datetime | None:
    """Time, in UTC, that a value says which anybody may have written; None: it says none."""
    try:
        said = datetime.fromisoformat(value) if isinstance(value, str) else None
        return said.astimezone(UTC) if said and said.tzinfo else None
    except (ValueError, OverflowError):
        return None


def _relations(value: Iterable[Relation]) -> list[dict[str, str]]:
    return [asdict(relation) for relation in value]


DOUBT_OPTIONAL: Final = ("witnesses", "proposals")
"""Members of a doubt that are written where there are any, so that the digests of older doubts hold."""


def doubt_to_json(doubt: Doubt) -> dict[str, Any]:
    """Serializes a doubt as a JSON object."""
    return {
        "since": rfc3339(doubt.since),
        "by": list(doubt.by),
        "reasons": list(doubt.reasons),
        "runs": list(doubt.runs),
        **{name: list(some) for name in DOUBT_OPTIONAL if (some := getattr(doubt, name))},
    }


def doubt_from_json(document: Mapping[str, Any]) -> Doubt:
    """Parses a doubt that `doubt_to_json` wrote."""
    return Doubt(
        since=instant(document["since"]),
        by=tuple(document["by"]),
        reasons=tuple(document["reasons"]),
        runs=tuple(document["runs"]),
        witnesses=tuple(document.get("witnesses", ())),
        proposals=tuple(document.get("proposals", ())),
    )


Writer = Callable[[Any], Any]

_TO_JSON: dict[Kind, Writer] = {
    "instant": rfc3339,
    "labels": list,
    "relations": _relations,
    "document": dict,
    "doubt": doubt_to_json,
    "times": times_to_json,
}
_FROM_JSON: dict[Kind, Callable[[Any], Any]] = {
    "instant": instant,
    "labels": tuple,
    "relations": lambda value: tuple(Relation(**item) for item in value),
    "doubt": doubt_from_json,
    "times": times_from_json,
}


@cache
def _json_writers(
    *, is_sorted: bool
) -> tuple[Callable[[Memory], tuple[Any, ...]], tuple[str, ...], Mapping[str, Writer]]:
    """Reader of all members at once, their names, and the writers of those that are not written as they are."""
    named = [field.name for field in record_fields()]
    names = sorted((*named, *_ATTRIBUTE_OF)) if is_sorted else (*named, *_ATTRIBUTE_OF)
    return (
        attrgetter(*(_ATTRIBUTE_OF.get(name, name) for name in names)),
        tuple(names),
        {field.name: _TO_JSON[field.kind] for field in record_fields() if field.kind in _TO_JSON},
    )


_ATTRIBUTE_OF: Final = {"active": "is_active", "standing": "standing"}
"""Attributes of a record that its derived members are."""


def memory_to_json(memory: Memory, *, is_sorted: bool = False) -> dict[str, Any]:
    """Serializes the record as a JSON object: every field, and what follows from them (`DERIVED_FIELDS`).

    Args:
        is_sorted: its members by name, as `canonical_json` writes them, which takes half as long then.
    """
    read, names, writers = _json_writers(is_sorted=is_sorted)
    document = dict(zip(names, read(memory), strict=True))
    for name, write in writers.items():
        if (value := document[name]) is not None:
            document[name] = write(value)
    return document


DERIVED_FIELDS: Mapping[str, Any] = {"active": bool, "standing": Standing}
"""Fields in the JSON of a record that follow from others, with their types: `status`; `source` and the approval."""


def memory_from_json(document: Mapping[str, Any]) -> Memory:
    """Parses a record that `memory_to_json` wrote.

    Raises:
        TypeError: a field is missing that has no default.
    """
    readers = ((field.name, _FROM_JSON.get(field.kind)) for field in record_fields())
    return Memory(
        **{
            name: read(document[name]) if read and document[name] is not None else document[name]
            for name, read in readers
            if name in document
        }
    )


def canonical_json(document: Any) -> str:
    """Serializes a value as its one canonical text, for hashes and fingerprints: sorted keys, no spaces, UTF-8."""
    return _encode(document)


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode
