"""Commands for a whole project's data: export, import, merge, prune."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_layer.cli.printing import data_text as printing
from memory_layer.cli.terminal.invocation import CommandOutput, Invocation, command, validated

if TYPE_CHECKING:
    from memory_layer.cli.terminal.progress_bar import Gauge

app = typer.Typer()

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would happen, and write nothing.")]
FORMATS = ("ndjson", "csv")
SOURCES = ("ndjson", "csv", "markdown", "ralph")
SOURCE_BY_SUFFIX = {
    ".csv": "csv",
    ".tsv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "ralph",
}
"""Source of an import by the file's suffix; all other files are exports of ours."""


@command(app)
def export(
    call: Invocation,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to; - writes to standard output.")],
    format: Annotated[
        str | None, typer.Option(help="ndjson (default; sealed by a manifest) or csv; else by FILE's name.")
    ] = None,
) -> CommandOutput:
    """Write all that the project knows, of every status. An interruption leaves FILE as it was."""
    from memory_layer.cli.terminal.empty_project import tell_if_empty
    from memory_layer.cli.terminal.files import STANDARD, write_lines
    from memory_layer.cli.terminal.progress_bar import progress
    from memory_layer.usecases.ground.queries import project_stats
    from memory_layer.usecases.transfer.export_project import export_lines

    chosen: Any = _checked_choice("format", format or _format_named(file), FORMATS)
    lines = export_lines(call.ports, call.principal, call.project, chosen)
    with progress("Exporting") as gauge:
        stats = project_stats(call.ports, call.principal, call.project) if gauge.shows else None
        counted = _Counted(lines, stats.total if stats else 0, gauge)
        write_lines(file, counted)
    if file == STANDARD:
        tell_if_empty(call)
        return CommandOutput(None, lambda _: "")
    records = counted.lines - 1  # the header, or the manifest
    tell_if_empty(call)
    return CommandOutput({"file": file, "format": chosen, "records": records}, printing.export_text)


def _format_named(file: str) -> str:
    """Format of an export, by the same suffixes as an import would read it.

    Raises:
        Invalid: an import would take it for what another tool has written.
    """
    from memory_layer.errors import Invalid

    suffix = PurePath(file).suffix.lower()
    if suffix not in SOURCE_BY_SUFFIX or suffix == ".csv":
        return SOURCE_BY_SUFFIX.get(suffix, "ndjson")
    raise Invalid.at(
        "/file",
        f"{file} would not be read back as an export: it is called like {SOURCE_BY_SUFFIX[suffix]}; name it "
        f"{PurePath(file).with_suffix('.ndjson')} or {PurePath(file).with_suffix('.csv')}, or say --format",
    )


class _Counted:
    """Lines counted as they pass."""

    def __init__(self, lines: Iterator[str], total: int, gauge: Gauge) -> None:
        self.lines = 0
        self._source = lines
        self._total = total
        self._gauge = gauge

    def __iter__(self) -> Iterator[str]:
        for line in self._source:
            yield line
            self.lines += 1
            self._gauge(self.lines, self._total)


def _checked_choice(name: str, choice: str, choices: tuple[str, ...]) -> str:
    """Choice that a text names. Raises: Invalid: it is another one."""
    from memory_layer.errors import Invalid

    if choice not in choices:
        raise Invalid.at(f"/{name}", f"there is no --{name} {choice!r}; there are: {', '.join(choices)}")
    return choice


@command(app, "import")
def import_file(
    call: Invocation,
    file: Annotated[str, typer.Argument(metavar="FILE", help="What to read; - reads standard input.")],
    source: Annotated[
        str | None,
        typer.Option(
            "--from", help="ndjson (our export), csv, markdown, ralph; default: by FILE's name, else ndjson."
        ),
    ] = None,
    dry_run: DryRun = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="An export's records in the place of those with their ids.")
    ] = False,
    unsealed: Annotated[
        bool, typer.Option("--unsealed", help="Lines without a manifest will do (ndjson).")
    ] = False,
    name: Annotated[
        str | None,
        typer.Option(
            help="What a markdown file is called; default: its path in its repository, else FILE's name."
        ),
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Archive what an earlier import stored and the file says no more.")
    ] = False,
) -> CommandOutput:
    """Bring in an export, or what other tools have written. An export comes in whole or not at all.

    csv is our own export or any table with a column named content: rows that make no memory are named by their lines,
    the others are imported, and the exit code is 1. markdown is a file such as CLAUDE.md or
    AGENTS.md: a memory for each paragraph and list item. Imported again it updates what it brought: changed lines
    supersede, and lines that are gone are told. Every line that is not stored is told, with the reason.
    ralph is ralph-learnings.json or staging.json.
    """
    from memory_layer.cli.commands.model import offer_model

    by_name = SOURCE_BY_SUFFIX.get(PurePath(file).suffix.lower(), "ndjson")
    chosen = _checked_choice("from", source or by_name, SOURCES)
    options = {"is_dry_run": dry_run, "on_existing": "replace" if replace else "skip"}
    if chosen != "markdown":
        _refuse_following(name, prune)
    if not dry_run:
        offer_model(call)
    if chosen == "ndjson":
        return _import_export(call, file, options, allow_unsealed=unsealed)
    following = {"prunes": prune, "name": name}
    return _import_other(call, file, chosen, options, following, is_unsealed=unsealed)


