"""Writes of one commit to the tables; the caller holds the transaction."""

import sqlite3
from collections.abc import Sequence
from dataclasses import astuple
from datetime import datetime

from memory_layer.adapters.embedded.sqlite import record_rows
from memory_layer.adapters.embedded.sqlite.mention_rows import update_named_mentions, write_mentions
from memory_layer.adapters.embedded.sqlite.project_rows import ensure_project, lenient_text, note_write
from memory_layer.adapters.embedded.sqlite.row_digests import (
    insertion,
    selection,
    sound_rows,
    update_in_place,
    with_digest,
)
from memory_layer.adapters.embedded.store.audit import append_events, forget_person
from memory_layer.adapters.embedded.store.change_cells import ChangeCells, search_cells
from memory_layer.adapters.embedded.store.history import strip_context, write_version
from memory_layer.adapters.embedded.store.quota_rows import use_hour, use_quota
from memory_layer.adapters.embedded.store.record_bodies import note_erased_bodies
from memory_layer.adapters.embedded.store.requests import EMPTY_ANSWER
from memory_layer.adapters.embedded.store.staging import (
    remove_run,
    remove_staged,
    write_feedback,
    write_run,
    write_staged,
)
from memory_layer.adapters.stored_form.stored_values import assembly_of, authors_of
from memory_layer.domain.context.assembly_policy import AssemblyPolicy, assembly_policy_text
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.learning.author_records import AuthorRecords, author_records_text
from memory_layer.domain.memory import Memory, Scope, is_stub
from memory_layer.domain.policy import policy_text
from memory_layer.errors import ContentTaken, InFlight, VersionConflict, id_taken
from memory_layer.ports.audit import events_of
from memory_layer.ports.commit import (
    ANSWER_LIFETIME,
    Change,
    Commit,
    Erasure,
    IdempotencyRecord,
    Verdict,
)

_GIVE_POSITIONS = insertion("sessions", "INSERT OR REPLACE")
_GIVEN = selection("sessions")
_KEEP_ANSWER = insertion("answers")
_SET_ACCESSES = insertion("accesses", "INSERT OR REPLACE")
_BURY = insertion("tombstones")
_RECORD_VERDICT = insertion("verdicts")
_REPLACE_ONE = f"{update_in_place('verdicts', replaced_by='?2')} WHERE id = ?1"
_FORGET_FEEDBACK = (
    "DELETE FROM implicit_feedback WHERE project_key = ?1"
    " AND memory = (SELECT project FROM projects WHERE key = ?1) || '/' || ?2"
)
_SILENCE_ANSWER = update_in_place(  # an unreadable answer may hold the words as well
    "answers", body="iif(json_valid(body), json_set(body, '$.context', NULL), '')"
)


def apply_commit(
    connection: sqlite3.Connection, key: int, commit: Commit, cells: Sequence[ChangeCells], at: datetime
) -> None:
    """Applies a commit to the project of this key, and enters it in the audit log.

    Args:
        cells: of each of its changes.
        at: now.

    Raises:
        VersionConflict, TooMany, InFlight: as ports.record_store.CommitWriter.commit; the caller rolls back.
    """
    positions = iter(note_write(connection, key, positions=len(commit.erasures) + len(commit.changes)))
    if commit.answer is not None:
        _keep_answer(connection, key, commit.answer)
    for quota in commit.quotas:
        use_quota(connection, commit.scope.tenant, quota)
    for use in commit.uses:
        use_hour(connection, commit.scope.tenant, use)
    for erasure in commit.erasures:
        _erase(connection, key, next(positions), erasure)
    for change, made in zip(commit.changes, cells, strict=True):
        _write(connection, key, next(positions), change, made)
    for verdict in commit.verdicts:
        _record_verdict(connection, key, verdict)
    if commit.replaces:
        connection.executemany(_REPLACE_ONE, commit.replaces)
    if commit.policy is not None:
        connection.execute("UPDATE projects SET policy = ? WHERE key = ?", (policy_text(commit.policy), key))
    if commit.assembly is not None:
        _write_assembly(connection, key, commit.scope, commit.assembly)
    if commit.authors is not None:
        _write_authors(connection, key, commit.scope, commit.authors)
    for record in commit.runs:
        write_run(connection, key, record)
    if commit.staged:
        write_staged(connection, key, commit.staged)
    for staged in commit.unstaged:
        remove_staged(connection, key, staged)
    for record in commit.unrun:
        remove_run(connection, key, record)
    for feedback in commit.feedback:
        write_feedback(connection, key, feedback)
    if commit.forgets is not None:
        forget_person(connection, key, commit.forgets)
    append_events(connection, key, events_of(commit), rfc3339(at))


