"""Pydantic models made of the domain's dataclasses, so that a field and its bounds are declared once."""

import re
from dataclasses import fields
from datetime import UTC, datetime
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Strict,
    create_model,
)

REFUSE_UNKNOWN = ConfigDict(extra="forbid", allow_inf_nan=False)


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


def _incoming(hint: Any) -> Any:
    """Record's annotation for input: aware times, and no number or boolean made of a string."""
    if hint is datetime:
        return Instant
    if hint in (int, float, bool):
        return Annotated[hint, Strict()]
    arguments = get_args(hint)
    if get_origin(hint) is Annotated:
        strict = (Strict(),) if arguments[0] in (int, float) else ()
        bounds = tuple(bound for bound in hint.__metadata__ if not isinstance(bound, str))
        return Annotated[(_incoming(arguments[0]), *strict, *bounds)]
    if type(None) in arguments:
        return _incoming(arguments[0]) | None
    return hint


def incoming_model(name: str, of: type, names: tuple[str, ...]) -> type[BaseModel]:
    """Model with these fields of a dataclass, all optional: only given fields count."""
    hints = get_type_hints(of, include_extras=True)
    optional: dict[str, Any] = {field: (_incoming(hints[field]), None) for field in names}
    return create_model(name, __config__=REFUSE_UNKNOWN, **optional)


def answer_model(name: str, of: type, doc: str) -> Any:
    hints = get_type_hints(of, include_extras=True)
    described: dict[str, Any] = {field.name: (_plain(hints[field.name]), ...) for field in fields(of)}
    return create_model(name, __doc__=doc, **described)


def _plain(hint: Any) -> Any:
    """Annotation without its bounds: an answer is not validated."""
    if get_origin(hint) is Annotated:
        return _plain(get_args(hint)[0])
    if type(None) in get_args(hint):
        return _plain(get_args(hint)[0]) | None
    return hint
