"""Command for leaving: a project as a file, or as a tree of Markdown pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_layer.cli.printing import data_text as printing
from memory_layer.cli.terminal.chosen_option import checked_choice
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command

if TYPE_CHECKING:
    from memory_layer.cli.terminal.progress_bar import Gauge

app = typer.Typer()

FORMATS = ("ndjson", "csv", "mif", "markdown")
FORMAT_BY_SUFFIX = {
    **dict.fromkeys(("", ".ndjson", ".jsonl"), "ndjson"),
    **{".csv": "csv", ".json": "mif", ".md": "markdown"},
}
"""Format of an export by the file's suffix."""

_NOT_READ_BACK = {".tsv": "csv", ".markdown": "markdown"}
"""Suffixes that an import takes for what another tool has written."""


@command(app)
def export(
    call: Invocation,
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="Where to; - writes to standard output.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            help="ndjson (default; sealed by a manifest), csv, mif (MIF 2.0) or markdown; else by FILE's name."
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", help="A folder for markdown, a page a memory; again, it is brought up to date."
        ),
    ] = None,
) -> CommandOutput:
    """Write all that the project knows, of every status. An interruption leaves FILE as it was.

    ndjson, mif and markdown are sealed, and an import brings them back to the byte.
    """
    from memory_layer.cli.terminal.empty_project import tell_if_empty
    from memory_layer.errors import Invalid

    if (file is None) == (to is None):
        raise Invalid.at("/file", "say where to: a FILE, or with --to a folder of Markdown pages")
    if to is not None:
        if format not in (None, "markdown"):
            raise Invalid.at("/to", f"a folder is for markdown; write {format} into a FILE")
        output = _export_pages(_folder_of(call), to)
        tell_if_empty(call)
        return output
    assert file is not None
    return _export_file(call, file, checked_choice("format", format or _format_named(file), FORMATS))


def _folder_of(call: Invocation) -> FolderCall:
    """Folder that pages are written from. Raises: Invalid: a service carries the command out."""
    from memory_layer.errors import Invalid

    if call.folder is None:
        raise Invalid.at("/to", "pages are written from a data folder; over --url export a FILE")
    return call.folder


def _export_file(call: Invocation, file: str, chosen: Any) -> CommandOutput:
    from memory_layer.cli.terminal.empty_project import tell_if_empty
    from memory_layer.cli.terminal.files import STANDARD, write_lines
    from memory_layer.cli.terminal.progress_bar import progress

    counted = _Counted()
    with progress("Exporting") as gauge:
        write_lines(file, _lines(call, chosen, counted, gauge))
    tell_if_empty(call)
    if file == STANDARD:
        return CommandOutput(None, lambda _: "")
    return CommandOutput({"file": file, "format": chosen, "records": counted.records}, printing.export_text)


def _lines(call: Invocation, format: Any, counted: _Counted, gauge: Gauge) -> Iterator[str]:
    """Lines of an export, of the folder or of a service."""
    if call.service is not None:
        from memory_layer.cli.terminal.transfers import exported_lines

        return exported_lines(call.service, format, counted.note, gauge)
    from memory_layer.usecases.transfer.export_project import export_lines

    here = call.here
    total = _total(here) if gauge.shows else 0
    return export_lines(
        *(here.ports, here.principal, here.project, format),
        tell=lambda done, _: gauge(counted.note(done), total),
    )


class _Counted:
    """Records that are written so far."""

    records = 0

    def note(self, done: int) -> int:
        self.records = done
        return done


def _total(call: FolderCall) -> int:
    from memory_layer.usecases.ground.queries import project_stats

    return project_stats(call.ports, call.principal, call.project).total


def _export_pages(call: FolderCall, folder: str) -> CommandOutput:
    """Writes the pages, reads them back, and seals what was read."""
    from memory_layer.cli.terminal.page_tree import (
        INDEX,
        begin_tree,
        read_pages,
        write_index,
        write_pages,
    )
    from memory_layer.domain.portability.memory_page import front_matter
    from memory_layer.edge.foreign.own_exports import lines_of_pages
    from memory_layer.usecases.transfer.export_forms import MANIFEST
    from memory_layer.usecases.transfer.export_project import ExportSeal, exported_records, manifest_of

    frozen: list[str] = []
    root, seal = Path(folder), ExportSeal()
    begin_tree(root, front_matter({MANIFEST: manifest_of(call.ports, call.project, seal)}))
    titles = write_pages(root, exported_records(call.ports, call.principal, call.project, frozen))
    for line in lines_of_pages(page for page in read_pages(root) if page[0] != INDEX):
        seal.add(line)
    manifest = manifest_of(call.ports, call.project, seal, frozen)
    write_index(root, front_matter({MANIFEST: manifest}), call.project, titles)
    return CommandOutput(
        {"file": folder, "format": "markdown", "records": seal.records}, printing.export_text
    )


def _format_named(file: str) -> str:
    """Format of an export, by the same suffixes as an import would read it.

    Raises:
        Invalid: the suffix is of no format, or an import would take it for what another tool has written.
    """
    from memory_layer.domain.remedies import give
    from memory_layer.errors import Invalid

    suffix = PurePath(file).suffix.lower()
    if suffix in FORMAT_BY_SUFFIX:
        return FORMAT_BY_SUFFIX[suffix]
    if suffix not in _NOT_READ_BACK:
        known = ", ".join(sorted(name for name in FORMAT_BY_SUFFIX if name))
        raise Invalid.at(
            "/format",
            f"{suffix} is the ending of no format: name {PurePath(file).name} with one of {known}",
            give("/format", *FORMATS),
        )
    raise Invalid.at(
        "/file",
        f"{file} would not be read back as an export: it is called like {_NOT_READ_BACK[suffix]}; name it "
        f"{PurePath(file).with_suffix('.ndjson')} or {PurePath(file).with_suffix('.csv')}, or say --format",
    )
