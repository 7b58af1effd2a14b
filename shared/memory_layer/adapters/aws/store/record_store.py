"""Record store over one DynamoDB table, put together from its parts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.store import (
    access_counts,
    audit,
    audit_chain,
    commits,
    entity_events,
    erasure,
    history,
    integrity,
    listing,
    memories,
    news_gate,
    pairs,
    project_log,
    project_marks,
    projects,
    receipts,
    record_verification,
    requests,
    session_pages,
    sessions,
    side_verification,
    sound_items,
    staging,
    sweep_schedule,
    transaction,
)
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.records_table import RecordsTable
from memory_layer.adapters.process.request_threads import RequestThreads
from memory_layer.adapters.process.system_clock import SystemClock
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.ports.process import Clock
from memory_layer.ports.record_store import RecordStore

THREADS = 16
"""Round trips side by side."""


def _new_token() -> str:
    return uuid4().hex


@dataclass(frozen=True, slots=True)
class DynamoRecordStore(RecordStore):
    """Record store of the cloud.

    Args:
        accesses: counts of recalls, for the function that adds to them.
        erased: the bodies of erased records, for the projector.
        chain: the audit log, for the projector.
        close: closes the threads.
    """

    receipts: receipts.ReceiptItems
    accesses: access_counts.AccessCounts
    erased: commits.ErasedBodies
    chain: audit_chain.AuditChain
    close: Callable[[], None]


def open_record_store(
    client: Any,
    table_name: str,
    bodies: Bodies,
    *,
    clock: Clock | None = None,
    backoff: Backoff | None = None,
    new_token: Callable[[], str] = _new_token,
) -> DynamoRecordStore:
    """Puts the store of a table together.

    Args:
        client: as `boto_clients.dynamodb` makes it.
        table_name: of the records table.
        bodies: what it keeps the words of records with that are hot no more.
        clock: the use cases' own.
        backoff: how often and after what pauses to try again what the table is too busy for.
        new_token: makes client tokens, never the same twice.
    """
    clock = clock or SystemClock()
    table = RecordsTable(client, table_name, backoff or Backoff())
    executor = RequestThreads(THREADS, thread_name_prefix="dynamodb")
    reading = BatchReads(table, executor)
    sound = sound_items.SoundItems(table, reading)
    versions = history.VersionItems(table, reading, executor)
    bodies = bodies.beside(versions.sound)
    counts = access_counts.AccessCounts(table, reading, executor)
    log, registry = project_log.ProjectLog(table), project_marks.ProjectRegistry(table, clock)
    marks = project_marks.WriteMarks(table, reading, new_token)
    pages = listing.RecordListing(table, log, sound.read, executor)
    entries = sessions.SessionEntries(table, log, sound, executor)
    erased = commits.ErasedBodies(table, bodies)
    transactions = transaction.CommitTransactions(table, clock, new_token)
    records = memories.MemoryItems(table, reading, sound, log, pages, bodies, counts, clock, executor)
    chain = audit_chain.AuditChain(table, new_token)
    news = news_gate.AnnouncedNews(table, records, clock)
    return DynamoRecordStore(
        writer=commits.DynamoCommits(
            table, transactions, bodies, erased, news, registry, marks, entries, executor
        ),
        memories=records,
        history=history.HistoryItems(table, versions, bodies),
        sessions=sessions.SessionItems(
            entries, session_pages.SessionPages(table, log, sound, executor), bodies, counts
        ),
        receipts=receipts.ReceiptItems(table, reading, counts, clock, executor),
        accesses=counts,
        requests=requests.RequestItems(table, reading, clock),
        projects=projects.ProjectSettingItems(table, reading, registry, marks),
        learnings=staging.StagingItems(table, reading, clock),
        events=entity_events.EntityEventItems(table, reading, registry, marks, new_token),
        pairs=pairs.PairItems(table, reading, executor, new_token),
        sweeps=sweep_schedule.SweepItems(table, reading, sound, registry),
        erasures=erasure.ErasureItems(table, reading, entries, bodies, erased, marks, executor, versions),
        integrity=integrity.IntegrityItems(
            record_verification.DynamoRecordVerification(table, reading, log, executor),
            side_verification.DynamoSideVerification(table, reading),
            bodies,
            sound,
        ),
        audit=audit.AuditItems(table),
        erased=erased,
        chain=chain,
        close=executor.shutdown,
    )
