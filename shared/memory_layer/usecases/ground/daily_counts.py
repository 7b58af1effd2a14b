"""Numbers of a project by day: what was stored, how often it was asked, and how often nothing was known."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, get_args

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Status
from memory_layer.ports.index import ListQuery
from memory_layer.ports.process import Ports

DAYS_MAX: Final = 30
"""Days that receipts of recalls are kept. Source: SPEC 3.32."""

RECALLS_COUNTED_MAX: Final = 20_000
"""Recalls that are counted at most, the newest ones."""


@dataclass(frozen=True, slots=True)
class DayCounts:
    """Numbers of one day.

    Args:
        day: in UTC.
        created: memories that were stored, of those that the caller sees now, of every status.
        recalls: recalls, prompts and contexts that were answered.
        abstained: of these, those that returned no memory.
    """

    day: date
    created: int
    recalls: int
    abstained: int


@dataclass(frozen=True, slots=True)
class DailyCounts:
    """Numbers of the last days.

    Args:
        days: the first one first, today the last.
        recalls_since: from which on recalls were counted, where there are more than are counted; null: all were.
    """

    days: tuple[DayCounts, ...]
    recalls_since: datetime | None


def counts_by_day(ports: Ports, principal: Principal, project: str, days: int) -> DailyCounts:
    """Numbers of the last days.

    Args:
        days: 1 to `DAYS_MAX`, today among them.

    Raises:
        IndexUnavailable: the index does not answer now.
    """
    scope, now = principal.scope(project), ports.clock.now()
    first = now.astimezone(UTC).date() - timedelta(days - 1)
    begin = datetime.combine(first, time(), UTC)
    stored = Filters(status=get_args(Status), created_after=begin)
    created = ports.index.created_by_day(ListQuery(scope, stored, viewer_of(principal), now))
    recalls = ports.store.receipts.by_day(scope, begin, RECALLS_COUNTED_MAX)
    counted = (first + timedelta(number) for number in range(days))
    told = tuple(
        DayCounts(day, created.get(day, 0), recalls.answered.get(day, 0), recalls.empty.get(day, 0))
        for day in counted
    )
    return DailyCounts(told, recalls.since)
