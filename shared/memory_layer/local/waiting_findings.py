"""Findings about what has waited for a person for long: nobody may be looking."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from typing import Final

from memory_layer.bootstrap.storage import open_to_read
from memory_layer.domain.fields import rfc3339
from memory_layer.local.database_findings import DatabaseFinding
from memory_layer.settings import EmbeddedSettings
from memory_layer.usecases.review.review_groups import WAITING_LONG

_WAITING: Final = (
    "SELECT p.project, count(*) FROM memories m JOIN projects p ON p.key = m.project_key"
    " WHERE m.status IN ('pending', 'quarantined', 'stale') AND m.created_at < ?1"
    " OR m.status = 'active' AND json_valid(m.doubted) AND json_extract(m.doubted, '$.since') < ?1"
    " GROUP BY p.key ORDER BY 2 DESC"
)

_PAUSED: Final = (
    "SELECT p.project, json_extract(w.state, '$.url') FROM webhooks w JOIN projects p ON p.key = w.project_key"
    " WHERE json_valid(w.state) AND json_extract(w.state, '$.paused_at') IS NOT NULL ORDER BY w.id"
)


def waiting_findings(settings: EmbeddedSettings, now: datetime) -> Iterator[DatabaseFinding]:
    """Warnings of the projects with memories that have waited for a person for 14 days (SPEC 4.33)."""
    if not settings.database.exists():
        return
    try:
        with closing(open_to_read(settings.database)) as connection:
            waiting = connection.execute(_WAITING, (rfc3339(now - WAITING_LONG),)).fetchall()
            paused = connection.execute(_PAUSED).fetchall()
    except sqlite3.DatabaseError:  # another finding says what is wrong with the file
        return
    for project, count in waiting:
        what = (
            f"{count:,} memories of project {project} have waited for a person for {WAITING_LONG.days} days"
        )
        yield DatabaseFinding("warning", what, f"mem review --project {project}")
    for project, url in paused:
        what = f"the webhook to {url} of project {project} is paused after failures"
        yield DatabaseFinding("warning", what, f"mem webhook list --project {project}")