def _write_assembly(connection: sqlite3.Connection, key: int, scope: Scope, policy: AssemblyPolicy) -> None:
    """Writes the tuning of contexts. Raises: VersionConflict: it was tuned meanwhile."""
    cell = record_rows.scalar(connection, "SELECT CAST(assembly AS BLOB) FROM projects WHERE key = ?", (key,))
    stored, _ = assembly_of(scope, lenient_text(cell))
    if stored.version != policy.version - 1:
        raise VersionConflict(f"project {scope.project} was tuned meanwhile; read its tuning again")
    connection.execute("UPDATE projects SET assembly = ? WHERE key = ?", (assembly_policy_text(policy), key))


def _write_authors(connection: sqlite3.Connection, key: int, scope: Scope, records: AuthorRecords) -> None:
    """Writes the records of authors. Raises: VersionConflict: another line was judged meanwhile."""
    cell = record_rows.scalar(connection, "SELECT CAST(authors AS BLOB) FROM projects WHERE key = ?", (key,))
    if authors_of(scope, lenient_text(cell)).version != records.version - 1:
        raise VersionConflict(
            f"another line of project {scope.project} was judged meanwhile; read them again"
        )
    connection.execute("UPDATE projects SET authors = ? WHERE key = ?", (author_records_text(records), key))


def take_positions(
    connection: sqlite3.Connection, scope: Scope, session_id: str, count: int, at_least: int
) -> int:
    """Takes `count` positions that no record has and no caller was given, and returns the first."""
    key = ensure_project(connection, scope)
    where = (key, session_id)
    used = "SELECT max(position) + 1 FROM memories WHERE project_key = ? AND session_id = ?"
    given = connection.execute(f"{_GIVEN} WHERE project_key = ? AND session_id = ?", where).fetchall()
    counted = max((next_position for *_, next_position in sound_rows(given)), default=0)
    first = max(at_least, int(record_rows.scalar(connection, used, where) or 0), counted)
    connection.execute(_GIVE_POSITIONS, with_digest((*where, first + count)))
    return first


def _keep_answer(connection: sqlite3.Connection, key: int, answer: IdempotencyRecord) -> None:
    now = rfc3339(answer.expires_at - ANSWER_LIFETIME)
    connection.execute("DELETE FROM answers WHERE expires_at <= ?", (now,))
    values = (
        *(key, answer.key, answer.fingerprint, answer.status, answer.body),
        *(rfc3339(answer.expires_at), answer.memory_id),
    )
    try:
        connection.execute(_KEEP_ANSWER, with_digest(values))
    except sqlite3.IntegrityError as error:
        raise InFlight("another request with this idempotency key came first; send it again") from error


def _write(
    connection: sqlite3.Connection, key: int, position: int, change: Change, cells: ChangeCells
) -> None:
    if change.is_news:
        _refuse_same_content(connection, key, change)
    if change.before == 0:
        _insert(connection, key, position, change, cells)
    else:
        _update(connection, key, position, change, cells)
    if change.brings_accesses:
        _set_accesses(connection, key, change.memory)
    write_version(connection, key, position, change, cells)


def _refuse_same_content(connection: sqlite3.Connection, key: int, change: Change) -> None:
    """Refuses a text that is stored: of two writers at the same time, the second learns of the first here.

    Raises:
        ContentTaken: an active record of the same persona has it.
    """
    memory = change.memory
    sql = (
        "SELECT id FROM memories WHERE project_key = ? AND content_hash = ? AND status = 'active'"
        " AND persona IS ? AND (expires_at IS NULL OR expires_at > ?) AND id <> ? LIMIT 1"
    )
    values = (key, memory.content_hash, memory.persona, rfc3339(change.at), memory.id)
    taken = record_rows.scalar(connection, sql, values)
    if taken is not None:
        raise ContentTaken(taken)


