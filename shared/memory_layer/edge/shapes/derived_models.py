"""Pydantic models made of the domain's dataclasses, so that a field and its bounds are declared once."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from datetime import UTC, datetime
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    create_model,
)

from memory_layer.domain.memory import Memory
from memory_layer.edge.shapes.answer_fields import field_words, members, summary
from memory_layer.edge.shapes.member_words import MEMBER_WORDS

REFUSE_UNKNOWN = ConfigDict(extra="forbid", allow_inf_nan=False, defer_build=True)


_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)


def _text(moment: object) -> object:
    """Refuses a time that is no text: numbers and digits would silently be taken for seconds since 1970."""
    if isinstance(moment, datetime) or (isinstance(moment, str) and _RFC_3339.fullmatch(moment)):
        return moment
    raise ValueError("a time is RFC 3339 text with its zone, such as 2026-03-01T12:00:00Z")


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("in UTC this time lies outside the years 1 to 9999") from error


Instant = Annotated[AwareDatetime, BeforeValidator(_text), AfterValidator(_in_utc)]
"""A time with its zone, as UTC."""


def incoming_hint(hint: Any) -> Any:
    """Record's annotation for input: aware times, and no number or boolean made of a string."""
    if hint is datetime:
        return Instant
    if hint in (int, float, bool):
        return Annotated[hint, Strict()]
    arguments = get_args(hint)
    if get_origin(hint) is Annotated:
        strict = (Strict(),) if arguments[0] in (int, float) else ()
        bounds = tuple(bound for bound in hint.__metadata__ if not isinstance(bound, str))
        return Annotated[(incoming_hint(arguments[0]), *strict, *bounds)]
    if type(None) in arguments:
        return incoming_hint(arguments[0]) | None
    return hint


def incoming_model(name: str, of: type, names: tuple[str, ...]) -> type[BaseModel]:
    """Model with these fields of a dataclass and their words, all optional: only given fields count."""
    hints, words = get_type_hints(of, include_extras=True), field_words(of)
    optional: dict[str, Any] = {
        field: (incoming_hint(hints[field]), Field(None, description=words.get(field))) for field in names
    }
    return create_model(name, __config__=REFUSE_UNKNOWN, **optional)


@cache
def answer_model(of: type) -> type[BaseModel]:
    """Model of the documents that `answer_fields.document` writes of a dataclass, named after it."""
    return create_model(
        _model_name(of), __config__=ConfigDict(defer_build=True), __doc__=summary(of), **_model_fields(of)
    )


def _model_name(of: type) -> str:
    return "MemoryAnswer" if of is Memory else of.__name__


def _model_fields(of: type) -> dict[str, Any]:
    found: dict[str, Any] = {}
    words = field_words(of)
    for member in members(of):
        hint = _plain(member.hint)
        if member.is_spread:
            found |= _model_fields(_present(member.hint))
        else:
            said = words.get(member.attribute, MEMBER_WORDS.get(member.attribute))
            default = None if member.is_left_out else ...
            found[member.name] = (hint, Field(default, description=said))
    return found


def _present(hint: Any) -> Any:
    """Dataclass that an annotation names."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _plain(hint: Any) -> Any:
    """Annotation without its bounds: an answer is not validated. A dataclass that requests have too stays itself."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _plain(arguments[0])
    if is_dataclass(hint):
        return hint if hasattr(hint, "__pydantic_config__") else answer_model(hint)  # type: ignore[arg-type]
    if origin in (Union, UnionType):
        return Union[tuple(_plain(one) for one in arguments)]  # noqa: UP007  # of as many as there are
    if origin in (tuple, list, Sequence, Mapping, dict):
        return origin[tuple(_plain(one) for one in arguments)]
    return hint


def describe(schema: dict[str, Any], of: type) -> None:
    """Adds the words about a dataclass's fields to its schema; of a model they are there already."""
    for name, words in field_words(of).items():
        schema["properties"][name].setdefault("description", words)
