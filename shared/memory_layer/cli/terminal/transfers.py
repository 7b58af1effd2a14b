"""Whole projects from and to a service: one sealed file on this side, parts that a server takes on the other."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from memory_layer.cli.terminal.service import WITHOUT_END_S, Service, Tell
from memory_layer.wire import seals
from memory_layer.wire.flows import part_text
from memory_layer.wire.lines import BODY_MAX_BYTES, bodies, export_begun, type_of
from memory_layer.wire.message import Asked
from memory_layer.wire.problem import MemoryProblem

EXPORTS: Final = "ndjson"
TABLES: Final = "csv"


def exported_lines(service: Service, format: str, note: Callable[[int], Any], tell: Tell) -> Iterator[str]:
    """Lines of an export of any size, as one file with one seal, or one table with one header.

    Args:
        note: told the number of records.

    Raises:
        MemoryProblem: it is larger than a part, in a form of which parts make no whole.
    """
    begun = service.carry_out(export_begun(service.api, format, WITHOUT_END_S, tell))
    parts = (_part(service, found) for found in begun)
    if format == EXPORTS:
        yield from _counted(seals.one_sealed_file(parts), note)
    elif format == TABLES:
        rows = list(csv.reader("".join(text := list(seals.one_table(parts))).splitlines(keepends=True)))
        note(len(rows) - 1)
        yield from text
    elif len(begun) > 1:
        detail = (
            f"the project is too large for one {format}; export ndjson, which an import brings back as well"
        )
        raise MemoryProblem("too_large", detail)
    else:
        note(service.answer(Asked("get_stats"))["total"])
        yield from parts


def _part(service: Service, found: str) -> str:
    return service.carry_out(part_text(service.api, found)) if found.startswith("/v1/") else found


def _counted(lines: Iterator[str], note: Callable[[int], Any]) -> Iterator[str]:
    for number, line in enumerate(lines):  # the last one is the seal
        note(number)
        yield line


def imported(service: Service, lines: Sequence[str], said: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Report of an import; that of an export in parts is the sum of theirs.

    Args:
        lines: of the file, each with its end.
        said: parameters of the import.

    Raises:
        MemoryProblem: a part is refused; those before it are in, and coming again they are known.
    """
    reports: list[dict[str, Any]] = []
    for number, body in enumerate(_bodies(lines, said["format"]), 1):
        asked = Asked("import_project", query=said, body=body, content_type=type_of(said["format"]))
        try:
            reports.append(service.answer(asked, tell))
        except Exception as error:
            if number > 1:
                error.add_note(f"{number - 1} parts before this one are in; import the file again to go on")
            raise
    return sum_of(reports)


def _bodies(lines: Sequence[str], format: str) -> Iterator[str]:
    """Bodies that a server takes; another tool's file goes in one, whatever its size."""
    is_large = sum(len(line.encode(errors="surrogatepass")) for line in lines) > BODY_MAX_BYTES
    if is_large and format == EXPORTS:
        return seals.sealed_parts(lines) if seals.is_seal(lines[-1]) else bodies(lines)
    return iter(["".join(lines)])


def sum_of(reports: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Counts and lists of all parts together."""
    first, *others = reports
    total = dict(first)
    for report in others:
        for name, value in report.items():
            if not isinstance(value, bool) and isinstance(value, int | list):
                total[name] = total[name] + value
    return total
