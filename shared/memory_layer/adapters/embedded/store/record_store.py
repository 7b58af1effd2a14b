"""Record store over SQLite, put together from its parts."""

from collections.abc import Callable
from dataclasses import dataclass

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ProjectKeys
from memory_layer.adapters.embedded.store import (
    audit,
    commits,
    entity_events,
    erasure,
    history,
    integrity,
    memories,
    pairs,
    projects,
    receipts,
    record_bodies,
    record_repair,
    requests,
    sound_reads,
    sound_records,
    staging,
    storage_repair,
    sweep_schedule,
)
from memory_layer.adapters.embedded.store.project_repair import mend_projects
from memory_layer.adapters.process.system_clock import SystemClock
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.memory import Scope
from memory_layer.ports.process import Clock, Turns
from memory_layer.ports.record_store import RecordStore


@dataclass(frozen=True, slots=True)
class SqliteRecordStore(RecordStore):
    """Record store of the laptop: one file with bodies beside it, for any number of threads and processes.

    Args:
        close: writes the receipts that recalls have noted, then closes the file.
    """

    receipts: receipts.ReceiptLog
    requests: requests.RequestRows
    close: Callable[[], None]


def open_record_store(
    database: Database,
    bodies: Bodies,
    turns: Turns | None = None,
    on_write: Callable[[Scope], None] | None = None,
    clock: Clock | None = None,
) -> SqliteRecordStore:
    """Puts the store of a database together, and deletes the bodies that an erasure left behind.

    Args:
        turns: left by threads that heal a record.
        on_write: told of each project that was written to; within a long transaction before its end.
        clock: says when a commit enters the audit log; None: the machine's.
    """
    mend_projects(database)
    keys, turns = ProjectKeys(database), turns or Turns()
    versions = history.StoredVersions(database, keys, turns)
    bodies = bodies.beside(versions.sound)
    erased, log = record_bodies.ErasedBodyRows(database, bodies), receipts.ReceiptLog(database, keys)
    repair = record_repair.RecordRepair(database, bodies, turns)
    sound = sound_records.SoundRecords(database, repair)
    reads = sound_reads.SoundReads(database, keys, bodies, sound)
    erased.delete()

    def close() -> None:
        log.close()
        database.close()

    return SqliteRecordStore(
        writer=commits.SqliteCommits(database, bodies, erased, clock or SystemClock(), on_write),
        memories=memories.MemoryRows(database, keys, bodies, reads, sound.damage, log),
        history=history.HistoryRows(database, keys, versions, bodies),
        sessions=memories.SessionRows(database, keys, bodies, reads),
        receipts=log,
        requests=requests.RequestRows(database, keys),
        projects=projects.ProjectSettingRows(database),
        learnings=staging.StagingRows(database, keys),
        events=entity_events.EntityEventRows(database, keys),
        pairs=pairs.PairRows(database, keys),
        sweeps=sweep_schedule.SweepRows(database, sound),
        erasures=erasure.ErasureRows(database, keys, bodies, erased, log, versions),
        integrity=integrity.IntegrityRows(
            database, bodies, sound, reads, storage_repair.StorageRepair(database, repair)
        ),
        audit=audit.AuditRows(database, keys),
        close=close,
    )
