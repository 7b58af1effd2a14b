"""Forms of an export: how a record is written in each, and what stands before, between and after the records."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from memory_layer.domain.fields import DERIVED_FIELDS, canonical_json, memory_to_json, record_fields
from memory_layer.domain.memory import Memory
from memory_layer.domain.portability.memory_page import front_matter, page_of
from memory_layer.domain.portability.mif_memory import (
    BY_MEMORY,
    EXTENSIONS,
    MIF_VERSION,
    SYSTEM,
    to_mif,
)
from memory_layer.domain.text.csv_cells import csv_row, record_row
from memory_layer.version import VERSION

ExportFormat = Literal["ndjson", "csv", "mif", "markdown"]

TENANT: Final = "tenant"
"""Field left out of exports: an import takes it from its caller's token."""

MANIFEST: Final = "manifest"


class WrittenRecord(NamedTuple):
    """Record as a form writes it.

    Args:
        line: of canonical JSON, which the manifest seals, whatever the form; empty where there is no manifest.
        row: in its place among the records.
        late: part of it that stands behind all of them.
    """

    line: str
    row: str
    late: str = ""


@dataclass(frozen=True, slots=True)
class ExportForm:
    """Form of an export.

    Args:
        between: stands between two records, and between the late parts of two.
        middle: stands behind the records, before their late parts.
        end: stands last; made of the manifest.
    """

    write: Callable[[Memory], WrittenRecord]
    end: Callable[[Mapping[str, Any]], str]
    head: str = ""
    between: str = ""
    middle: str = ""


def record_line(memory: Memory) -> str:
    """Formats one record as a line of canonical JSON, so that the same record is the same bytes."""
    return f"{canonical_json(_document(memory))}\n"


def manifest_line(manifest: Mapping[str, Any]) -> str:
    return f"{canonical_json({MANIFEST: manifest})}\n"


def _document(memory: Memory) -> dict[str, Any]:
    document = memory_to_json(memory)
    del document[TENANT]
    return document


def _ndjson(memory: Memory) -> WrittenRecord:
    line = record_line(memory)
    return WrittenRecord(line, line)


def _csv(memory: Memory) -> WrittenRecord:
    return WrittenRecord("", record_row(_document(memory)))


def _markdown(memory: Memory) -> WrittenRecord:
    return WrittenRecord(record_line(memory), page_of(memory))


def _mif(memory: Memory) -> WrittenRecord:
    shown, extension = to_mif(memory)
    return WrittenRecord(
        record_line(memory), _compact(shown), f"{_compact(shown['id'])}:{_compact(extension)}"
    )


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _mif_end(manifest: Mapping[str, Any]) -> str:
    meta = {"created_at": manifest["exported_at"], "checksum": f"sha256:{manifest['sha256']}"}
    return f'\n}},"{MANIFEST}":{_compact(manifest)}}}}},"export_meta":{_compact(meta)}}}\n'


_GENERATOR: Final = {"name": SYSTEM, "version": VERSION}

CSV_HEADER: Final = csv_row([*(f.name for f in record_fields() if f.name != TENANT), *DERIVED_FIELDS])

FORMS: Final[Mapping[ExportFormat, ExportForm]] = {
    "ndjson": ExportForm(_ndjson, manifest_line),
    "csv": ExportForm(_csv, lambda _: "", head=CSV_HEADER),
    "mif": ExportForm(
        _mif,
        _mif_end,
        head=f'{{"mif_version":"{MIF_VERSION}","generator":{_compact(_GENERATOR)},"memories":[\n',
        between=",\n",
        middle=f'\n],"{EXTENSIONS}":{{"{SYSTEM}":{{"{BY_MEMORY}":{{\n',
    ),
    "markdown": ExportForm(_markdown, lambda manifest: front_matter({MANIFEST: manifest})),
}
