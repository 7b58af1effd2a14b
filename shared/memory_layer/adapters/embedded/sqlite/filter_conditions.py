"""Filters as SQL: the conditions of `Filters.accept`, asked of the table."""

from datetime import datetime
from typing import Any, Final, NamedTuple, get_args

from memory_layer.adapters.embedded.sqlite.record_rows import placeholders
from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.filters import EQUALITIES, OVERLAPS, Filters
from memory_layer.domain.memory import ENDED_STATUSES, Standing, Status


class SqlCondition(NamedTuple):
    """Piece of WHERE with its parameters."""

    sql: str
    parameters: tuple[Any, ...] = ()


_IS_MISREAD: Final = "(ifnull(substr(m.times, 1, 1), '') <> '[' OR m.status NOT IN ({}))".format(
    ", ".join(f"'{status}'" for status in get_args(Status))
)
"""Condition of a row whose cells lie elsewhere than its damaged head says: its last list, or its status, is none."""


def sql_conditions(filters: Filters, viewer: Viewer, now: datetime) -> list[SqlCondition]:
    """Conditions that a record must all fulfil.

    A row that is misread fulfils those of its own cells, for the damage to be met by its reader: it would be hidden.
    Where an index tells what is asked for (what is doubted, or not active) none is.
    """
    cells = [
        *_equalities(filters),
        *_overlaps(filters),
        *_bounds(filters),
        *_standing(filters.standing),
        *_filled("m.approved_by", filters.is_approved),
        *_filled("m.doubted", filters.is_doubted),
        *([] if filters.pinned is None else [SqlCondition("m.pinned = ?", (filters.pinned,))]),
        _status(filters.status, rfc3339(now)),
    ]
    if filters.is_doubted is None and "active" in filters.status:
        cells = [_or_misread(cells)]
    return [*_visibility(viewer), *_of_age(filters), *cells]


def _or_misread(conditions: list[SqlCondition]) -> SqlCondition:
    met = " AND ".join(condition.sql for condition in conditions)
    values = (value for condition in conditions for value in condition.parameters)
    return SqlCondition(f"(({met}) OR {_IS_MISREAD})", tuple(values))


def _any_of(expression: str, values: tuple[str, ...]) -> SqlCondition:
    return SqlCondition(f"{expression} IN ({placeholders(values)})", values)


def _equalities(filters: Filters) -> list[SqlCondition]:
    wanted = [(f"m.{name}", getattr(filters, name)) for name in EQUALITIES if name != "status"]
    wanted.append(("json_extract(m.detail, '$.complexity')", filters.complexity))
    return [_any_of(expression, values) for expression, values in wanted if values]


def _overlaps(filters: Filters) -> list[SqlCondition]:
    return [
        SqlCondition(
            f"EXISTS (SELECT 1 FROM json_each(m.{name}) WHERE value IN ({placeholders(values)}))", values
        )
        for name in OVERLAPS
        if (values := getattr(filters, name))
    ]


def _bounds(filters: Filters) -> list[SqlCondition]:
    thousandths = (
        ("m.confidence >= ?", filters.min_confidence),
        ("m.success_rate >= ?", filters.min_success_rate),
    )
    instants = (
        ("m.updated_at > ?", filters.updated_after),
        ("m.updated_at < ?", filters.updated_before),
    )
    return [
        *(SqlCondition(sql, (round(bound * 1000, 6),)) for sql, bound in thousandths if bound is not None),
        *_moments(*instants),
    ]


def _of_age(filters: Filters) -> list[SqlCondition]:
    """Bounds of the age, by which an index leads to the rows."""
    return _moments(("m.created_at > ?", filters.created_after), ("m.created_at < ?", filters.created_before))


def _moments(*bounds: tuple[str, datetime | None]) -> list[SqlCondition]:
    return [SqlCondition(sql, (rfc3339(moment),)) for sql, moment in bounds if moment is not None]


def _visibility(viewer: Viewer) -> list[SqlCondition]:
    if viewer.sees_all_personas:
        return []
    own = _any_of("m.persona", tuple(sorted(viewer.personas)))
    return [SqlCondition(f"(m.persona IS NULL OR {own.sql})", own.parameters)]


def _filled(column: str, is_filled: bool | None) -> list[SqlCondition]:
    if is_filled is None:
        return []
    return [SqlCondition(f"{column} IS {'NOT ' if is_filled else ''}NULL")]


def _standing(wanted: Standing | None) -> list[SqlCondition]:
    trusted = "(m.source = 'human' OR m.approved_by IS NOT NULL)"
    return [] if wanted is None else [SqlCondition(trusted if wanted == "trusted" else f"NOT {trusted}")]


def _status(wanted: tuple[str, ...], now: str) -> SqlCondition:
    """Condition of the status; an expired record counts as archived at once, whether or not the sweep has come by."""
    if not wanted:
        return SqlCondition("1")
    ended = tuple(status for status in wanted if status in ENDED_STATUSES)
    current = _any_of("m.status", wanted)
    not_active = (
        "" if "active" in wanted else " AND m.status <> 'active'"
    )  # lets SQLite use the partial index
    unexpired = f"{current.sql}{not_active} AND (m.expires_at IS NULL OR m.expires_at > ?)"
    if not ended:
        return SqlCondition(f"({unexpired})", (*current.parameters, now))
    kept = _any_of("m.status", ended)
    lapsed = f" OR (m.expires_at <= ? AND m.status NOT IN ({placeholders(ENDED_STATUSES)}))"
    if "archived" not in wanted:
        return SqlCondition(f"(({unexpired}) OR {kept.sql})", (*current.parameters, now, *kept.parameters))
    return SqlCondition(
        f"(({unexpired}) OR {kept.sql}{lapsed})",
        (*current.parameters, now, *kept.parameters, now, *ENDED_STATUSES),
    )
