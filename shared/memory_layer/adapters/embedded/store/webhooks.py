"""Webhooks of all projects in their table."""

import json
import logging
import sqlite3
from collections.abc import Sequence

from memory_layer.adapters.embedded.files.webhook_key import WebhookKey
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.project_rows import ensure_project, printable_id
from memory_layer.adapters.embedded.sqlite.row_digests import (
    DIGESTED_CELLS,
    insertion,
    sound_cells,
    update_in_place,
    with_digest,
)
from memory_layer.domain.fields import canonical_json
from memory_layer.domain.integrity.verification import UNREADABLE
from memory_layer.domain.memory import Scope
from memory_layer.domain.webhooks import Webhook, webhook_of_json, webhook_to_json
from memory_layer.errors import StoreUnavailable

_CELLS = ", ".join(f"CAST(w.{name} AS BLOB)" for name in DIGESTED_CELLS["webhooks"])
_SELECT = (
    f"SELECT p.tenant, p.project, w.digest, {_CELLS} FROM webhooks w JOIN projects p ON p.key = w.project_key"
)
_ADD = insertion("webhooks")
_SAVE = f"{update_in_place('webhooks', state='?1')} WHERE id = ?2"
_OF_PROJECT = "project_key = (SELECT key FROM projects WHERE tenant = ? AND project = ?)"

_ID = 1 + DIGESTED_CELLS["webhooks"].index("id")

_log = logging.getLogger(__name__)


class WebhookRows:
    """Webhooks in SQLite: the port ports.webhooks.WebhookStore."""

    def __init__(self, database: Database, key: WebhookKey) -> None:
        self._database = database
        self._key = key

    def add(self, webhook: Webhook) -> None:
        with self._database.writing() as connection:
            key = ensure_project(connection, webhook.scope)
            connection.execute(_ADD, with_digest((key, webhook.id, _text(webhook))))

    def save(self, webhook: Webhook) -> bool:
        with self._database.writing() as connection:
            saved = connection.execute(_SAVE, (_text(webhook), webhook.id))
            return saved.rowcount == 1

    def every(self) -> Sequence[Webhook]:
        return [webhook for webhook in self._rows(f"{_SELECT} ORDER BY w.id") if isinstance(webhook, Webhook)]

    def of(self, scope: Scope) -> Sequence[Webhook]:
        found = self._rows(f"{_SELECT} WHERE w.{_OF_PROJECT} ORDER BY w.id", scope)
        for one in found:
            if isinstance(one, str):
                raise StoreUnavailable(
                    f"webhook {one} of project {scope.project} is damaged: remove it, and add it again"
                )
        return [one for one in found if isinstance(one, Webhook)]

    def _rows(self, sql: str, asked: Sequence[str] = ()) -> list[Webhook | str]:
        return _read(self._database.reader().execute(sql, asked))

    def remove(self, scope: Scope, id: str) -> bool:
        with self._database.writing() as connection:
            removed = connection.execute(f"DELETE FROM webhooks WHERE {_OF_PROJECT} AND id = ?", (*scope, id))
            return removed.rowcount == 1

    def secret(self, id: str) -> bytes:
        return self._key.secret(id)


def _text(webhook: Webhook) -> str:
    return canonical_json(webhook_to_json(webhook))


def _read(rows: sqlite3.Cursor) -> list[Webhook | str]:
    """Webhooks of rows; of one that is damaged, by which nothing is sent, the id as it lies there."""
    found: list[Webhook | str] = []
    for tenant, project, *row in rows.fetchall():
        try:
            _, id, state = sound_cells(row)
            found.append(webhook_of_json(id.decode(), Scope(tenant, project), json.loads(state)))
        except UNREADABLE:
            found.append(printable_id(row[_ID]))
            _log.error("a webhook of project %s is damaged: remove it, and add it again", project)
    return found
