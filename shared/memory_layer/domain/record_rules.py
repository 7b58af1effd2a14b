"""Validation of a JSON object as a record: every field by its annotation in `Memory`, the only bounds there are."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin, get_type_hints

from annotated_types import Ge, Le, MaxLen, MinLen

from memory_layer.domain.fields import DERIVED_FIELDS, Kind, memory_from_json, record_fields
from memory_layer.domain.memory import (
    LABEL_MAX_CHARS,
    LABELS_MAX,
    REASON_MAX_CHARS,
    Doubt,
    Memory,
    Relation,
    content_hash,
    to_thousandths,
)
from memory_layer.domain.resolved_time import is_resolved_time
from memory_layer.domain.text_rules import MEMORY_ID

NUMBER_MAX: Final = 2**31 - 1
"""Greatest number in a record: what every index and table takes."""


class RecordFlaw(NamedTuple):
    """Broken rule: a JSON pointer and the problem there, without the value that was sent."""

    pointer: str
    detail: str


def record_flaws(document: Mapping[str, Any]) -> Iterator[RecordFlaw]:
    """Yields all that keeps a JSON object from being a record; none: `record_of` reads it."""
    rules = _rules()
    for name in sorted(document.keys() - rules.keys() - DERIVED_FIELDS.keys()):
        yield RecordFlaw(f"/{name}", "no field of a record")
    for name, rule in rules.items():
        if name in document:
            yield from (RecordFlaw(f"/{name}{place}", detail) for place, detail in rule.flaws(document[name]))
        elif rule.is_required:
            yield RecordFlaw(f"/{name}", "is missing")
    yield from _contradictions(document)


def record_of(document: Mapping[str, Any]) -> Memory:
    """Builds the record of a JSON object without flaws: scores exact, times in UTC, defaults for absent fields."""
    rules = _rules()
    return memory_from_json(
        {name: rules[name].tidied(value) for name, value in document.items() if name in rules}
    )


def _contradictions(document: Mapping[str, Any]) -> Iterator[RecordFlaw]:
    content = document.get("content")
    if (
        isinstance(content, str)
        and _is_text(content)
        and document.get("content_hash") != content_hash(content)
    ):
        yield RecordFlaw("/content_hash", "is not that of the content")
    if document.get("active", is_active := document.get("status", "active") == "active") is not is_active:
        yield RecordFlaw("/active", "contradicts the status")
    if document.get("access_count") and document.get("last_accessed_at") is None:
        yield RecordFlaw("/last_accessed_at", "is missing beside an access_count")


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Rule:
    """Rule of one field: its kind, bounds and choices."""

    kind: Kind
    is_nullable: bool
    is_required: bool
    choices: frozenset[str] | None
    bounds: tuple[Any, ...]
    pattern: re.Pattern[str] | None

    def flaws(self, value: Any) -> Iterator[tuple[str, str]]:
        """Yields the pointer inside the field ("": the field itself), and the problem there."""
        if value is None:
            return iter(() if self.is_nullable else [("", "must not be null")])
        return _CHECKS[self.kind](self, value)

    def tidied(self, value: Any) -> Any:
        if value is None:
            return None
        if self.kind == "score":
            return to_thousandths(float(value)) + 0.0  # + 0.0: no negative zero
        if self.kind == "doubt":
            return {**value, "since": _utc(value["since"])}
        return _utc(value) if self.kind == "instant" else value


def _text(rule: _Rule, value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, str):
        yield "", "must be text"
    elif rule.choices is not None and value not in rule.choices:
        yield "", f"must be one of {', '.join(sorted(rule.choices))}"
    elif rule.pattern is not None and not rule.pattern.fullmatch(value):
        yield "", f"must match {rule.pattern.pattern}"
    else:
        yield from _beyond_length(rule.bounds, value, "characters")


def _number(rule: _Rule, value: Any) -> Iterator[tuple[str, str]]:
    kinds = (int, float) if rule.kind == "score" else (int,)
    if isinstance(value, bool) or not isinstance(value, kinds):
        yield "", "must be a number" if rule.kind == "score" else "must be a whole number"
    elif not abs(value) <= NUMBER_MAX:  # which NaN is not, either
        yield "", f"must be at most {NUMBER_MAX:,}"
    else:
        for bound in rule.bounds:
            if isinstance(bound, Ge) and value < bound.ge:  # type: ignore[operator]
                yield "", f"must be at least {bound.ge}"
            if isinstance(bound, Le) and value > bound.le:  # type: ignore[operator]
                yield "", f"must be at most {bound.le}"


def _boolean(_: _Rule, value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, bool):
        yield "", "must be true or false"


_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)


def _instant(_: _Rule, value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, str) or not _RFC_3339.fullmatch(value):
        yield "", "must be an RFC 3339 time with its zone, such as 2026-03-01T12:00:00Z"
        return
    try:
        _utc(value)
    except (ValueError, OverflowError):
        yield "", "is no time that there is"


def _utc(text: str) -> str:
    """Time in the form of `rfc3339`: read back, it is in UTC."""
    if len(text) == _CANONICAL_CHARS and text.endswith("Z"):
        datetime.fromisoformat(text)
        return text
    return datetime.fromisoformat(text).astimezone(UTC).isoformat(timespec="microseconds")


_CANONICAL_CHARS = len("2026-03-01T12:00:00.000000Z")


def _labels(rule: _Rule, value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, list):
        yield "", "must be a list"
        return
    yield from _beyond_length(rule.bounds, value, "entries")
    for position, label in enumerate(value):
        if not _is_label(label):
            yield f"/{position}", f"must be text of 1 to {LABEL_MAX_CHARS} characters"


def _relations(rule: _Rule, value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, list):
        yield "", "must be a list"
        return
    yield from _beyond_length(rule.bounds, value, "entries")
    for position, relation in enumerate(value):
        if not isinstance(relation, dict) or relation.keys() != _RELATION_FIELDS:
            yield f"/{position}", "must have a type and a target, and nothing else"
        elif not all(map(_is_label, relation.values())):
            yield f"/{position}", f"type and target must be text of 1 to {LABEL_MAX_CHARS} characters"


_RELATION_FIELDS = {field.name for field in fields(Relation)}


def _is_label(value: Any) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= LABEL_MAX_CHARS


def _document(_: _Rule, value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        yield "", "must be an object"


def _doubt(rule: _Rule, value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict) or value.keys() | {"proposals", "witnesses"} != _DOUBT_FIELDS:
        yield "", f"must have {', '.join(sorted(_DOUBT_FIELDS))}, and nothing else"
        return
    yield from ((f"/since{place}", detail) for place, detail in _instant(rule, value["since"]))
    for name, longest in _DOUBT_LISTS.items():
        yield from ((f"/{name}{place}", detail) for place, detail in _texts(value.get(name, []), longest))


_DOUBT_FIELDS = {field.name for field in fields(Doubt)}
_DOUBT_LISTS = {
    "by": LABEL_MAX_CHARS,
    "reasons": REASON_MAX_CHARS,
    "runs": LABEL_MAX_CHARS,
    "witnesses": LABEL_MAX_CHARS,
    "proposals": LABEL_MAX_CHARS,
}


def _times(rule: _Rule, value: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(value, list):
        yield "", "must be a list"
        return
    yield from _beyond_length(rule.bounds, value, "entries")
    for position, time in enumerate(value):
        if not is_resolved_time(time):
            yield (
                f"/{position}",
                "must have words, from, to and certainty, days as 2026-03-01, in their order",
            )


def _texts(value: Any, longest: int) -> Iterator[tuple[str, str]]:
    if not isinstance(value, list):
        yield "", "must be a list"
        return
    yield from _beyond_length((MaxLen(LABELS_MAX),), value, "entries")
    for position, text in enumerate(value):
        if not (isinstance(text, str) and 1 <= len(text) <= longest):
            yield f"/{position}", f"must be text of 1 to {longest:,} characters"


def _beyond_length(bounds: tuple[Any, ...], value: Any, unit: str) -> Iterator[tuple[str, str]]:
    for bound in bounds:
        if isinstance(bound, MinLen) and len(value) < bound.min_length:
            yield "", f"must have at least {bound.min_length:,} {unit}"
        if isinstance(bound, MaxLen) and len(value) > bound.max_length:
            yield "", f"has {len(value):,} {unit}; the limit is {bound.max_length:,}"


_CHECKS: dict[Kind, Callable[[_Rule, Any], Iterator[tuple[str, str]]]] = {
    "text": _text,
    "integer": _number,
    "score": _number,
    "boolean": _boolean,
    "instant": _instant,
    "labels": _labels,
    "relations": _relations,
    "document": _document,
    "doubt": _doubt,
    "times": _times,
}
_NAME: Final = MaxLen(LABEL_MAX_CHARS)
_PATTERNS: Final = {
    **dict.fromkeys(("id", "superseded_by", "supersedes"), re.compile(MEMORY_ID)),
    **dict.fromkeys(("content_hash", "embedding_text_hash"), re.compile("[0-9a-f]{64}")),
}


@cache
def _rules() -> dict[str, _Rule]:
    hints = get_type_hints(Memory, include_extras=True)
    optional = {
        f.name for f in fields(Memory) if f.default is not MISSING or f.default_factory is not MISSING
    }
    return {
        field.name: _Rule(
            kind=field.kind,
            is_nullable=field.is_nullable,
            is_required=field.name not in optional,
            choices=_choices(hints[field.name]),
            bounds=tuple(_bounds(hints[field.name])) or ((_NAME,) if field.kind == "text" else ()),
            pattern=_PATTERNS.get(field.name),
        )
        for field in record_fields()
    }


def _bounds(hint: Any) -> Iterator[Any]:
    """Yields the bounds of the field itself; those of a list's entries are `_is_label`'s."""
    yield from getattr(hint, "__metadata__", ())
    if get_origin(hint) is not tuple and not hasattr(hint, "__metadata__"):
        for part in get_args(hint):
            yield from getattr(part, "__metadata__", ())


def _choices(hint: Any) -> frozenset[str] | None:
    for part in (hint, *get_args(hint)):
        if get_origin(part) is Literal:
            return frozenset(get_args(part))
    return None
