"""What one commit does to the tables; the caller holds the transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import astuple

from memory_layer.adapters.embedded.history_rows import silence_versions, write_version
from memory_layer.adapters.embedded.rows import (
    INSERT_MEMORY,
    UPDATE_MEMORY,
    WRITE_SEARCH_ROW,
    placeholders,
    row_of,
    scalar,
    vector_blob,
)
from memory_layer.adapters.embedded.staging_rows import remove_staged, write_run, write_staged
from memory_layer.domain.analysis import analyze, encode_terms
from memory_layer.domain.fields import canonical_json, instant, memory_to_json, rfc3339
from memory_layer.domain.integrity import document_digest, search_digest
from memory_layer.domain.memory import Memory, Scope, searchable_text
from memory_layer.domain.policy import policy_text
from memory_layer.errors import ContentTaken, InFlight, VersionConflict, id_taken
from memory_layer.ports import ANSWER_LIFETIME, Answer, Change, Commit, Erasure, Quota, Vectors, Verdict

UNKNOWN_PROJECT = -1
"""The key of a project without its first write: matches no row."""


def project_key(connection: sqlite3.Connection, scope: Scope) -> int:
    key = scalar(connection, "SELECT key FROM projects WHERE tenant = ? AND project = ?", scope)
    return UNKNOWN_PROJECT if key is None else int(key)


def apply(connection: sqlite3.Connection, commit: Commit) -> None:
    """Do all that the commit asks.

    Raises:
        VersionConflict, TooMany, InFlight: as ports.RecordStore.commit; the caller rolls back.
    """
    key = _ensure_project(connection, commit.scope)
    if commit.answer is not None:
        _keep_answer(connection, key, commit.answer)
    for quota in commit.quotas:
        _use(connection, commit.scope.tenant, quota)
    for erasure in commit.erasures:
        _erase(connection, key, erasure)
    for change in commit.changes:
        _write(connection, key, change)
    for verdict in commit.verdicts:
        _record_verdict(connection, key, verdict)
    connection.executemany(
        "UPDATE verdicts SET replaced_by = ?2 WHERE id = ?1", [list(pair) for pair in commit.replaces]
    )
    if commit.policy is not None:
        connection.execute("UPDATE projects SET policy = ? WHERE key = ?", (policy_text(commit.policy), key))
    for record in commit.runs:
        write_run(connection, key, record)
    write_staged(connection, key, commit.staged)
    for staged in commit.unstaged:
        remove_staged(connection, key, staged)


def _ensure_project(connection: sqlite3.Connection, scope: Scope) -> int:
    key = project_key(connection, scope)
    if key != UNKNOWN_PROJECT:
        return key
    connection.execute("INSERT INTO projects (tenant, project) VALUES (?, ?)", scope)
    return project_key(connection, scope)


def take_positions(
    connection: sqlite3.Connection, scope: Scope, session_id: str, count: int, at_least: int
) -> int:
    """The first of `count` positions that no record has and nobody was given."""
    key = _ensure_project(connection, scope)
    where = (key, session_id)
    used = "SELECT max(position) + 1 FROM memories WHERE project_key = ? AND session_id = ?"
    given = "SELECT next_position FROM sessions WHERE project_key = ? AND session_id = ?"
    first = max(at_least, *(int(scalar(connection, sql, where) or 0) for sql in (used, given)))
    connection.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)", (*where, first + count))
    return first


def _next_position(connection: sqlite3.Connection, key: int) -> int:
    sql = "UPDATE projects SET position = position + 1 WHERE key = ? RETURNING position"
    return int(scalar(connection, sql, (key,)))


def _keep_answer(connection: sqlite3.Connection, key: int, answer: Answer) -> None:
    now = rfc3339(answer.expires_at - ANSWER_LIFETIME)
    connection.execute("DELETE FROM answers WHERE expires_at <= ?", (now,))
    values = (
        *(key, answer.key, answer.fingerprint, answer.status, answer.body),
        *(rfc3339(answer.expires_at), answer.memory_id),
    )
    try:
        connection.execute(f"INSERT INTO answers VALUES ({placeholders(values)})", values)
    except sqlite3.IntegrityError as error:
        raise InFlight("another request with this idempotency key came first; send it again") from error


def _use(connection: sqlite3.Connection, tenant: str, quota: Quota) -> None:
    where = (tenant, quota.key)
    stored = scalar(connection, "SELECT uses FROM quotas WHERE tenant = ? AND key = ?", where)
    uses = quota.spent([instant(use) for use in json.loads(stored or "[]")])
    text = json.dumps([rfc3339(use) for use in uses])
    connection.execute("INSERT OR REPLACE INTO quotas VALUES (?, ?, ?)", (*where, text))


def _write(connection: sqlite3.Connection, key: int, change: Change) -> None:
    memory = change.memory
    if change.is_news:
        _refuse_same_content(connection, key, change)
    position = _next_position(connection, key)
    document = memory_to_json(memory)
    digest = bytes.fromhex(document_digest(document))
    if change.before == 0:
        _insert(connection, key, position, digest, memory, change.vectors)
    else:
        _update(connection, key, position, digest, memory, change)
    if change.brings_accesses:
        _set_accesses(connection, key, memory)
    write_version(connection, key, position, change, canonical_json(document))


def _refuse_same_content(connection: sqlite3.Connection, key: int, change: Change) -> None:
    """Two writers of one text at the same time: the second one learns of the first here."""
    memory = change.memory
    sql = (
        "SELECT id FROM memories WHERE project_key = ? AND content_hash = ? AND status = 'active'"
        " AND persona IS ? AND (expires_at IS NULL OR expires_at > ?) AND id <> ? LIMIT 1"
    )
    values = (key, memory.content_hash, memory.persona, rfc3339(change.at), memory.id)
    taken = scalar(connection, sql, values)
    if taken is not None:
        raise ContentTaken(taken)


def _insert(
    connection: sqlite3.Connection,
    key: int,
    position: int,
    digest: bytes,
    memory: Memory,
    vectors: Vectors | None,
) -> None:
    values = (key, position, digest, *row_of(memory))
    try:
        cursor = connection.execute(INSERT_MEMORY, values)
    except sqlite3.IntegrityError as error:
        raise VersionConflict(id_taken(memory.id)) from error
    if cursor.lastrowid is None:
        raise VersionConflict(f"{memory.id} was not written")
    _write_search_row(connection, cursor.lastrowid, memory, vectors)


def _update(
    connection: sqlite3.Connection, key: int, position: int, digest: bytes, memory: Memory, change: Change
) -> None:
    stored = connection.execute(
        "SELECT key, content_hash, context FROM memories WHERE project_key = ? AND id = ? AND version = ?",
        (key, memory.id, change.before),
    ).fetchone()
    if stored is None:
        raise VersionConflict(f"{memory.id} is no longer at version {change.before}; read it again")
    memory_key, content_hash, context = stored
    connection.execute(UPDATE_MEMORY, (position, digest, *row_of(memory), memory_key))
    text_changed = (content_hash, context) != (memory.content_hash, memory.context)
    if text_changed or change.vectors is not None:
        _write_search_row(connection, memory_key, memory, change.vectors)


def _write_search_row(
    connection: sqlite3.Connection, memory_key: int, memory: Memory, vectors: Vectors | None
) -> None:
    with_context = searchable_text(memory.content, memory.context)
    parts = (
        vector_blob(vectors.content if vectors else None),
        vector_blob(vectors.context if vectors else None),
        encode_terms(analyze(memory.content)),
        None if with_context is None else encode_terms(analyze(with_context)),
    )
    digest = bytes.fromhex(search_digest(memory.id, *parts))
    connection.execute(WRITE_SEARCH_ROW, (memory_key, *parts, digest))


def _set_accesses(connection: sqlite3.Connection, key: int, memory: Memory) -> None:
    where = "SELECT key FROM memories WHERE project_key = ? AND id = ?"
    memory_key = scalar(connection, where, (key, memory.id))
    if memory.last_accessed_at is None:
        connection.execute("DELETE FROM accesses WHERE memory_key = ?", (memory_key,))
        return
    values = (memory_key, memory.access_count, rfc3339(memory.last_accessed_at))
    connection.execute("INSERT OR REPLACE INTO accesses VALUES (?, ?, ?)", values)


def _erase(connection: sqlite3.Connection, key: int, erasure: Erasure) -> None:
    """The row, its vectors, versions, verdicts, counts and words go; id and version stay as a tombstone."""
    where = (key, erasure.id)
    memory_key = scalar(
        connection,
        "DELETE FROM memories WHERE project_key = ? AND id = ? AND version = ? RETURNING key",
        (*where, erasure.before),
    )
    if memory_key is None:
        raise VersionConflict(f"{erasure.id} is no longer at version {erasure.before}; read it again")
    connection.execute("DELETE FROM versions WHERE project_key = ? AND id = ?", where)
    connection.execute("DELETE FROM verdicts WHERE project_key = ? AND memory_id = ?", where)
    connection.execute("UPDATE answers SET body = '' WHERE project_key = ? AND memory_id = ?", where)
    _silence(connection, key, erasure.echoes)
    connection.execute(
        "INSERT INTO tombstones VALUES (?, ?, ?, ?, ?)",
        (*where, erasure.before + 1, memory_key, _next_position(connection, key)),
    )


def _silence(connection: sqlite3.Connection, key: int, echoes: Sequence[str]) -> None:
    """What the neighbours of an erased turn had heard of it, in earlier versions and in answers."""
    silence_versions(connection, key, echoes)
    connection.executemany(
        "UPDATE answers SET body = json_set(body, '$.context', NULL)"
        " WHERE project_key = ? AND memory_id = ? AND body <> ''",
        [(key, id) for id in echoes],
    )


def _record_verdict(connection: sqlite3.Connection, key: int, verdict: Verdict) -> None:
    values = list(astuple(verdict))
    values[4] = rfc3339(verdict.at)
    values[9:11] = (round(verdict.score_moved * 1000), round(verdict.confidence_moved * 1000))
    values.insert(1, key)
    connection.execute(f"INSERT INTO verdicts VALUES ({placeholders(values)})", values)
