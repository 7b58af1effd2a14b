"""What one commit does to the tables; the caller holds the transaction."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import astuple
from datetime import timedelta

from memory_layer.adapters.embedded.policy_document import policy_text
from memory_layer.adapters.embedded.rows import (
    INSERT_MEMORY,
    UPDATE_MEMORY,
    placeholders,
    row_of,
    scalar,
    vector_blob,
)
from memory_layer.domain.analysis import analyze, encode_terms
from memory_layer.domain.fields import canonical_json, instant, memory_to_json, rfc3339
from memory_layer.domain.memory import Memory, Scope, searchable_text
from memory_layer.errors import InFlight, TooMany, VersionConflict
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
    for change in commit.changes:
        _write(connection, key, change)
    for erasure in commit.erasures:
        _erase(connection, key, erasure)
    for verdict in commit.verdicts:
        _record_verdict(connection, key, verdict)
    connection.executemany(
        "UPDATE verdicts SET replaced_by = ?2 WHERE id = ?1", [list(pair) for pair in commit.replaces]
    )
    if commit.policy is not None:
        connection.execute("UPDATE projects SET policy = ? WHERE key = ?", (policy_text(commit.policy), key))


def _ensure_project(connection: sqlite3.Connection, scope: Scope) -> int:
    key = project_key(connection, scope)
    if key != UNKNOWN_PROJECT:
        return key
    connection.execute("INSERT INTO projects (tenant, project) VALUES (?, ?)", scope)
    return project_key(connection, scope)


def _next_position(connection: sqlite3.Connection, key: int) -> int:
    sql = "UPDATE projects SET position = position + 1 WHERE key = ? RETURNING position"
    return int(scalar(connection, sql, (key,)))


def _keep_answer(connection: sqlite3.Connection, key: int, answer: Answer) -> None:
    now = rfc3339(answer.expires_at - ANSWER_LIFETIME)
    connection.execute("DELETE FROM answers WHERE expires_at <= ?", (now,))
    values = (key, answer.key, answer.fingerprint, answer.status, answer.body, rfc3339(answer.expires_at))
    try:
        connection.execute(f"INSERT INTO answers VALUES ({placeholders(values)})", values)
    except sqlite3.IntegrityError as error:
        raise InFlight(f"idempotency key {answer.key!r} was used by another request meanwhile") from error


def _use(connection: sqlite3.Connection, tenant: str, quota: Quota) -> None:
    """Sliding window: the instants inside it are kept, never more than the limit."""
    where = (tenant, quota.key)
    stored = scalar(connection, "SELECT uses FROM quotas WHERE tenant = ? AND key = ?", where)
    window = timedelta(seconds=quota.window_s)
    uses = [use for use in json.loads(stored or "[]") if instant(use) + window > quota.at]
    if len(uses) >= quota.limit:
        wait_s = max(1, -int((quota.at - instant(uses[0]) - window).total_seconds() // 1))
        raise TooMany(
            f"{quota.subject}: {quota.limit} in {quota.window_s // 60} minutes is the limit; "
            f"try again in {wait_s} s",
            wait_s,
        )
    uses.append(rfc3339(quota.at))
    connection.execute("INSERT OR REPLACE INTO quotas VALUES (?, ?, ?)", (*where, json.dumps(uses)))


def _write(connection: sqlite3.Connection, key: int, change: Change) -> None:
    memory = change.memory
    position = _next_position(connection, key)
    if change.before == 0:
        _insert(connection, key, position, memory, change.vectors)
    else:
        _update(connection, key, position, memory, change)
    connection.execute(
        "INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(key, memory.id, memory.version, change.verb, change.by, rfc3339(change.at), change.reason),
            canonical_json(memory_to_json(memory)),
        ),
    )


def _insert(
    connection: sqlite3.Connection, key: int, position: int, memory: Memory, vectors: Vectors | None
) -> None:
    try:
        cursor = connection.execute(INSERT_MEMORY, (key, position, *row_of(memory)))
    except sqlite3.IntegrityError as error:
        raise VersionConflict(f"{memory.id} exists already; read it and update it instead") from error
    if cursor.lastrowid is None:
        raise VersionConflict(f"{memory.id} was not written")
    _write_search_row(connection, cursor.lastrowid, memory, vectors)


def _update(connection: sqlite3.Connection, key: int, position: int, memory: Memory, change: Change) -> None:
    stored = connection.execute(
        "SELECT key, content_hash, context FROM memories WHERE project_key = ? AND id = ? AND version = ?",
        (key, memory.id, change.before),
    ).fetchone()
    if stored is None:
        raise VersionConflict(f"{memory.id} is no longer at version {change.before}; read it again")
    memory_key, content_hash, context = stored
    connection.execute(UPDATE_MEMORY, (position, *row_of(memory), memory_key))
    text_changed = (content_hash, context) != (memory.content_hash, memory.context)
    if text_changed or change.vectors is not None:
        _write_search_row(connection, memory_key, memory, change.vectors)


def _write_search_row(
    connection: sqlite3.Connection, memory_key: int, memory: Memory, vectors: Vectors | None
) -> None:
    with_context = searchable_text(memory.content, memory.context)
    values = (
        memory_key,
        vector_blob(vectors.content if vectors else None),
        vector_blob(vectors.context if vectors else None),
        encode_terms(analyze(memory.content)),
        None if with_context is None else encode_terms(analyze(with_context)),
    )
    connection.execute("INSERT OR REPLACE INTO search_rows VALUES (?, ?, ?, ?, ?)", values)


def _erase(connection: sqlite3.Connection, key: int, erasure: Erasure) -> None:
    """The row, its vectors, versions, verdicts and counts go; id and version stay as a tombstone."""
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
    connection.execute(
        "INSERT INTO tombstones VALUES (?, ?, ?, ?, ?)",
        (*where, erasure.before + 1, memory_key, _next_position(connection, key)),
    )


def _record_verdict(connection: sqlite3.Connection, key: int, verdict: Verdict) -> None:
    values = list(astuple(verdict))
    values[4] = rfc3339(verdict.at)
    values[9:11] = (round(verdict.score_moved * 1000), round(verdict.confidence_moved * 1000))
    values.insert(1, key)
    connection.execute(f"INSERT INTO verdicts VALUES ({placeholders(values)})", values)
