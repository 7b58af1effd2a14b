"""Export of a project as lines that another project can import."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.fields import DERIVED_FIELDS, canonical_json, memory_to_json, record_fields, rfc3339
from memory_layer.domain.memory import Memory
from memory_layer.domain.text.csv_cells import csv_row, record_row
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.project_pages import every_record
from memory_layer.usecases.ground.queries import may_read

FORMAT: Final = "memory-layer/1"
MANIFEST: Final = "manifest"
TENANT: Final = "tenant"
"""Field left out of exports: an import takes it from its caller's token."""

ExportFormat = Literal["ndjson", "csv"]


def export_lines(
    ports: Ports, principal: Principal, project: str, format: ExportFormat = "ndjson"
) -> Iterator[str]:
    """Exports the records of every status that the caller may see, oldest first; for admins also readable frozen ones.

    Returns:
        One text a record, its line end included. NDJSON: canonical JSON, and in the end a manifest that seals it;
        projects that hold the same give the same lines. CSV: a header first, then cells as in domain.text.csv_cells.
    """
    frozen: list[str] = []
    rows = _rows(ports, principal, project, format, frozen)
    if format == "csv":
        yield CSV_HEADER
        yield from rows
        return
    seal = ExportSeal()
    for row in rows:
        seal.add(row)
        yield row
    yield _manifest(ports, project, seal, frozen)


@dataclass(frozen=True, slots=True)
class ExportPart:
    """Part of an export, to be read and imported by itself."""

    body: bytes
    records: int


def export_parts(
    ports: Ports, principal: Principal, project: str, format: ExportFormat, *, max_bytes: int
) -> Iterator[ExportPart]:
    """Exports in parts, each with a header or a manifest of its own; one part at least.

    Args:
        max_bytes: size of a part in UTF-8 at most, unless one record alone has more.
    """
    room = max_bytes - _FRAME_MAX_BYTES
    rows: list[str] = []
    size = 0
    frozen: list[str] = []
    for row in _rows(ports, principal, project, format, frozen):
        row_bytes = len(row.encode())
        if rows and size + row_bytes > room:
            yield _part(ports, project, format, rows)
            rows, size = [], 0
        rows.append(row)
        size += row_bytes
    yield _part(ports, project, format, rows, frozen)


@dataclass(slots=True)
class ExportSeal:
    """Seal in a manifest: the number of record lines before it and the SHA-256 of them all, line ends included."""

    records: int = 0
    _hash: Any = field(default_factory=hashlib.sha256)

    def add(self, line: str) -> None:
        self.records += 1
        self._hash.update(line.encode(errors="surrogatepass"))

    @property
    def sha256(self) -> str:
        return str(self._hash.hexdigest())


def record_line(memory: Memory) -> str:
    """Formats one record as a line of canonical JSON, so that the same record is the same bytes."""
    return f"{canonical_json(_document(memory))}\n"


def _rows(
    ports: Ports, principal: Principal, project: str, format: ExportFormat, frozen: list[str]
) -> Iterator[str]:
    records = every_record(ports.store.memories, principal.scope(project), frozen)
    known = (memory for memory in records if _is_exported(principal, memory, frozen))
    return (record_line(m) if format == "ndjson" else record_row(_document(m)) for m in known)


def _is_exported(principal: Principal, memory: Memory, frozen: list[str]) -> bool:
    """True if the caller may see the record; records kept for audits count as left out for all but admins."""
    if may_read(principal, memory):
        return True
    frozen += [memory.id] if viewer_of(principal).may_see(memory.persona) else []
    return False


def _document(memory: Memory) -> dict[str, Any]:
    document = memory_to_json(memory)
    del document[TENANT]
    return document


def _part(
    ports: Ports, project: str, format: ExportFormat, rows: list[str], frozen: Sequence[str] = ()
) -> ExportPart:
    manifest = _manifest(ports, project, _sealed(rows), frozen)
    framed = (CSV_HEADER, *rows) if format == "csv" else (*rows, manifest)
    return ExportPart("".join(framed).encode(), len(rows))


def _sealed(rows: Iterable[str]) -> ExportSeal:
    seal = ExportSeal()
    for row in rows:
        seal.add(row)
    return seal


def _manifest(ports: Ports, project: str, seal: ExportSeal, frozen: Sequence[str]) -> str:
    """Formats the manifest. Args: frozen: records left out because they are frozen; the manifest counts them."""
    said: dict[str, Any] = {
        "format": FORMAT,
        "project": project,
        "exported_at": rfc3339(ports.clock.now()),
        "records": seal.records,
        "sha256": seal.sha256,
    }
    if frozen:
        said["frozen"] = len(frozen)
    return f"{canonical_json({MANIFEST: said})}\n"


CSV_HEADER: Final = csv_row([*(f.name for f in record_fields() if f.name != TENANT), *DERIVED_FIELDS])
_FRAME_MAX_BYTES: Final = 2_048
"""Upper bound for the size of a header or a manifest."""
