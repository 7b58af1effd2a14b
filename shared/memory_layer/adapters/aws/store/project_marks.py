"""Marks of projects: an item for each with the day of its last write, and a token that every write renews."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from memory_layer.adapters.aws.table import keys, lifecycle_keys
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.record_items import text_attributes, text_of, with_digest
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.domain.memory import Scope
from memory_layer.ports.process import Clock
from memory_layer.ports.records import NEVER_WRITTEN


class WriteMarks:
    """Write marks of all projects.

    Args:
        new_token: never the same twice.
    """

    def __init__(self, table: RecordsTable, reading: BatchReads, new_token: Callable[[], str]) -> None:
        self._table = table
        self._reading = reading
        self._new_token = new_token

    def renew(self, scopes: Iterable[Scope]) -> None:
        """Renews the marks: contexts that were assembled before are out of date.

        Raises:
            StoreUnavailable: they may be taken for good for as long as they are kept: a minute.
        """
        for scope in dict.fromkeys(scopes):
            named = text_attributes({"kind": "write_mark", "token": self._new_token()})
            self._table.put(with_digest({**lifecycle_keys.write_mark_key(scope), **named}))

    def of(self, scopes: Sequence[Scope]) -> tuple[str, ...]:
        """Reads the marks in one round trip, strongly consistent."""
        wanted = {lifecycle_keys.write_mark_key(scope)["pk"]["S"]: scope for scope in scopes}
        found = self._reading.items([lifecycle_keys.write_mark_key(scope) for scope in wanted.values()])
        marks = {wanted[item["pk"]["S"]]: text_of(item, "token") for item in found}
        return tuple(marks.get(scope) or NEVER_WRITTEN for scope in scopes)


KNOWN_MAX: Final = 10_000
"""Projects that a process remembers to have noted; beyond them it begins anew."""


class ProjectRegistry:
    """Registry of the projects of all tenants."""

    def __init__(self, table: RecordsTable, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._noted: dict[Scope, str] = {}

    def note(self, scope: Scope) -> None:
        """Notes a write today, before the first write of a process a day, so that no other write waits."""
        today = _day(self._clock.now())
        if self._noted.get(scope) == today:
            return
        item = {**lifecycle_keys.project_key(scope), "kind": {"S": "project"}, "written_on": {"S": today}}
        self._table.put(with_digest(item))
        if len(self._noted) >= KNOWN_MAX:
            self._noted.clear()
        self._noted[scope] = today

    def written_since(self, scope: Scope, at: datetime) -> bool:
        """Says that the project was written to since, to the day."""
        item = self._table.get(lifecycle_keys.project_key(scope))
        return item is not None and (text_of(item, "written_on") or "9") >= _day(at)

    def after(self, scope: Scope | None, limit: int) -> list[Scope]:
        """Projects after this one, by tenant, then project."""
        low = f"{keys.project_partition(scope)}{keys.AFTER_KEY}" if scope else " "
        part = KeyRange(lifecycle_keys.PROJECTS_PARTITION, low, "~", names=("pk", "sk"))
        pages = self._table.pages(part, (limit,))
        return [Scope(*item["sk"]["S"].split("#")) for page in pages for item in page]


def _day(at: datetime) -> str:
    return at.astimezone(UTC).date().isoformat()