def _insert(
    connection: sqlite3.Connection, key: int, position: int, change: Change, cells: ChangeCells
) -> None:
    id = change.memory.id
    values = (key, position, cells.digest, cells.due, change.body_bytes, *cells.stored)
    try:
        cursor = connection.execute(record_rows.INSERT_MEMORY, record_rows.sealed(values))
    except sqlite3.IntegrityError as error:
        raise VersionConflict(id_taken(id)) from error
    if cursor.lastrowid is None:
        raise VersionConflict(f"{id} was not written")
    _write_search_row(connection, cursor.lastrowid, change, cells)


def _update(
    connection: sqlite3.Connection, key: int, position: int, change: Change, cells: ChangeCells
) -> None:
    memory = change.memory
    stored = connection.execute(
        "SELECT key, content_hash, context, body_bytes FROM memories WHERE project_key = ? AND id = ? AND version = ?",
        (key, memory.id, change.before),
    ).fetchone()
    if stored is None:
        raise VersionConflict(f"{memory.id} is no longer at version {change.before}; read it again")
    memory_key, content_hash, context, body_bytes = stored
    if change.words is not None or not is_stub(memory):
        body_bytes = change.body_bytes
    values = (key, position, cells.digest, cells.due, body_bytes, *cells.stored)
    connection.execute(record_rows.UPDATE_MEMORY, (*record_rows.sealed(values), memory_key))
    text_changed = (content_hash, context) != (memory.content_hash, memory.context)
    if text_changed or change.vectors is not None:
        _write_search_row(connection, memory_key, change, cells)
    else:
        update_named_mentions(connection, memory_key, memory)


def _write_search_row(
    connection: sqlite3.Connection, memory_key: int, change: Change, cells: ChangeCells
) -> None:
    """Writes vectors, terms and mentions of a record."""
    search = cells.search or search_cells([change])[0]
    connection.execute(record_rows.WRITE_SEARCH_ROW, (memory_key, *search.parts, search.digest))
    write_mentions(connection, memory_key, search.said, search.named)


def _set_accesses(connection: sqlite3.Connection, key: int, memory: Memory) -> None:
    where = "SELECT key FROM memories WHERE project_key = ? AND id = ?"
    memory_key = record_rows.scalar(connection, where, (key, memory.id))
    if memory.last_accessed_at is None:
        connection.execute("DELETE FROM accesses WHERE memory_key = ?", (memory_key,))
        return
    values = (memory_key, memory.access_count, rfc3339(memory.last_accessed_at))
    connection.execute(_SET_ACCESSES, with_digest(values))


def _erase(connection: sqlite3.Connection, key: int, position: int, erasure: Erasure) -> None:
    """Deletes a record with its vectors, versions, verdicts, counts and words; id and version stay as a tombstone."""
    where = (key, erasure.id)
    memory_key = record_rows.scalar(
        connection,
        "DELETE FROM memories WHERE project_key = ? AND id = ? AND version = ? RETURNING key",
        (*where, erasure.before),
    )
    if memory_key is None:
        raise VersionConflict(f"{erasure.id} is no longer at version {erasure.before}; read it again")
    connection.execute("DELETE FROM versions WHERE project_key = ? AND id = ?", where)
    connection.execute("DELETE FROM verdicts WHERE project_key = ? AND memory_id = ?", where)
    connection.execute(_FORGET_FEEDBACK, where)
    for end in ("first_id", "second_id"):
        connection.execute(f"DELETE FROM pairs WHERE project_key = ? AND {end} = ?", where)
    connection.execute(f"{EMPTY_ANSWER} WHERE project_key = ? AND memory_id = ?", where)
    _silence(connection, key, erasure.echoes)
    note_erased_bodies(connection, key, erasure.id)
    tombstone = (*where, erasure.before + 1, memory_key, position)
    connection.execute(_BURY, with_digest(tombstone))


def _silence(connection: sqlite3.Connection, key: int, echoes: Sequence[str]) -> None:
    """Removes an erased turn from the contexts of its neighbours, in earlier versions and in answers."""
    strip_context(connection, key, echoes)
    connection.executemany(
        f"{_SILENCE_ANSWER} WHERE project_key = ? AND memory_id = ? AND body <> ''",
        [(key, id) for id in echoes],
    )


def _record_verdict(connection: sqlite3.Connection, key: int, verdict: Verdict) -> None:
    values = list(astuple(verdict))
    values[4] = rfc3339(verdict.at)
    values[9:11] = (round(verdict.score_moved * 1000), round(verdict.confidence_moved * 1000))
    connection.execute(_RECORD_VERDICT, with_digest((key, *values)))
