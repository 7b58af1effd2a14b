"""Readers of other tools' files by the name of their format."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from memory_layer.domain.memory import Source
from memory_layer.edge.foreign.detected_format import ForeignFormat, refuse_other_format
from memory_layer.edge.foreign.exported_item import ExportedItem, Users, file_of_items
from memory_layer.edge.foreign.json_text import parse_documents
from memory_layer.errors import Invalid
from memory_layer.usecases.transfer.foreign_file import ForeignFile, LeftOut


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a file is read.

    Args:
        name: of a Markdown file: it is followed.
        columns: of a table, `COLUMN=FIELD` each.
        source: whose words they are, as an admin vouches for; None: as the format has it.
        users: what becomes of memories of many users.
        beside: names of the files beside an agent's notes.
    """

    name: str | None = None
    columns: tuple[str, ...] = ()
    source: Source | None = None
    users: Users | None = None
    beside: frozenset[str] = frozenset()


AS_IT_IS: Final = Reading()


def read_foreign(format: ForeignFormat, text: str, reading: Reading = AS_IT_IS) -> ForeignFile:
    """Contents of a file; each reader is loaded when it is needed.

    Raises:
        Malformed, Invalid: it is not as its format has it.
    """
    refuse_other_format(format, text)
    _refuse_other_options(format, reading)
    if format in _SYSTEMS:
        items, left_out = _SYSTEMS[format]()(parse_documents(text))
        return file_of_items(format, items, source=reading.source, users=reading.users, left_out=left_out)
    return _of_source(_read_text(format, text, reading), reading.source)


def _refuse_other_options(format: ForeignFormat, reading: Reading) -> None:
    """Refuses what says nothing about a format. Raises: Invalid: with the option."""
    if reading.columns and format != "csv":
        raise Invalid.at("/map", "only a table has columns to map")
    if reading.users is not None and format not in _SYSTEMS:
        raise Invalid.at("/users", "only exports of other systems hold memories of users")


def _read_text(format: ForeignFormat, text: str, reading: Reading) -> ForeignFile:
    if format == "csv":
        from memory_layer.edge.foreign.csv_table import read_csv

        return read_csv(text, reading.columns)
    if format == "markdown":
        from memory_layer.edge.foreign.markdown import read_markdown

        return read_markdown(text, reading.name)
    if format == "agent-notes":
        from memory_layer.edge.foreign.agent_notes import read_agent_notes

        return read_agent_notes(text, reading.name, reading.beside)
    if format == "memory-store":
        from memory_layer.edge.foreign.memory_store import read_memory_store

        return read_memory_store(parse_documents(text))
    from memory_layer.edge.foreign.ralph import read_ralph

    return read_ralph(text)


def _of_source(file: ForeignFile, source: Source | None) -> ForeignFile:
    """Contents whose words are all of one source."""
    if source is None:
        return file
    said = (replace(memory, fields={**memory.fields, "source": source}) for memory in file.memories)
    return replace(file, memories=tuple(said))


Reader = Callable[[Any], tuple[list[ExportedItem], list[LeftOut]]]


def _mem0() -> Reader:
    from memory_layer.edge.foreign.mem0 import read_mem0

    return read_mem0


def _zep() -> Reader:
    from memory_layer.edge.foreign.zep import read_zep

    return read_zep


def _agentcore() -> Reader:
    from memory_layer.edge.foreign.agentcore import read_agentcore

    return read_agentcore


def _mif() -> Reader:
    from memory_layer.edge.foreign.mif import read_mif

    return read_mif


_SYSTEMS: dict[str, Callable[[], Reader]] = {
    "mem0": _mem0,
    "zep": _zep,
    "agentcore": _agentcore,
    "mif": _mif,
}
