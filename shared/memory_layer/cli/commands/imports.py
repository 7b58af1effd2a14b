"""Command for arriving: our own exports in every form, and what other systems have written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from memory_layer.cli.commands.imported_words import words_there
from memory_layer.cli.printing.data_text import import_text
from memory_layer.cli.printing.foreign_text import foreign_import_text
from memory_layer.cli.terminal.chosen_option import checked_choice
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command
from memory_layer.cli.terminal.requests import given
from memory_layer.cli.terminal.service import Service

app = typer.Typer()

SOURCES = (
    *("ndjson", "csv", "markdown", "agent-notes", "mem0", "zep", "agentcore", "mif", "memory-store", "ralph"),
)
FOLLOWED = ("markdown", "agent-notes")
OWN_FORMS = ("ndjson", "csv", "mif", "markdown")
"""Forms that our own exports have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """Options of an import."""

    origin: str | None
    is_dry_run: bool
    replaces: bool
    is_unsealed: bool
    name: str | None
    prunes: bool
    columns: tuple[str, ...]
    source: Any
    users: Any


@command(app, "import")
def import_file(
    call: Invocation,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file or a folder to read; - reads standard input.")
    ],
    origin: Annotated[
        str | None,
        typer.Option("--from", help=f"{', '.join(SOURCES)}; default: by FILE's name, else by its content."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would happen, and write nothing.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="An export's records in the place of those with their ids.")
    ] = False,
    unsealed: Annotated[
        bool, typer.Option("--unsealed", help="An export without its manifest, or changed since, will do.")
    ] = False,
    name: Annotated[
        str | None,
        typer.Option(
            help="What a markdown file is called; default: its path in its repository, else below the current folder. "
            "What - reads has no name: without this its lines have no order, and no later import updates them."
        ),
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Archive what an earlier import stored and the file says no more.")
    ] = False,
    map: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=FIELD",
            help="A table's column: memory=content, notes=detail, x=- (left out), *=detail.",
        ),
    ] = None,
    source: Annotated[
        str | None, typer.Option(help="Whose words they are: human, run, learning; default: by the format.")
    ] = None,
    users: Annotated[
        str | None,
        typer.Option(help="Memories of many users: together, or apart, each under that user's persona."),
    ] = None,
) -> CommandOutput:
    """Bring in an export, or what other tools have written. What cannot come in is told, line by line, with the reason.

    An export (ndjson, mif, markdown pages) comes in whole or not at all, and so does one of mem0, Zep, AgentCore
    Memory or MIF. csv is our own export or any table: rows that make no memory are named by their lines, the others are
    imported, and the exit code is 1. markdown is a file such as CLAUDE.md or AGENTS.md: a memory for each paragraph and
    list item. Imported again it updates what it brought: changed lines supersede, and lines that are gone are told.
    agent-notes is what an agent wrote for itself. Of a folder, the instruction files with what they include by @path
    are read, or the notes, or our own pages. ralph is ralph-learnings.json or staging.json.
    """
    asked = _Asked(
        origin=origin and checked_choice("from", origin, SOURCES),
        is_dry_run=dry_run,
        replaces=replace,
        is_unsealed=unsealed,
        name=name,
        prunes=prune,
        columns=tuple(map or ()),
        source=source and checked_choice("source", source, ("human", "run", "learning")),
        users=users and checked_choice("users", users, ("together", "apart")),
    )
    if call.service is not None:
        return _import_there(call.service, file, asked)
    if not dry_run:
        from memory_layer.cli.commands.model import offer_model

        offer_model(call.here)
    here, folder = call.here, Path(file)
    return _import_folder(here, folder, asked) if folder.is_dir() else _import_file(here, file, asked)


