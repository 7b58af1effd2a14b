"""Entity events as callers send them, one or many, and the answers to them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from pydantic import BaseModel, Field, ValidationError, field_validator

from memory_layer.domain.time.entity_events import EVENT_ID_PREFIX, EntityEvent, EntityEventKind
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.edge.shapes.derived_models import incoming_model
from memory_layer.edge.shapes.problems import violations_of
from memory_layer.edge.shapes.requests import MEMORY_ID
from memory_layer.errors import Invalid, Malformed, TooLarge
from memory_layer.ports.collections import EventPage
from memory_layer.ports.records import left_out
from memory_layer.usecases.world.take_entity_events import (
    EVENTS_MAX,
    EventOutcome,
    EventReport,
    ReportedEvent,
)

if TYPE_CHECKING:

    class _Sayable(BaseModel):
        target: str | None = None
        detail: dict[str, Any] | None = None
        occurred_at: datetime | None = None

else:
    _Sayable = incoming_model("EntityEventFields", EntityEvent, ("target", "detail", "occurred_at"))

MADE_IDS = (EVENT_ID_PREFIX, "git_")
REPORTED_MAX = 100
"""Most violations of one request that are reported."""


class ToldEntityEvent(_Sayable):
    """Event of an entity. `occurred_at` omitted: now. `id`: the caller's own; the same id counts once."""

    urn: Annotated[str, Field(min_length=1, max_length=256, description="What it happened to.")]
    event: Annotated[EntityEventKind, Field(description="What happened.")]
    id: Annotated[
        str | None,
        Field(pattern=MEMORY_ID, description="The caller's own: told twice under it, it happened once."),
    ] = None

    @field_validator("id")
    @classmethod
    def _is_nobody_elses(cls, id: str | None) -> str | None:
        """Refuses ids of the derived form: they can be foreseen from the event, and nobody takes one beforehand."""
        if id is not None and id.startswith(MADE_IDS):
            raise ValueError(
                f"ids that begin with {' or '.join(MADE_IDS)} are made of what is told; send another"
            )
        return id


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityEventAnswer:
    """Recorded event; `marked` memories went stale by it now; `is_known`: a memory names the URN (null: not looked
    up yet).

    Args:
        id: the event's id.
        urn: what it happened to.
        event: what happened.
        occurred_at: when it happened.
        marked: how many memories that the caller may see went stale by it now.
        is_known: a memory names the URN; null: not looked up yet.
        is_new: it was not told before.
        is_applied: all memories that name the URN were looked through.
    """

    id: str
    urn: str
    event: EntityEventKind
    occurred_at: datetime
    marked: int
    is_known: bool | None
    is_new: bool
    is_applied: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityEventsAnswer:
    """Recorded events; `note` only while something is still to be done.

    Args:
        events: each that was told, in the order of the request.
    """

    events: Sequence[EntityEventAnswer]
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PastEntityEvent:
    """Event of an entity as it was told.

    Args:
        id: the event's id.
        urn: what it happened to.
        event: what happened.
        target: the other end: the new name, or what is linked.
        detail: more about it.
        occurred_at: when it happened.
        created_by: who told it.
        marked: how many memories went stale by it.
    """

    id: str
    urn: str
    event: EntityEventKind
    target: str | None
    detail: Mapping[str, Any]
    occurred_at: datetime
    created_by: str
    marked: int


@dataclass(frozen=True, slots=True)
class EntityEventPageAnswer:
    """Page of the events of an entity; it may be short and name a next one all the same.

    Args:
        events: the first one first.
    """

    events: Sequence[PastEntityEvent]
    next_cursor: str | None
    note: str | None = None


def event_page_json(page: EventPage, next_cursor: str | None) -> dict[str, Any]:
    told = [answer_from(PastEntityEvent, event) for event in page.events]
    return document(EntityEventPageAnswer(told, next_cursor, left_out(page.damaged)))


@contextmanager
def single_event_pointers() -> Iterator[None]:
    """Points at what is wrong with a single event as it was sent: in no list."""
    try:
        yield
    except Invalid as error:
        found = tuple(
            replace(each, pointer=each.pointer.removeprefix(_FIRST))
            for each in error.violations
            if each.pointer.startswith(f"{_FIRST}/")
        )
        if not found:
            raise
        raise Invalid.each(found) from error


_FIRST = "/0"


def read_entity_events(body: str) -> tuple[list[ReportedEvent], bool]:
    """Parses one event or an array of them, and tells if it was a single one.

    Raises:
        Malformed: it is no JSON, or empty.
        TooLarge: more than 1,000.
        Invalid: with a pointer to each rule that is broken.
    """
    parsed = _parsed(body)
    items = parsed if isinstance(parsed, list) else [parsed]
    if not items:
        raise Malformed("the array is empty; send one event, or an array of them")
    if len(items) > EVENTS_MAX:
        raise TooLarge(f"{len(items):,} events; send at most {EVENTS_MAX:,} at once")
    problems: list[dict[str, Any]] = []
    reported = []
    for place, item in enumerate(items):
        where = (place,) if isinstance(parsed, list) else ()
        try:
            reported.append(entity_event_of(ToldEntityEvent.model_validate(item)))
        except ValidationError as error:
            problems += [{**one, "loc": ("body", *where, *one["loc"])} for one in error.errors()]
    if problems:
        found = violations_of(problems[:REPORTED_MAX])
        raise Invalid.each(found)
    return reported, not isinstance(parsed, list)


def _parsed(body: str) -> Any:
    try:
        return json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"the body is no JSON: {error}") from error


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number that JSON knows")


def entity_event_of(body: ToldEntityEvent) -> ReportedEvent:
    return ReportedEvent(
        urn=body.urn,
        event=body.event,
        target=body.target,
        detail=body.detail or {},
        occurred_at=body.occurred_at,
        id=body.id,
    )


def entity_events_json(taken: EventReport) -> dict[str, Any]:
    events = [_answer(one) for one in taken.events]
    return document(EntityEventsAnswer(events=events, note=taken.note))


def _answer(taken: EventOutcome) -> EntityEventAnswer:
    now = {name: getattr(taken, name) for name in ("marked", "is_known", "is_new", "is_applied")}
    return answer_from(EntityEventAnswer, taken.event, **now)
