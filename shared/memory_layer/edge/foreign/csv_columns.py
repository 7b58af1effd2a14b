"""Mapping of a table's columns to fields of a memory: `COLUMN=FIELD`, as often as there are columns."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memory_layer.errors import Invalid

DETAIL: Final = "detail"
DROPPED: Final = "-"
EVERY_OTHER: Final = "*"


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Fields by the columns that give them.

    A column may go to a field, to `detail`, where it keeps its name, or nowhere (`-`); `*` stands for every column that
    is neither named nor called like a field.
    """

    fields: Mapping[str, str]

    def field_of(self, column: str, known: Collection[str]) -> str | None:
        """Field of a column; None: it is unknown."""
        if column in self.fields:
            return self.fields[column]
        return column if column in known else self.fields.get(EVERY_OTHER)

    def goes_beside(self, column: str) -> bool:
        """Tells whether a column becomes a member of `detail`: only the one of that name is `detail` itself."""
        return column != DETAIL


def column_mapping(pairs: Iterable[str], known: Collection[str]) -> ColumnMapping:
    """Mapping of texts such as `memory=content`.

    Raises:
        Invalid: a text is no pair, names a field that there is not, or gives a field that another column gives.
    """
    fields: dict[str, str] = {}
    for pair in pairs:
        column, joint, field = pair.rpartition("=")
        if not joint or not column or field not in (*known, DROPPED):
            raise Invalid.at(
                "/map",
                f"{pair!r} is not COLUMN=FIELD; fields are: {', '.join(known)}; {DETAIL} keeps a column under its "
                f"name, {DROPPED} leaves it out, and {EVERY_OTHER} is every other column",
            )
        if field not in (DETAIL, DROPPED) and field in fields.values():
            raise Invalid.at("/map", f"two columns would be {field}; map one of them to {DETAIL}")
        fields[column] = field
    if EVERY_OTHER in fields and fields[EVERY_OTHER] not in (DETAIL, DROPPED):
        raise Invalid.at("/map", f"{EVERY_OTHER} goes to {DETAIL} or {DROPPED}; a field is one column's")
    return ColumnMapping(fields)


def refuse_unmapped(columns: Sequence[str], mapping: ColumnMapping) -> None:
    """Refuses a mapping of columns that are not in the table. Raises: Invalid: with their names."""
    missing = [name for name in mapping.fields if name not in columns and name != EVERY_OTHER]
    if missing:
        raise Invalid.at(
            "/map", f"there is no column {', '.join(map(repr, missing))}; there are: {', '.join(columns)}"
        )


def united(cells: Iterable[tuple[str, str, Any]], mapping: ColumnMapping) -> dict[str, Any]:
    """Fields of a row. Args: cells: column, field and value of each cell that says something."""
    fields: dict[str, Any] = {}
    beside: dict[str, Any] = {}
    for column, field, value in cells:
        if field == DETAIL and mapping.goes_beside(column):
            beside[column] = value
        elif field != DROPPED:
            fields[field] = value
    if beside and isinstance(fields.get(DETAIL, {}), dict):
        fields[DETAIL] = {**beside, **fields.get(DETAIL, {})}
    return fields
