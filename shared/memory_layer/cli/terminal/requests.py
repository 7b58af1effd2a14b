"""Requests made of options: what was given, and its check where the command is carried out here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:  # nothing heavy is imported before a command runs
    from pydantic import BaseModel

    from memory_layer.ports.commit import IdempotencyRecord

Done = TypeVar("Done")
Model = TypeVar("Model", bound="BaseModel")


def given(**options: Any) -> dict[str, Any]:
    """Fields of the options that were given, as JSON has them."""
    return {name: value for name, value in options.items() if value is not None and value != []}


def if_match(version: int | None) -> dict[str, str | None]:
    """Header that names the version which alone is to be changed."""
    return {"if-match": None if version is None else f'"{version}"'}


def validated(model: type[Model], said: Mapping[str, Any]) -> Model:
    """Request of the given fields, held to the same rules as a body.

    Raises:
        Invalid: with the field and its rule.
    """
    from pydantic import ValidationError

    from memory_layer.edge.shapes.problems import violations_of
    from memory_layer.errors import Invalid

    try:
        return model.model_validate(said)
    except ValidationError as error:
        items = ({**item, "loc": ("body", *item["loc"])} for item in error.errors())
        found = violations_of(_with_known_fields(item, model) for item in items)
        raise Invalid.each(found, whole="the request") from error


def done_now(done: Done | IdempotencyRecord) -> Done:
    """Result of a use case that was given no idempotency key, and so has no earlier answer."""
    from memory_layer.ports.commit import IdempotencyRecord

    if isinstance(done, IdempotencyRecord):
        raise TypeError("a command has no idempotency key")
    return done


def _with_known_fields(item: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """Refusal of an unknown field with the known ones, at the top of the request; openapi.json has those of a body."""
    if item["type"] != "extra_forbidden" or len(item["loc"]) > 2:
        return item
    return {
        **item,
        "type": "value_error",
        "msg": f"there is no such field; there are: {', '.join(model.model_fields)}",
    }
