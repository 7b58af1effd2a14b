"""Filters of recalls and listings as callers may send them, derived from the domain's filters."""

from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel, Field, create_model, field_validator

from memory_layer.domain.fields import DERIVED_FIELDS, record_fields
from memory_layer.domain.filters import VISIBLE_STATUSES, Filters
from memory_layer.domain.list_order import ORDER_PATTERN
from memory_layer.domain.memory import Memory, Status
from memory_layer.domain.remedies import omit
from memory_layer.edge.shapes.answer_fields import field_words
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN, Instant
from memory_layer.errors import Invalid

Choices = list[Annotated[str, Field(min_length=1, max_length=256)]]
PageLimit = Annotated[int, Field(ge=1, le=200, description="How many a page holds at most.")]
PageCursor = Annotated[
    str | None, Field(max_length=2048, description="`next_cursor` of the page before, with the same filters.")
]
AsOf = Annotated[Instant | None, Field(description="As it was at that time; not in the future.")]


class Page(BaseModel):
    """Page of a list without filters."""

    model_config = REFUSE_UNKNOWN

    limit: PageLimit = 50
    cursor: PageCursor = None


BESIDE = ("status", "is_approved", "is_doubted", "pinned")
"""Filters that no caller names among the others: a listing has some of them by itself."""


def _filter_model() -> type[BaseModel]:
    hints, words = (
        get_type_hints(Filters, include_extras=True),
        {**field_words(Memory), **field_words(Filters)},
    )
    given: dict[str, Any] = {
        one.name: _filter_field(one.name, hints[one.name], words.get(one.name))
        for one in fields(Filters)
        if one.name not in BESIDE
    }
    doc = "Filters on records: inside a field any of the values will do."
    return create_model("FilterFields", __config__=REFUSE_UNKNOWN, __doc__=doc, **given)


def _filter_field(name: str, hint: Any, words: str | None) -> tuple[Any, Any]:
    if hint != tuple[str, ...]:
        return (Instant | None if datetime in get_args(hint) else hint), Field(None, description=words)
    return _choices(get_type_hints(Memory).get(name)), Field([], description=words)


def _choices(hint: Any) -> Any:
    """List of a record's values where these are few, else of any texts."""
    options = (hint, *get_args(hint))
    few = [one for one in options if get_origin(one) is Literal]
    return list[few[0]] if few else Choices  # type: ignore[valid-type]


if TYPE_CHECKING:

    class FilterFields(BaseModel): ...

else:
    FilterFields = _filter_model()


RECORD_MEMBERS = (*(field.name for field in record_fields()), *DERIVED_FIELDS)
"""Members of a record as answers show it."""


class Listing(FilterFields):
    """Page of a listing, with its filters."""

    status: list[Status] = Field([], description=field_words(Memory)["status"])
    active: Annotated[bool | None, Field(description="False: those out of use, of any status.")] = None
    pinned: Annotated[bool | None, Field(description="Whether it is kept hot by hand.")] = None
    as_of: AsOf = None
    sort: Annotated[
        str,
        Field(pattern=ORDER_PATTERN, description="Field to order by; with - before it the greatest first."),
    ] = "-created_at"
    from_end: Annotated[
        bool, Field(description="Read the same order from its end: the last page first, its last row first.")
    ] = False
    fields: Choices = Field(
        [], description="Answer `rows` of these fields, with id and version, instead of records."
    )
    count: Annotated[bool, Field(description="Count what all pages hold, as `total`.")] = False
    limit: PageLimit = 50
    cursor: PageCursor = None

    @field_validator("fields")
    @classmethod
    def check_fields(cls, values: list[str]) -> list[str]:
        """Refuses what is no field of a record. Raises: ValueError."""
        names = [part.strip() for value in values for part in value.split(",") if part.strip()]
        unknown = sorted(set(names) - set(RECORD_MEMBERS))
        if unknown:
            raise ValueError(
                f"a memory has no field {', '.join(unknown)}; it has: {', '.join(RECORD_MEMBERS)}"
            )
        return names

    @field_validator("tags", "entities")
    @classmethod
    def split_commas(cls, values: list[str]) -> list[str]:
        """Splits `tags=a,b`, the form of Project Memories, query parameters; a repeated parameter works as well."""
        return [part.strip() for value in values for part in value.split(",") if part.strip()]

    def statuses(self) -> tuple[str, ...]:
        """Statuses to list: active ones, unless statuses are named or `active=false` asks for all the others.

        Raises:
            Invalid: both are asked for, and contradict each other.
        """
        if self.active is not None and any((status == "active") != self.active for status in self.status):
            said = str(self.active).lower()
            raise Invalid.at(
                "/query/active",
                f"{said} contradicts the status {' or '.join(self.status)}",
                omit("/query/active"),
                omit("/query/status"),
            )
        if self.status:
            return tuple(self.status)
        if self.active is False:
            return tuple(status for status in get_args(Status) if status != "active")
        return VISIBLE_STATUSES