def _import_there(service: Service, file: str, asked: _Asked) -> CommandOutput:
    """Imports by a service, which is sent an export in parts where it is large."""
    from memory_layer.cli.terminal.progress_bar import progress
    from memory_layer.cli.terminal.transfers import imported

    lines, said = _pages_to_send(Path(file), asked) if Path(file).is_dir() else _file_to_send(file, asked)
    with progress("Importing") as gauge:
        document = imported(service, lines, said, gauge)
    if "imported" in document:
        return CommandOutput(document, import_text)
    told = partial(foreign_import_text, words=words_there(service, document))
    return CommandOutput(document, told, is_refused=bool(document["refused"]))


Sent = tuple[list[str], dict[str, Any]]
"""Lines of a file, and the parameters of its import."""


def _file_to_send(file: str, asked: _Asked) -> Sent:
    from memory_layer.cli.terminal.files import followed_name
    from memory_layer.cli.terminal.foreign_file import opened_file

    chosen, lines = opened_file(file, asked.origin)
    if chosen not in FOLLOWED:
        _refuse_following(asked)
    if chosen not in OWN_FORMS:
        _refuse_options_of_exports(asked)
    name = (asked.name or followed_name(file)) if chosen in FOLLOWED else None
    kept = (
        [line if line.endswith("\n") else f"{line}\n" for line in lines]
        if chosen == "ndjson"
        else list(lines)
    )
    return [line for line in kept if line.strip()], _parameters(asked, chosen, name)


def _pages_to_send(folder: Path, asked: _Asked) -> Sent:
    """Records of a tree of pages, held to its seal. Raises: Invalid: the folder is another one."""
    from memory_layer.cli.terminal.page_tree import is_page_tree, read_pages
    from memory_layer.edge.foreign.own_exports import lines_of_pages
    from memory_layer.errors import Invalid

    if not is_page_tree(folder):
        raise Invalid.at("/file", f"{folder} is a folder; over --url its files are imported one by one")
    _refuse_following(asked)
    lines = list(lines_of_pages(read_pages(folder), allow_unsealed=asked.is_unsealed))
    return lines, _parameters(asked, "ndjson", None)


def _parameters(asked: _Asked, format: str, name: str | None) -> dict[str, Any]:
    return given(
        format=format,
        dry_run=asked.is_dry_run or None,
        on_existing="replace" if asked.replaces else None,
        allow_unsealed=asked.is_unsealed or None,
        name=name,
        prune=asked.prunes or None,
        map=list(asked.columns),
        source=asked.source,
        users=asked.users,
    )


def _import_file(call: FolderCall, file: str, asked: _Asked) -> CommandOutput:
    from memory_layer.cli.terminal.foreign_file import opened_file
    from memory_layer.edge.foreign.own_exports import record_lines

    chosen, lines = opened_file(file, asked.origin)
    if chosen not in FOLLOWED:
        _refuse_following(asked)
    if chosen == "ndjson":
        return _import_export(call, lines, asked, is_unsealed=asked.is_unsealed)
    text = "".join(lines)
    exported = record_lines(chosen, text, allow_unsealed=asked.is_unsealed)
    if exported is not None:  # a table has no manifest
        return _import_export(call, exported, asked, is_unsealed=asked.is_unsealed or chosen == "csv")
    return _import_other(call, file, chosen, text, asked)


def _refuse_following(asked: _Asked) -> None:
    """Refuses options of files that are followed. Raises: Invalid: with the option."""
    from memory_layer.errors import Invalid

    for option, is_given in (("name", asked.name is not None), ("prune", asked.prunes)):
        if is_given:
            raise Invalid.at(f"/{option}", f"only a markdown file is followed; leave --{option} out")


def _import_export(
    call: FolderCall, lines: Iterable[str], asked: _Asked, *, is_unsealed: bool
) -> CommandOutput:
    from memory_layer.cli.terminal.progress_bar import progress
    from memory_layer.edge.shapes.data_bodies import imported_json
    from memory_layer.usecases.transfer.import_project import import_lines

    with progress("Importing") as gauge:
        imported = import_lines(
            *(call.ports, call.principal, call.project, lines),
            is_dry_run=asked.is_dry_run,
            on_existing="replace" if asked.replaces else "skip",
            allow_unsealed=is_unsealed,
            tell=gauge,
        )
    return CommandOutput(imported_json(imported), import_text)


