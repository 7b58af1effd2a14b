"""Import of another tool's file."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Scope
from memory_layer.domain.remedies import give
from memory_layer.errors import Invalid
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import refuse_secret_names
from memory_layer.usecases.ground.change_record import require_admin
from memory_layer.usecases.ground.project_pages import Progress, ignore_progress
from memory_layer.usecases.transfer.all_or_nothing import all_or_nothing
from memory_layer.usecases.transfer.follow_file import FileImport
from memory_layer.usecases.transfer.followed_file import FollowedFile
from memory_layer.usecases.transfer.foreign_file import ForeignFile, ForeignMemory, ForeignTally
from memory_layer.usecases.transfer.import_learnings import LearningImport
from memory_layer.usecases.transfer.memory_import import MemoryImport

CHUNK = 100
"""Memories embedded and compared at once."""


def import_foreign(
    ports: Ports,
    principal: Principal,
    project: str,
    file: ForeignFile,
    *,
    is_dry_run: bool = False,
    prunes: bool = False,
    tell: Progress = ignore_progress,
) -> ForeignTally:
    """Stores the contents of a file through the duplicate gate; every part that is not stored is named, with why.

    An export of another system comes in whole or not at all. So does a file with a name, which is followed: a line that
    was edited supersedes the memory of its earlier wording, one under a new heading moves, and what the file says no
    more is named. Of a file without one what the project knows by its id, which is made of its content, is skipped,
    memories archived since included.
    Learnings are merged with known ones of the same identity.

    Args:
        is_dry_run: count, and store nothing.
        prunes: archive what the file says no more, unless it is approved, pinned, or said by another file.

    Raises:
        Forbidden: the caller is no admin.
        Invalid: there is something to prune by, but the file has no name.
    """
    check_foreign_import(principal, project, file, prunes=prunes)
    work = partial(_imported, principal, principal.scope(project), file, is_dry_run, prunes, tell)
    return all_or_nothing(ports, work) if file.is_one_batch and not is_dry_run else work(ports)


def check_foreign_import(principal: Principal, project: str, file: ForeignFile, *, prunes: bool) -> None:
    """Refuses an import that may not begin.

    Raises:
        Forbidden, Invalid: as `import_foreign`.
    """
    require_admin(principal, f"an import into project {project}")
    if prunes and file.name is None:
        raise Invalid.at(
            "/prune", "a file without a name is not followed, so nothing of it can be gone", give("/name")
        )


def _imported(
    principal: Principal,
    scope: Scope,
    file: ForeignFile,
    is_dry_run: bool,
    prunes: bool,
    tell: Progress,
    ports: Ports,
) -> ForeignTally:
    tally = ForeignTally(
        is_dry_run=is_dry_run, read=file.size, refused=list(file.refused), left_out=list(file.left_out)
    )
    policy, now = ports.store.projects.policy(scope), ports.clock.now()
    refuse_secret_names({"project": scope.project, "name": file.name}, policy)
    followed = FollowedFile(ports, principal, scope, file.name) if file.name is not None else None
    memories = MemoryImport(ports, principal, scope, policy, now, is_dry_run, tally, followed)
    learnings = LearningImport(ports, principal, scope, policy, now, is_dry_run, tally)
    tell(tally.done, tally.read)
    if followed is not None:
        FileImport(followed, memories).store(file.memories, prunes=prunes)
        tell(tally.done, tally.read)
    for chunk in _chunks(file):
        memories.store(chunk)
        tell(tally.done, tally.read)
    learnings.store(file.learnings, tell)
    learnings.stage(file.staged, tell)
    return tally


def _chunks(file: ForeignFile) -> Iterator[Sequence[ForeignMemory]]:
    """Memories of a file that is not followed: all at once of one that is whole, so that each is compared with all."""
    if file.name is not None:
        return
    if file.is_whole:
        yield file.memories
        return
    remaining = iter(file.memories)
    while chunk := list(islice(remaining, CHUNK)):
        yield chunk
