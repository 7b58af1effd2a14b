"""Import of many files of other tools at once: all of them or none."""

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.project_pages import Progress, ignore_progress
from memory_layer.usecases.transfer.all_or_nothing import all_or_nothing
from memory_layer.usecases.transfer.foreign_file import ForeignFile, ForeignTally, LeftOut
from memory_layer.usecases.transfer.import_foreign import check_foreign_import, import_foreign


def import_files(
    ports: Ports,
    principal: Principal,
    project: str,
    files: Sequence[ForeignFile],
    *,
    left_out: Sequence[LeftOut] = (),
    is_dry_run: bool = False,
    prunes: bool = False,
    tell: Progress = ignore_progress,
) -> ForeignTally:
    """Stores the contents of files as `import_foreign` does each, in one transaction where the store has one.

    Args:
        files: at least one.
        left_out: what is told beside them.
        is_dry_run: count, and store nothing; what two of the files both say is counted twice then.

    Raises:
        Forbidden, Invalid: as `import_foreign`; nothing is stored.
    """
    for file in files:
        check_foreign_import(principal, project, file, prunes=prunes)
    work = partial(_imported, principal, project, files, is_dry_run, prunes, tell)
    tally = work(ports) if is_dry_run else all_or_nothing(ports, work)
    return replace(tally, left_out=[*left_out, *tally.left_out])


def placed_in(file: ForeignFile, path: str) -> ForeignFile:
    """Contents of a file whose places name the file, too."""
    return replace(
        file,
        memories=tuple(replace(part, where=f"{path}: {part.where}") for part in file.memories),
        refused=tuple(replace(part, where=f"{path}: {part.where}") for part in file.refused),
        left_out=tuple(replace(part, where=f"{path}: {part.where}") for part in file.left_out),
    )


def _imported(
    principal: Principal,
    project: str,
    files: Sequence[ForeignFile],
    is_dry_run: bool,
    prunes: bool,
    tell: Progress,
    ports: Ports,
) -> ForeignTally:
    total = sum(file.size for file in files)
    tallies = list[ForeignTally]()
    for file in files:
        before = sum(tally.read for tally in tallies)
        tallies.append(
            import_foreign(
                *(ports, principal, project, file),
                is_dry_run=is_dry_run,
                prunes=prunes,
                tell=lambda done, _, before=before: tell(before + done, total),  # type: ignore[misc]
            )
        )
    return _united(tallies)


def _united(tallies: Sequence[ForeignTally]) -> ForeignTally:
    """Sum of tallies, with all that each names."""
    sums: dict[str, Any] = {"is_dry_run": tallies[0].is_dry_run}
    for one in fields(ForeignTally):
        values = [getattr(tally, one.name) for tally in tallies]
        if one.name not in sums:
            sums[one.name] = sum(values, [] if isinstance(values[0], list) else 0)
    return ForeignTally(**sums)
