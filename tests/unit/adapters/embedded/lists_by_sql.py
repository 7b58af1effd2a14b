"""Lists of a project in an order and their counts, in plain SQL over its rows: what the columns have to answer too."""

import sqlite3
from datetime import date
from typing import Any, Final

from memory_layer.adapters.embedded.sqlite.filter_conditions import sql_conditions
from memory_layer.adapters.embedded.sqlite.record_rows import scalar
from memory_layer.domain.fields import instant
from memory_layer.domain.list_order import ListOrder, OrderedId, worth
from memory_layer.domain.retrieval.facts import microseconds
from memory_layer.ports.index import ListQuery

_WORTH: Final = "worth(m.confidence / 1000.0, m.success_rate / 1000.0, m.use_count)"
_MOMENTS: Final = ("created_at", "updated_at", "expires_at")


def ordered_ids(
    connection: sqlite3.Connection,
    project_key: int,
    query: ListQuery,
    order: ListOrder,
    after: OrderedId | None,
    k: int,
) -> list[OrderedId]:
    """The first `k` ids after a place, in an order; what has no key comes last; from the end all is backwards."""
    connection.create_function("worth", 3, worth, deterministic=True)
    connection.create_function("moment", 1, _moment, deterministic=True)
    where, parameters = _where(project_key, query)
    key = _WORTH if order.field == "worth" else f"m.{order.field}"
    key = f"moment({key})" if order.field in _MOMENTS else key
    if after is not None:
        beyond, more = _beyond(key, order, after)
        where, parameters = f"{where} AND {beyond}", [*parameters, *more]
    direction = "DESC" if order.goes_down else "ASC"
    end = "DESC" if order.is_from_end else "ASC"
    by = f"({key} IS NULL) {end}, {key} {direction}, m.id {end}"
    sql = f"SELECT {key}, m.id FROM memories m WHERE {where} ORDER BY {by} LIMIT ?"
    return [OrderedId(*row) for row in connection.execute(sql, (*parameters, k))]


def count_matching(connection: sqlite3.Connection, project_key: int, query: ListQuery) -> int:
    """Number of records that pass the filters and that the viewer may see."""
    where, parameters = _where(project_key, query)
    return int(scalar(connection, f"SELECT count(*) FROM memories m WHERE {where}", tuple(parameters)))


def created_by_day(connection: sqlite3.Connection, project_key: int, query: ListQuery) -> dict[date, int]:
    """Number of these records by the day of their creation."""
    where, parameters = _where(project_key, query)
    sql = f"SELECT substr(m.created_at, 1, 10), count(*) FROM memories m WHERE {where} GROUP BY 1"
    return {date.fromisoformat(day): count for day, count in connection.execute(sql, parameters)}


def _moment(text: str | None) -> int | None:
    return None if text is None else microseconds(instant(text))


def _where(project_key: int, query: ListQuery) -> tuple[str, list[Any]]:
    conditions = sql_conditions(query.filters, query.viewer, query.now)
    where = " AND ".join(["m.project_key = ?", *(one.sql for one in conditions)])
    return where, [project_key, *(value for one in conditions for value in one.parameters)]


def _beyond(key: str, order: ListOrder, after: OrderedId) -> tuple[str, list[Any]]:
    """Condition of the records behind a place."""
    behind = "m.id < ?" if order.is_from_end else "m.id > ?"
    if after.key is None:
        others = f" OR {key} IS NOT NULL" if order.is_from_end else ""
        return f"(({key} IS NULL AND {behind}){others})", [after.id]
    farther = "<" if order.goes_down else ">"
    others = "" if order.is_from_end else f" OR {key} IS NULL"
    sql = f"({key} {farther} ? OR ({key} = ? AND {behind}){others})"
    return sql, [after.key, after.key, after.id]
