"""Records that the index has not seen: the tail of their projects' logs, read once by a process and kept.

What is kept finds and scores candidates alone; whatever is shown is read from the table again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from threading import Lock
from typing import Any, Final, NamedTuple

from memory_layer.adapters.aws.store.project_log import LogEntry, ProjectLog, newest_records
from memory_layer.adapters.aws.store.sound_items import SoundItems
from memory_layer.adapters.aws.table import keys
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.ports.commit import Vectors
from memory_layer.ports.process import Clock

SHORT_LOG: Final = 100
"""Entries up to which a log is read whole each time: some 8 read units."""

WHOLE_EVERY: Final = timedelta(seconds=60)
"""A long log is read whole so often: until then a record that reached the index meanwhile is scored here still."""

LATE_BY: Final = timedelta(seconds=15)
"""An entry may come so much later than its time says: clocks differ, and a busy table has a commit tried again."""

PROJECTS_MAX: Final = 200
RECORDS_MAX: Final = 2_000
"""Kept by one process; with their vectors some 10 MB."""

RecordKey = tuple[Scope, str]
"""Project and id."""

RecordWithVectors = tuple[Memory, "Vectors | None"]


class LogTail(NamedTuple):
    """Entries of a project's log, the newest first, as of when they were last read whole."""

    entries: Sequence[LogEntry]
    whole_at: datetime


class UnindexedRecords:
    """Reader of what the index lacks: after the first read of a long log, only of what is new in it."""

    def __init__(self, log: ProjectLog, sound: SoundItems, clock: Clock) -> None:
        self._log = log
        self._sound = sound
        self._clock = clock
        self._lock = Lock()
        self._tails: dict[Scope, LogTail] = {}
        self._records: dict[RecordKey, RecordWithVectors] = {}

    def refs(self, scope: Scope) -> list[Ref]:
        """Lists records as `ProjectLog.written_after` from the beginning on; maybe with some that have been indexed.

        Raises:
            IndexUnavailable: as there.
        """
        now = self._clock.now()
        tail = self._followed(scope, self._tails.get(scope), now) or LogTail(self._log.entries(scope), now)
        refs = newest_records(scope, tail.entries)
        listed = {ref.id for ref in refs}
        with self._lock:
            self._tails.pop(scope, None)
            self._tails[scope] = tail
            _drop_oldest(self._tails, PROJECTS_MAX)
            for key in [one for one in self._records if one[0] == scope and one[1] not in listed]:
                del self._records[key]
        return refs

    def _followed(self, scope: Scope, known: LogTail | None, now: datetime) -> LogTail | None:
        """Tail with what is new; None: it is to be read whole."""
        if known is None or len(known.entries) <= SHORT_LOG or now - known.whole_at >= WHOLE_EVERY:
            return None
        newest = min(known.entries[0].sort, keys.log_position(now))
        since = keys.log_position(keys.log_time(newest) - LATE_BY)
        fresh = self._log.entries(scope, since)
        return LogTail([*fresh, *(one for one in known.entries if one.sort < since)], known.whole_at)

    def records(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, RecordWithVectors]:
        """Reads records that `refs` listed, with their vectors, or takes them as they were read at the same version."""
        with self._lock:
            listed = self._listed_versions({Scope(tenant, ref.project) for ref in refs})
            found = dict(self._known(tenant, refs, listed))
        read = self._sound.with_vectors(tenant, [ref for ref in refs if ref not in found])
        with self._lock:
            for ref, record in read.items():
                if _key(tenant, ref) in listed:
                    self._records[_key(tenant, ref)] = record
            _drop_oldest(self._records, RECORDS_MAX)
        found |= read
        return {ref: found[ref] for ref in refs if ref in found}

    def _known(
        self, tenant: str, refs: Collection[Ref], listed: Mapping[RecordKey, int]
    ) -> Iterator[tuple[Ref, RecordWithVectors]]:
        for ref in refs:
            record = self._records.get(_key(tenant, ref))
            if record is not None and record[0].version == listed.get(_key(tenant, ref)):
                yield ref, record

    def _listed_versions(self, scopes: Collection[Scope]) -> dict[RecordKey, int]:
        """Newest version of each record that the tails name."""
        versions: dict[RecordKey, int] = {}
        for scope in scopes:
            tail = self._tails.get(scope)
            for entry in tail.entries if tail else ():
                versions[scope, entry.id] = max(entry.version, versions.get((scope, entry.id), 0))
        return versions


def _key(tenant: str, ref: Ref) -> RecordKey:
    return Scope(tenant, ref.project), ref.id


def _drop_oldest(kept: dict[Any, Any], most: int) -> None:
    """Drops what was put in first, beyond so many."""
    for key in list(islice(kept, max(0, len(kept) - most))):
        del kept[key]
