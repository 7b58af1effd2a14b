"""Log of a project: an entry for every change that the search index may not have yet.

The projector deletes an entry once the index has what it tells of. Entries carry what the table's own, eventually
consistent indexes are asked by, so that a read just after a write finds it whatever they say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Final, NamedTuple

from memory_layer.adapters.aws.table import keys, record_items
from memory_layer.adapters.aws.table.audit_items import told_attribute
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.domain.audit import AuditEvent
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.audit import erasure_event
from memory_layer.ports.commit import Commit, Erasure
from memory_layer.ports.records import UNSEEN_MAX

ENTRIES_MAX: Final = UNSEEN_MAX
"""The newest entries are looked at, one page: the table's indexes are seconds behind at most, so lists and twins
miss nothing."""

PAGES_MAX: Final = 5
"""A recall looks at more of them: a record may have many entries, and what it misses it has to say."""

FIRST: Final = "0"
"""Before every sort key of an entry."""


class LogEntry(NamedTuple):
    """Entry of a change: its sort key, and which record is what since."""

    sort: str
    id: str
    version: int
    is_erasure: bool

    @classmethod
    def of_item(cls, item: record_items.Item) -> LogEntry:
        is_erasure = item["of"]["S"] != record_items.MEMORY
        return cls(item["sk"]["S"], item["id"]["S"], record_items.version_of(item), is_erasure)


def newest_records(scope: Scope, entries: Iterable[LogEntry]) -> list[Ref]:
    """Records that entries name, the newest UNSEEN_MAX, none that is erased. Args: entries: the last one first."""
    newest: dict[str, bool] = {}
    for entry in entries:
        newest.setdefault(entry.id, entry.is_erasure)
    return [Ref(scope.project, id) for id, is_erased in newest.items() if not is_erased][:UNSEEN_MAX]


def change_entry(
    memory: Memory, log_sk: str, events: Sequence[AuditEvent] = ()
) -> dict[str, record_items.Value]:
    """Entry of a change. Args: events: for the audit log."""
    position = None if memory.position is None else {"N": str(memory.position)}
    expires_at = None if memory.expires_at is None else rfc3339(memory.expires_at)
    item = {
        **_entry(memory.scope, memory.id, memory.version, record_items.MEMORY, log_sk),
        **record_items.text_attributes(
            {"status": memory.status, "content_hash": memory.content_hash, "persona": memory.persona}
        ),
        **record_items.text_attributes({"created_at": rfc3339(memory.created_at), "expires_at": expires_at}),
        **record_items.text_attributes({"session_id": memory.session_id}),
        **record_items.without_absent({"position": position}),
        **(told_attribute(events) if events else {}),
    }
    return record_items.with_digest(item)


def erasure_entry(commit: Commit, erasure: Erasure, log_sk: str) -> dict[str, record_items.Value]:
    entry = _entry(commit.scope, erasure.id, erasure.before + 1, record_items.TOMBSTONE, log_sk)
    return record_items.with_digest({**entry, **told_attribute([erasure_event(commit, erasure)])})


def _entry(scope: Scope, id: str, version: int, of: str, log_sk: str) -> dict[str, record_items.Value]:
    return {
        **keys.log_key(scope, log_sk),
        **record_items.text_attributes({"kind": "log", "of": of, "id": id}),
        "version": {"N": str(version)},
    }


class ProjectLog:
    """Latest writes of a project, strongly consistent."""

    def __init__(self, table: RecordsTable) -> None:
        self._table = table

    def written_after(self, scope: Scope, position: int) -> list[Ref]:
        """Records changed after a moment in microseconds since 1970, the last one first; none that is erased.

        Raises:
            IndexUnavailable: so much was written since then that not even all names of it can be read.
        """
        return newest_records(scope, self.entries(scope, f"{position + 1:020d}"))

    def entries(self, scope: Scope, since: str = FIRST) -> list[LogEntry]:
        """Entries from a sort key on, the last one first; they end where they name as many records as are looked at.

        Raises:
            IndexUnavailable: as `written_after`.
        """
        names = ("sk", "id", "of", "version")
        part = KeyRange(keys.log_partition(scope), since, keys.AFTER_TIMES, newest_first=True, names=names)
        found: list[LogEntry] = []
        for number, page in enumerate(self._table.pages(part, (*repeat(ENTRIES_MAX, PAGES_MAX), 1))):
            if page and number == PAGES_MAX:
                raise IndexUnavailable(f"the index is more than {PAGES_MAX * ENTRIES_MAX:,} changes behind")
            found += map(LogEntry.of_item, page)
            if len(newest_records(scope, found)) >= UNSEEN_MAX:
                break
        return found

    def changes(self, scope: Scope) -> list[record_items.Item]:
        """Id, creation, status and expiry of written records, the last one first; a record may be there twice."""
        names = ("id", "created_at", "status", "expires_at")
        return [entry for entry in self._newest(scope, FIRST, names=names) if "created_at" in entry]

    def with_content(self, scope: Scope, content_hash: str) -> set[str]:
        """Ids of records written with exactly this content."""
        values: dict[str, record_items.Value] = {":a": {"S": content_hash}}
        return {
            entry["id"]["S"]
            for entry in self._newest(scope, FIRST, ("id",), "#a = :a", {"#a": "content_hash"}, values)
        }

    def of_session(self, scope: Scope, session_id: str, first: int, last: int) -> dict[str, int]:
        """Positions first..last of a conversation's records, by id."""
        return {id: position for position, id in self.places_in(scope, session_id, first, last)}

    def places_in(self, scope: Scope, session_id: str, first: int, last: int) -> list[tuple[int, str]]:
        """Positions first..last and ids of a conversation's records, also those that a record has left since."""
        values: dict[str, record_items.Value] = {
            ":a": {"S": session_id},
            ":b": {"N": str(first)},
            ":c": {"N": str(last)},
        }
        where = "#a = :a AND #b BETWEEN :b AND :c"
        names = {"#a": "session_id", "#b": "position"}
        entries = self._newest(scope, FIRST, ("id", "position"), where, names, values)
        return [(int(entry["position"]["N"]), entry["id"]["S"]) for entry in entries]

    def _newest(
        self,
        scope: Scope,
        low: str,
        names: tuple[str, ...],
        where: str | None = None,
        filtered: Mapping[str, str] | None = None,
        values: Mapping[str, record_items.Value] | None = None,
    ) -> Iterator[record_items.Item]:
        part = KeyRange(
            keys.log_partition(scope),
            low,
            keys.AFTER_TIMES,
            newest_first=True,
            names=names,
            where=where,
            filtered=filtered,
            values=values,
        )
        for page in self._table.pages(part, (ENTRIES_MAX,)):
            yield from page
