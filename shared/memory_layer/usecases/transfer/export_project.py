"""Export of a project as a document that another project can import."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from tempfile import SpooledTemporaryFile
from typing import Any, Final

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Memory
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.audit_log import note_export
from memory_layer.usecases.ground.project_pages import Progress, every_record, ignore_progress
from memory_layer.usecases.ground.queries import may_read
from memory_layer.usecases.transfer.export_forms import FORMS, ExportForm, ExportFormat, WrittenRecord

FORMAT: Final = "memory-layer/1"

SPOOL_MAX_BYTES: Final = 2**20
"""Size up to which what stands behind the records waits in memory, then in a file without a name."""


def export_lines(
    ports: Ports,
    principal: Principal,
    project: str,
    format: ExportFormat = "ndjson",
    *,
    tell: Progress = ignore_progress,
) -> Iterator[str]:
    """Exports the records of every status that the caller may see, oldest first; for admins also readable frozen ones.

    Args:
        tell: gets the number of records that are written, as the total too.

    Returns:
        Parts of one document, a record a part, none empty. NDJSON: canonical JSON, and in the end a manifest that seals
        it; projects that hold the same give the same lines. CSV: a header first, then cells as in
        domain.text.csv_cells. MIF: one JSON document. Markdown: a page a record. Both with the same manifest.
    """
    form, seal, frozen = FORMS[format], ExportSeal(), list[str]()
    with SpooledTemporaryFile(SPOOL_MAX_BYTES, mode="w+", encoding="utf-8", newline="\n") as late:
        yield from filter(None, [form.head])
        for memory in exported_records(ports, principal, project, frozen):
            written = form.write(memory)
            joint = form.between if seal.records else ""
            seal.add(written.line)
            late.write(f"{joint}{written.late}" if written.late else "")
            yield f"{joint}{written.row}"
            tell(seal.records, seal.records)
        late.seek(0)
        yield from filter(None, [form.middle])
        yield from late
    yield from filter(None, [form.end(manifest_of(ports, project, seal, frozen))])


@dataclass(frozen=True, slots=True)
class ExportPart:
    """Part of an export, to be read and imported by itself."""

    body: bytes
    records: int


def export_parts(
    ports: Ports, principal: Principal, project: str, format: ExportFormat, *, max_bytes: int
) -> Iterator[ExportPart]:
    """Exports in parts, each a whole document with a header or a manifest of its own; one part at least.

    Args:
        max_bytes: size of a part in UTF-8 at most, unless one record alone has more.
    """
    form, room = FORMS[format], max_bytes - _FRAME_MAX_BYTES
    written: list[WrittenRecord] = []
    size, frozen = 0, list[str]()
    for memory in exported_records(ports, principal, project, frozen):
        record = form.write(memory)
        record_bytes = len(f"{record.row}{record.late}{2 * form.between}".encode())
        if written and size + record_bytes > room:
            yield _part(ports, project, form, written)
            written, size = [], 0
        written.append(record)
        size += record_bytes
    yield _part(ports, project, form, written, frozen)


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


def exported_records(ports: Ports, principal: Principal, project: str, frozen: list[str]) -> Iterator[Memory]:
    """Yields the records that the caller may see, and notes it. Args: frozen: gets the ids of those left out."""
    note_export(ports, principal, project)
    records = every_record(ports.store.memories, principal.scope(project), frozen)
    return (memory for memory in records if _is_exported(principal, memory, frozen))


def _is_exported(principal: Principal, memory: Memory, frozen: list[str]) -> bool:
    """True if the caller may see the record; records kept for audits count as left out for all but admins."""
    if may_read(principal, memory):
        return True
    frozen += [memory.id] if viewer_of(principal).may_see(memory.persona) else []
    return False


def _part(
    ports: Ports,
    project: str,
    form: ExportForm,
    written: Sequence[WrittenRecord],
    frozen: Sequence[str] = (),
) -> ExportPart:
    manifest = manifest_of(ports, project, _sealed(record.line for record in written), frozen)
    rows = form.between.join(record.row for record in written)
    late = form.between.join(record.late for record in written)
    body = f"{form.head}{rows}{form.middle}{late}{form.end(manifest)}"
    return ExportPart(body.encode(), len(written))


def _sealed(lines: Iterable[str]) -> ExportSeal:
    seal = ExportSeal()
    for line in lines:
        seal.add(line)
    return seal


def manifest_of(ports: Ports, project: str, seal: ExportSeal, frozen: Sequence[str] = ()) -> dict[str, Any]:
    """Builds the manifest. Args: frozen: records left out because they are frozen; the manifest counts them."""
    said: dict[str, Any] = {
        "format": FORMAT,
        "project": project,
        "exported_at": rfc3339(ports.clock.now()),
        "records": seal.records,
        "sha256": seal.sha256,
    }
    if frozen:
        said["frozen"] = len(frozen)
    return said


_FRAME_MAX_BYTES: Final = 2_048
"""Upper bound for the size of a header or a manifest."""