def _refuse_options_of_exports(asked: _Asked) -> None:
    """Refuses options that only exports of ours have. Raises: Invalid: with the option."""
    from memory_layer.errors import Invalid

    if asked.replaces:
        raise Invalid.at(
            "/replace", "only records of our own exports have ids to replace; leave --replace out"
        )
    if asked.is_unsealed:
        raise Invalid.at("/unsealed", "only our own exports are sealed; leave --unsealed out")


def _import_other(call: FolderCall, file: str, chosen: Any, text: str, asked: _Asked) -> CommandOutput:
    from memory_layer.cli.terminal.files import followed_name
    from memory_layer.edge.foreign.read_foreign import Reading, read_foreign

    _refuse_options_of_exports(asked)
    name = (asked.name or followed_name(file)) if chosen in FOLLOWED else None
    reading = Reading(name=name, columns=asked.columns, source=asked.source, users=asked.users)
    return _import_files(call, [read_foreign(chosen, text, reading)], (), asked)


def _import_folder(call: FolderCall, folder: Path, asked: _Asked) -> CommandOutput:
    from memory_layer.cli.terminal import folder_files
    from memory_layer.cli.terminal.page_tree import is_page_tree, read_pages
    from memory_layer.edge.foreign.own_exports import lines_of_pages
    from memory_layer.errors import Invalid

    if asked.origin not in (None, *FOLLOWED):
        raise Invalid.at("/from", f"{folder} is a folder; {asked.origin} is read from a file")
    if asked.origin is None and is_page_tree(folder):
        _refuse_following(asked)
        lines = lines_of_pages(read_pages(folder), allow_unsealed=asked.is_unsealed)
        return _import_export(call, lines, asked, is_unsealed=asked.is_unsealed)
    _refuse_options_of_exports(asked)
    if asked.name is not None:
        raise Invalid.at("/name", "the files of a folder have names of their own; leave --name out")
    is_notes = asked.origin == "agent-notes" or (
        asked.origin is None and folder_files.is_notes_folder(folder)
    )
    is_all = is_notes or asked.origin is not None
    found = folder_files.text_files(folder) if is_all else folder_files.instruction_files(folder)
    files = [_read(one, asked, is_notes=is_notes) for one in found.files]
    return _import_files(call, files, found.left_out, asked)


def _read(one: Any, asked: _Asked, *, is_notes: bool) -> Any:
    """Contents of a file of a folder, with its path in every place."""
    from memory_layer.edge.foreign.read_foreign import Reading, read_foreign
    from memory_layer.usecases.transfer.import_files import placed_in

    reading = Reading(
        name=one.name, columns=asked.columns, source=asked.source, users=asked.users, beside=one.beside
    )
    return placed_in(read_foreign("agent-notes" if is_notes else "markdown", one.text, reading), one.path)


def _import_files(call: FolderCall, files: Any, left_out: Any, asked: _Asked) -> CommandOutput:
    from memory_layer.cli.commands.imported_words import words_of_lines
    from memory_layer.cli.terminal.progress_bar import progress
    from memory_layer.edge.shapes.data_bodies import foreign_json
    from memory_layer.usecases.transfer.import_files import import_files

    with progress("Importing") as gauge:
        tally = import_files(
            *(call.ports, call.principal, call.project, files),
            left_out=left_out,
            is_dry_run=asked.is_dry_run,
            prunes=asked.prunes,
            tell=gauge,
        )
    words: Mapping[str, str] = words_of_lines(call, tally, files)
    told = partial(foreign_import_text, words=words)
    return CommandOutput(foreign_json(tally), told, is_refused=bool(tally.refused))
