"""Erasure of the rows beside records, and the count of these rows."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import Final, get_args

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ProjectKeys, note_write
from memory_layer.adapters.embedded.sqlite.record_rows import placeholders
from memory_layer.adapters.embedded.sqlite.row_digests import update_in_place
from memory_layer.adapters.embedded.store.history import StoredVersions, forget_reasons, redact_versions
from memory_layer.adapters.embedded.store.receipts import ReceiptLog
from memory_layer.adapters.embedded.store.record_bodies import ErasedBodyRows
from memory_layer.adapters.embedded.store.requests import EMPTY_ANSWER
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.memory import Memory, OutcomeResult, Scope

_TRACES: Final = {
    "versions": "SELECT id, count(*) FROM versions WHERE project_key = ? AND id IN ({ids}) GROUP BY id",
    "verdicts": "SELECT memory_id, count(*) FROM verdicts"
    " WHERE project_key = ? AND memory_id IN ({ids}) GROUP BY memory_id",
    "answers": "SELECT memory_id, count(*) FROM answers"
    " WHERE project_key = ? AND memory_id IN ({ids}) AND body <> '' GROUP BY memory_id",
    "pairs": "SELECT m.id, count(*) FROM memories m JOIN pairs p ON p.project_key = m.project_key"
    " AND (p.first_id = m.id OR p.second_id = m.id) WHERE m.project_key = ? AND m.id IN ({ids}) GROUP BY m.id",
    "feedback": "SELECT m.id, 1 FROM memories m JOIN projects p ON p.key = m.project_key JOIN implicit_feedback f"
    " ON f.project_key = p.key AND f.memory = p.project || '/' || m.id WHERE m.project_key = ? AND m.id IN ({ids})",
    "vectors": "SELECT m.id, (s.content_vector IS NOT NULL) + (s.context_vector IS NOT NULL) FROM memories m"
    " JOIN search_rows s ON s.memory_key = m.key WHERE m.project_key = ? AND m.id IN ({ids})",
}
_NO_NOTE: Final = update_in_place("verdicts", note="NULL")
_BESIDE_A_PROJECT: Final = (
    "answers",
    "sessions",
    "receipts",
    "verdicts",
    "versions",
    "pairs",
    "webhooks",
    "implicit_feedback",
)
"""Tables of rows that belong to a project and to no record, run or staged learning that is there."""


class ErasureRows:
    """Erasure in all projects: the port ports.maintenance.ErasureStore. Args: receipts: flushed before theirs go."""

    def __init__(
        self,
        database: Database,
        keys: ProjectKeys,
        bodies: Bodies,
        erased: ErasedBodyRows,
        receipts: ReceiptLog,
        versions: StoredVersions,
    ) -> None:
        self._database = database
        self._keys = keys
        self._bodies = bodies
        self._erased = erased
        self._receipts = receipts
        self._versions = versions

    def traces(self, scope: Scope, ids: Collection[str]) -> Mapping[str, Mapping[str, int]]:
        """Number of rows beside each record, by kind. Args: ids: a few hundred."""
        found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for name, sql in _TRACES.items():
            statement = sql.format(ids=placeholders(list(ids)))
            for id, count in self._database.reader().execute(statement, (self._keys.of(scope), *ids)):
                found[id][name] += count
        return {id: dict(counts) for id, counts in found.items()}

    def forget_receipts(self, scope: Scope, principal: str | None) -> int:
        self._receipts.flush()
        where = "project_key = ?" if principal is None else "project_key = ? AND principal = ?"
        values = (self._keys.of(scope),) if principal is None else (self._keys.of(scope), principal)
        with self._database.writing() as connection:
            return connection.execute(f"DELETE FROM receipts WHERE {where}", values).rowcount

    def forget_notes(self, scope: Scope, principal: str) -> int:
        key = self._keys.of(scope)
        with self._database.writing() as connection:
            forget_reasons(connection, key, principal, get_args(OutcomeResult))
            where = "project_key = ? AND principal = ? AND note IS NOT NULL"
            return connection.execute(f"{_NO_NOTE} WHERE {where}", (key, principal)).rowcount

    def forget_answers(self, scope: Scope) -> int:
        where = "project_key = ? AND memory_id = '' AND body <> ''"
        with self._database.writing() as connection:
            return connection.execute(f"{EMPTY_ANSWER} WHERE {where}", (self._keys.of(scope),)).rowcount

    def redact_versions(
        self, scope: Scope, id: str, first: int, last: int, redacted: Callable[[Memory], Memory]
    ) -> None:
        key = self._keys.of(scope)
        with self._database.writing() as connection:
            redact_versions(connection, key, id, (first, last), redacted)
            connection.execute(f"{EMPTY_ANSWER} WHERE project_key = ? AND memory_id = ?", (key, id))
            note_write(connection, key)
        self._bodies.keep_only(scope, id, {one.memory.content_hash for one in self._versions.all(scope, id)})

    def forget_sessions(self, scope: Scope, session_ids: Collection[str]) -> int:
        sql = (
            "DELETE FROM sessions WHERE project_key = ? AND session_id = ? AND NOT EXISTS (SELECT 1 FROM memories m"
            " WHERE m.project_key = sessions.project_key AND m.session_id = sessions.session_id)"
        )
        with self._database.writing() as connection:
            return sum(
                connection.execute(sql, (self._keys.of(scope), session_id)).rowcount
                for session_id in session_ids
            )

    def forget_project(self, scope: Scope) -> Mapping[str, int]:
        key = self._keys.of(scope)
        with self._database.writing() as connection:
            forgotten = {
                table: connection.execute(f"DELETE FROM {table} WHERE project_key = ?", (key,)).rowcount
                for table in _BESIDE_A_PROJECT
            }
            note_write(connection, key)
            for cell in ("policy", "assembly", "authors"):
                settings = f"UPDATE projects SET {cell} = NULL WHERE key = ? AND {cell} IS NOT NULL"
                forgotten["settings"] = (
                    forgotten.get("settings", 0) + connection.execute(settings, (key,)).rowcount
                )
            present = connection.execute("SELECT id FROM memories WHERE project_key = ?", (key,)).fetchall()
            return {**forgotten, "bodies": self._bodies.erase_project(scope, but=[id for (id,) in present])}

    def settle(self, *, rewrites: bool = False) -> bool:
        """Settles an erasure: deletes erased bodies, empties the log of writes and, if asked, rewrites the file.

        Rows are overwritten as they are freed (secure_delete); the log of writes still has them as they were.
        A page that was once split, to make room, keeps copies of the rows that went to the other half.
        """
        is_deleted = self._erased.delete()
        is_rewritten = not rewrites or self._database.rewrite()
        return self._database.empty_log() and is_rewritten and is_deleted