def _refuse_following(name: str | None, prune: bool) -> None:
    """Refuses options of files that are followed. Raises: Invalid: with the option."""
    from memory_layer.errors import Invalid

    for option, given in (("name", name is not None), ("prune", prune)):
        if given:
            raise Invalid.at(f"/{option}", f"only a markdown file is followed; leave --{option} out")


def _import_export(
    call: Invocation, file: str, options: Mapping[str, Any], *, allow_unsealed: bool
) -> CommandOutput:
    from memory_layer.cli.terminal.files import read_lines

    return _imported(call, read_lines(file), options, allow_unsealed=allow_unsealed)


def _imported(
    call: Invocation, lines: Any, options: Mapping[str, Any], *, allow_unsealed: bool
) -> CommandOutput:
    from memory_layer.cli.terminal.progress_bar import progress
    from memory_layer.edge.shapes.data_bodies import imported_json
    from memory_layer.usecases.transfer.import_project import import_lines

    with progress("Importing") as gauge:
        imported = import_lines(
            *(call.ports, call.principal, call.project, lines),
            **options,
            allow_unsealed=allow_unsealed,
            tell=gauge,
        )
    return CommandOutput(imported_json(imported), printing.import_text)


def _import_other(
    call: Invocation,
    file: str,
    source: Any,
    options: Mapping[str, Any],
    following: Mapping[str, Any],
    *,
    is_unsealed: bool,
) -> CommandOutput:
    from memory_layer.cli.commands.imported_words import words_of_lines
    from memory_layer.cli.terminal.files import name_in_repository, read_text
    from memory_layer.cli.terminal.progress_bar import progress
    from memory_layer.edge.foreign.read_file import read_foreign
    from memory_layer.edge.shapes.data_bodies import foreign_json
    from memory_layer.errors import Invalid
    from memory_layer.usecases.transfer.import_foreign import import_foreign

    text = read_text(file)
    if source == "csv":
        from memory_layer.edge.foreign.csv_table import exported_records

        lines = exported_records(text)
        if lines is not None:  # a table has no manifest
            return _imported(call, lines, options, allow_unsealed=True)
    if options["on_existing"] == "replace":
        raise Invalid.at(
            "/replace", "only records of our own exports have ids to replace; leave --replace out"
        )
    if is_unsealed:
        raise Invalid.at("/unsealed", "only our own exports are sealed; leave --unsealed out")
    name = following["name"] or name_in_repository(file)
    contents = read_foreign(source, text, name)
    with progress("Importing") as gauge:
        tally = import_foreign(
            *(call.ports, call.principal, call.project, contents),
            is_dry_run=options["is_dry_run"],
            prunes=following["prunes"],
            tell=gauge,
        )
    told = partial(printing.foreign_import_text, words=words_of_lines(call, tally, contents))
    return CommandOutput(foreign_json(tally), told, is_refused=bool(tally.refused))


@command(app, "merge-project")
def merge_other(
    call: Invocation,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The project to read; it stays as it is.")],
    dry_run: DryRun = False,
) -> CommandOutput:
    """Bring another project's memories into this one. What is here already is known by id, then by content."""
    from memory_layer.cli.commands.model import offer_model
    from memory_layer.cli.terminal.empty_project import tell_if_empty
    from memory_layer.cli.terminal.progress_bar import progress
    from memory_layer.edge.shapes.data_bodies import MergeRequest, merged_json
    from memory_layer.usecases.transfer.merge_projects import merge_project

    body = validated(MergeRequest, {"from": other, "dry_run": dry_run})
    tell_if_empty(call, other)
    if not dry_run:
        offer_model(call)
    with progress("Merging") as gauge:
        merged = merge_project(
            *(call.ports, call.principal, call.project, body.source), is_dry_run=dry_run, tell=gauge
        )
    return CommandOutput(merged_json(merged, body.source), printing.project_merge_text)


@command(app)
def prune(
    call: Invocation,
    min_confidence: Annotated[float | None, typer.Option(help="Those below it, 0 to 1.")] = None,
    min_success_rate: Annotated[float | None, typer.Option(help="Those below it, 0 to 1.")] = None,
    older_than_days: Annotated[int | None, typer.Option(help="Those not changed for longer.")] = None,
    unused: Annotated[bool, typer.Option("--unused", help="Those no outcome was reported on.")] = False,
    include_approved: Annotated[bool, typer.Option("--include-approved", help="Also approved ones.")] = False,
    include_pinned: Annotated[bool, typer.Option("--include-pinned", help="Also pinned ones.")] = False,
    dry_run: DryRun = False,
) -> CommandOutput:
    """Archive memories of which all that is given holds. A snapshot taken before brings them back."""
    from memory_layer.cli.terminal.progress_bar import progress
    from memory_layer.edge.shapes.data_bodies import PruneRequest, pruned_json
    from memory_layer.errors import Invalid
    from memory_layer.usecases.transfer.prune import prune as prune_project

    body = validated(
        PruneRequest,
        {
            **{"min_confidence": min_confidence, "min_success_rate": min_success_rate, "unused": unused},
            **{"older_than_days": older_than_days, "include_approved": include_approved},
            **{"include_pinned": include_pinned, "dry_run": dry_run},
        },
    )
    if body.rule().asks_nothing:
        raise Invalid.at(
            "", "say what to prune: --min-confidence, --min-success-rate, --older-than-days or --unused"
        )
    with progress("Pruning") as gauge:
        pruned = prune_project(
            *(call.ports, call.principal, call.project, body.rule()), is_dry_run=dry_run, tell=gauge
        )
    return CommandOutput(pruned_json(pruned), printing.pruning_text)
