"""Statistics of a project, in plain SQL over its rows: what the columns have to count as well."""

import sqlite3
from datetime import datetime
from typing import Any, get_args

from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.memory import ENDED_STATUSES, Tier
from memory_layer.ports.index import ProjectStats

GROUPS = ("type", "category", "dimension", "task_type", "source", "status", "tier")
MOST_USED = 5

_TOTALS = """
SELECT count(*), avg(confidence) / 1000, avg(success_rate) / 1000, avg(outcome_score) / 1000,
       coalesce(sum(outcome_score > 500), 0), coalesce(sum(outcome_score BETWEEN -500 AND 500), 0),
       coalesce(sum(outcome_score < -500), 0),
       max(updated_at), coalesce(sum(embedding_model = ?), 0)
FROM memories WHERE {where}
"""

_TIERS = """
SELECT tier, count(*), sum(coalesce(body_bytes, length(CAST(content AS BLOB))) + length(CAST(detail AS BLOB))
       + coalesce(length(CAST(context AS BLOB)), 0)), coalesce(sum(body_bytes), 0)
FROM memories WHERE {where} GROUP BY tier
"""


_STATUS_NOW = "CASE WHEN expires_at <= ? AND status NOT IN ({}) THEN 'archived' ELSE status END".format(
    ", ".join(f"'{status}'" for status in ENDED_STATUSES)
)
"""Status as `as_of_now` reads it: expired means archived, whether or not the sweep has come by."""


def project_stats(
    connection: sqlite3.Connection, key: int, viewer: Viewer, now: datetime, model: str
) -> ProjectStats:
    """Statistics of the records that a viewer sees.

    Args:
        model: the model whose vectors count.

    Source: SPEC 8.9; Outcome-Ranked Engine, outcome bands.
    """
    where, parameters = _visible(key, viewer)
    totals = connection.execute(_TOTALS.format(where=where), [model, *parameters]).fetchone()
    tiers, body_bytes = _tiers(connection, where, parameters)
    return ProjectStats(
        total=totals[0],
        by={
            group: _statuses(connection, where, parameters, now)
            if group == "status"
            else _counts(connection, group, where, parameters)
            for group in GROUPS
        },
        average_confidence=_rounded(totals[1]),
        average_success_rate=_rounded(totals[2]),
        average_outcome_score=_rounded(totals[3]),
        outcome_bands={"high": totals[4], "neutral": totals[5], "low": totals[6]},
        most_used=_most_used(connection, where, parameters),
        last_updated_at=None if totals[7] is None else instant(totals[7]),
        bytes=sum(size for _, size in tiers.values()),
        with_vector=totals[8],
        tiers=tiers,
        body_bytes=body_bytes,
    )


def _visible(key: int, viewer: Viewer) -> tuple[str, list[Any]]:
    if viewer.sees_all_personas:
        return "project_key = ?", [key]
    own = sorted(viewer.personas)
    return f"project_key = ? AND (persona IS NULL OR persona IN ({','.join('?' * len(own))}))", [key, *own]


def _tiers(
    connection: sqlite3.Connection, where: str, parameters: list[Any]
) -> tuple[dict[Tier, tuple[int, int]], dict[Tier, int]]:
    """Records and bytes of each tier, and the bytes of each that lie in bodies."""
    found = connection.execute(_TIERS.format(where=where), parameters).fetchall()
    counted = {tier: (records, size) for tier, records, size, _ in found}
    in_bodies = {tier: size for tier, _, _, size in found}
    tiers: tuple[Tier, ...] = get_args(Tier)
    return {tier: counted.get(tier, (0, 0)) for tier in tiers}, {
        tier: in_bodies.get(tier, 0) for tier in tiers
    }


def _counts(connection: sqlite3.Connection, group: str, where: str, parameters: list[Any]) -> dict[str, int]:
    seen = f"{where} AND {group} IS NOT NULL"
    sql = f"SELECT {group}, count(*) FROM memories WHERE {seen} GROUP BY 1 ORDER BY 2 DESC, 1"
    return dict(connection.execute(sql, parameters).fetchall())


def _statuses(
    connection: sqlite3.Connection, where: str, parameters: list[Any], now: datetime
) -> dict[str, int]:
    sql = f"SELECT {_STATUS_NOW}, count(*) FROM memories WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1"
    return dict(connection.execute(sql, [rfc3339(now), *parameters]).fetchall())


def _most_used(
    connection: sqlite3.Connection, where: str, parameters: list[Any]
) -> tuple[tuple[str, int], ...]:
    sql = (
        f"SELECT id, use_count FROM memories WHERE {where} AND use_count > 0"
        f" ORDER BY use_count DESC, id LIMIT {MOST_USED}"
    )
    return tuple(connection.execute(sql, parameters).fetchall())


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
