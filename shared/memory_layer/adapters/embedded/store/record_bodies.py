"""Bodies of erased records, which are deleted beside their rows."""

import logging
import sqlite3
from typing import Final

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.row_digests import insertion, with_digest
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.memory import Scope
from memory_layer.errors import StoreUnavailable

LATE_BODY_WRITES_S: Final = 3_600
"""Time after an erasure in which a late writer may still add a body, so that bodies are deleted again."""

_NOTE: Final = insertion("erased_bodies", "INSERT OR REPLACE")
_NOT_THERE: Final = (
    "NOT EXISTS (SELECT 1 FROM memories m WHERE m.project_key = e.project_key AND m.id = e.id)"
)
_WAITING: Final = (
    "SELECT p.tenant, p.project, e.id FROM erased_bodies e JOIN projects p ON p.key = e.project_key"
    f" WHERE {_NOT_THERE}"
)
_NOW: Final = "CAST(strftime('%s', 'now') AS INTEGER)"
_FORGET: Final = (
    f"DELETE FROM erased_bodies AS e WHERE erased_at < {_NOW} - {LATE_BODY_WRITES_S} AND {_NOT_THERE}"
)

_log = logging.getLogger(__name__)


def note_erased_bodies(connection: sqlite3.Connection, project_key: int, id: str) -> None:
    """Notes, in the commit that erases a record, that its bodies are to be deleted: that outlives a crash."""
    (now,) = connection.execute(f"SELECT {_NOW}").fetchone()
    connection.execute(_NOTE, with_digest((project_key, id, now)))


class ErasedBodyRows:
    """Bodies of erased records, which are noted in the commit that erases and deleted after it."""

    def __init__(self, database: Database, bodies: Bodies) -> None:
        self._database = database
        self._bodies = bodies

    def delete(self) -> bool:
        """Deletes the bodies of erased records.

        Returns:
            False: a full or broken disk keeps some, which wait for the next time.
        """
        if self._database.is_read_only or self._database.reader().execute(_WAITING).fetchone() is None:
            return not self._database.is_read_only
        with (
            self._database.writing() as connection
        ):  # keeps a new record from taking one of these ids meanwhile
            try:
                for tenant, project, id in connection.execute(_WAITING).fetchall():
                    self._bodies.erase(Scope(tenant, project), [id])
            except (OSError, StoreUnavailable) as error:
                _log.error("not all bodies of erased records are deleted yet: %s", error)
                return False
            connection.execute(_FORGET)
        return True
