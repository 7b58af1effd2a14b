"""Answers as objects: the fields of the document are attributes, and those that a newer server adds are there too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

Reading = Callable[[Any], Any]


class Document:
    """Answer, or a part of one. Its document as it came: `as_dict()`."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.__dict__["_document"] = document

    def as_dict(self) -> dict[str, Any]:
        """Document as the service wrote it; times are text."""
        return dict(self.__dict__["_document"])

    if not TYPE_CHECKING:  # a checker knows the annotated fields alone

        def __getattr__(self, name: str) -> Any:
            document, fields = self.__dict__.get("_document", {}), _readings(type(self))
            named = name if name in document else name.removesuffix("_")
            if name not in fields and named not in document:
                raise AttributeError(f"{type(self).__name__} has no {name}; it has: {', '.join(document)}")
            value = self.__dict__[name] = fields.get(name, _as_it_is)(document.get(named))
            return value

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an answer stays as it came; {name} is changed by an operation")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Document) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.as_dict()!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.as_dict(),)


@cache
def _readings(kind: type) -> Mapping[str, Reading]:
    return {name: reading(hint) for name, hint in get_type_hints(kind).items()}


def reading(hint: Any) -> Reading:
    """Function that makes of JSON what an annotation says; null stays None, and what does not fit stays as it is."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _choice([one for one in arguments if one is not NoneType])
    if origin is list:
        each = reading(arguments[0])
        return lambda value: [each(one) for one in value] if isinstance(value, list) else value
    if origin is dict:
        inner = reading(arguments[1])
        return lambda value: (
            {key: inner(one) for key, one in value.items()} if isinstance(value, dict) else value
        )
    if isinstance(hint, type) and issubclass(hint, Document):
        return lambda value: hint(value) if isinstance(value, dict) else value
    return _moment if hint is datetime else _as_it_is


def _choice(hints: list[Any]) -> Reading:
    """Reading as one of several: an object as the kind that knows most of its fields."""
    kinds: list[Any] = [one for one in hints if isinstance(one, type) and issubclass(one, Document)]
    others = [reading(one) for one in hints if one not in kinds]
    if not kinds:
        return others[0] if len(others) == 1 else _as_it_is

    def read(value: Any) -> Any:
        if isinstance(value, dict):
            return max(kinds, key=lambda kind: len(value.keys() & _readings(kind).keys()))(value)
        return others[0](value) if len(others) == 1 else value

    return read


def _moment(value: Any) -> Any:
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _as_it_is(value: Any) -> Any:
    return value
