"""Our own exports in the forms of others: read back as the lines of records that they are made of."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from memory_layer.domain.fields import canonical_json
from memory_layer.domain.portability.edited_record import is_edited, with_edit
from memory_layer.domain.portability.memory_page import has_pages, pages_in, record_of_page
from memory_layer.domain.portability.mif_memory import BY_MEMORY, EXTENSIONS, SYSTEM, from_mif
from memory_layer.domain.record_rules import record_flaws, record_of
from memory_layer.domain.remedies import Remedy
from memory_layer.edge.foreign.csv_table import exported_records
from memory_layer.edge.foreign.json_text import parse_json
from memory_layer.errors import Invalid
from memory_layer.usecases.transfer.export_forms import MANIFEST, TENANT, manifest_line, record_line

_ANY: Final = {TENANT: "any"}


def record_lines(format: str, text: str, *, allow_unsealed: bool = False) -> list[str] | None:
    """Lines of the records in a text, and their manifest where there is one; None: it is no export of ours.

    Args:
        allow_unsealed: take what is there without its manifest, also words that were changed since.

    Raises:
        Malformed: a table, or a document of JSON, that cannot be read.
        Invalid: words were changed since they were exported.
    """
    if format == "csv":
        return exported_records(text)
    if format == "markdown":
        return lines_of_pages([("", text)], allow_unsealed=allow_unsealed) if has_pages(text) else None
    return _lines_of_mif(parse_json(text), allow_unsealed) if format == "mif" else None


def lines_of_pages(texts: Iterable[tuple[str, str]], *, allow_unsealed: bool = False) -> list[str]:
    """Lines of the records on pages, in their order, and the manifest among them as the last.

    Args:
        texts: each after the path of its file.
        allow_unsealed: as in `record_lines`.

    Raises:
        Invalid: as `record_lines`.
    """
    lines, manifests = [], []
    for path, page in ((path, page) for path, text in texts for page in pages_in(text)):
        if MANIFEST in page.fields:
            manifests.append(manifest_line(page.fields[MANIFEST]))
        else:
            where = f"{path or 'the page'} at line {page.line}"
            lines.append(line_of(_as_it_stands(record_of_page(page), where, allow_unsealed)))
    return lines if allow_unsealed else [*lines, *manifests]


def _as_it_stands(document: dict[str, Any], where: str, allow_unsealed: bool) -> dict[str, Any]:
    """Document with the words that it has now. Raises: Invalid: they were changed, and that is not asked for."""
    if not is_edited(document):
        return document
    if not allow_unsealed:
        raise Invalid.at(
            "/content",
            f"{where}: the words of {document.get('id')} were changed since they were exported; nothing was imported",
            Remedy("/allow_unsealed", ("true",), action="to take what they say now"),
        )
    try:
        return with_edit(document)
    except (ValueError, TypeError):
        return document


def line_of(document: Mapping[str, Any]) -> str:
    """Line of a record that is written without its defaults; one that is no record is as it stands, to be refused."""
    whole = {**document, **_ANY}
    try:
        return canonical_line(document) if any(record_flaws(whole)) else record_line(record_of(whole))
    except RecursionError:
        return canonical_line({**document, "detail": None})


def canonical_line(document: Mapping[str, Any]) -> str:
    return f"{canonical_json(document)}\n"


def _lines_of_mif(document: Any, allow_unsealed: bool) -> list[str] | None:
    """Lines of a document of MIF that this system has written; None: another one has."""
    ours = _object(_object(document, EXTENSIONS), SYSTEM)
    if MANIFEST not in ours:
        return None
    by_memory = _object(ours, BY_MEMORY)
    listed = document.get("memories")
    memories = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
    documents = [from_mif(one, _object(by_memory, one.get("id"))) for one in memories]
    lines = [
        line_of(_as_it_stands(one, f"/memories/{at}", allow_unsealed)) for at, one in enumerate(documents)
    ]
    return lines if allow_unsealed else [*lines, manifest_line(ours[MANIFEST])]


def _object(value: Any, name: Any) -> Mapping[str, Any]:
    """Member of an object that is an object itself; an empty one where there is none."""
    found = value.get(name) if isinstance(value, Mapping) and isinstance(name, str) else None
    return found if isinstance(found, Mapping) else {}
