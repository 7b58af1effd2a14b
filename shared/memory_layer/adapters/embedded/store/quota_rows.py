"""Uses of quotas and of hourly allowances, counted in the commit that uses them."""

import json
import sqlite3
from datetime import datetime

from memory_layer.adapters.embedded.sqlite import record_rows
from memory_layer.adapters.embedded.sqlite.row_digests import insertion, with_digest
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.integrity.verification import UNREADABLE
from memory_layer.ports.commit import HourlyUse, Quota

_USE = insertion("quotas", "INSERT OR REPLACE")


def use_quota(connection: sqlite3.Connection, tenant: str, quota: Quota) -> None:
    where = (tenant, quota.key)
    stored = record_rows.scalar(
        connection, "SELECT CAST(uses AS BLOB) FROM quotas WHERE tenant = ? AND key = ?", where
    )
    uses = quota.spent(_uses(stored))
    text = json.dumps([rfc3339(use) for use in uses])
    connection.execute(_USE, with_digest((*where, text)))


def use_hour(connection: sqlite3.Connection, tenant: str, use: HourlyUse) -> None:
    where = (tenant, use.key)
    stored = record_rows.scalar(
        connection, "SELECT CAST(uses AS BLOB) FROM quotas WHERE tenant = ? AND key = ?", where
    )
    hour = rfc3339(use.hour)
    text = json.dumps([hour, use.added_to(_used(stored, hour))])
    connection.execute(_USE, with_digest((*where, text)))


def _used(stored: bytes | None, hour: str) -> int:
    """Uses of an allowance in this hour; none where another hour, or nothing that can be read, is stored."""
    try:
        at, used = json.loads(stored or b"[]")
        return int(used) if at == hour else 0
    except UNREADABLE:
        return 0


def _uses(stored: bytes | None) -> list[datetime]:
    """Times at which a quota was used; a damaged list begins anew, or nobody could use the quota any more."""
    try:
        return [instant(use) for use in json.loads(stored or b"[]")]
    except UNREADABLE:
        return []
