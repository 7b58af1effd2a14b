"""Hint at an empty project or folder, whose name may be mistyped: beside the answer, since it is no error."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memory_layer.cli.terminal.invocation import FolderCall, Invocation
from memory_layer.cli.terminal.served import surroundings
from memory_layer.manifest import env
from memory_layer.wire.message import Asked

if TYPE_CHECKING:
    from memory_layer.domain.access import Principal
    from memory_layer.ports.process import Ports


def tell_if_empty(call: Invocation, project: str | None = None) -> None:
    """Notes on stderr that the project (None: the command's own) has no record of any status."""
    name, folder = project or call.project, call.folder
    if folder is not None and folder.is_first_start:
        place = folder.settings.data_dir
        print(f"mem: {place} is a new data folder; is that its name? (--data)", file=sys.stderr)
    elif call.answer(Asked("get_stats", {"project": name}), lambda here: _count(here, name))["total"] == 0:
        is_own = folder is not None and project is None
        hint = older_project_hint(folder.ports, folder.principal, name) if folder and is_own else None
        asked = f"is that its name?{'' if project else ' (-p)'}"
        print(f"mem: project {name} has nothing yet; {hint or asked}", file=sys.stderr)


def _count(here: FolderCall, project: str) -> dict[str, int]:
    """Number of records, 1 for any."""
    return {"total": int(_has_records(here.ports, here.principal, project))}


def _has_records(ports: Ports, principal: Principal, project: str) -> bool:
    from memory_layer.usecases.ground.project_pages import record_pages

    return next(record_pages(ports.store.memories, principal.scope(project), 1), None) is not None


def older_project_hint(ports: Ports, principal: Principal, project: str) -> str | None:
    """Sentence about memories that lie under a name that the folder had before; None: there are none.

    Args:
        project: of the call; one that the folder does not name has no such memories.
    """
    from memory_layer.local.project_folder import SECTION, folder_of_project

    here = surroundings()
    if env.PROJECT in here.environ:
        return None
    found = folder_of_project(here.folder, here.environ)
    if project != found.project:
        return None
    earlier = next((name for name in found.earlier_names if _has_records(ports, principal, name)), None)
    if earlier is None:
        return None
    return (
        f"memories of this folder are in project {earlier}, its name before: bring them here with: "
        f"mem merge-project {earlier}, or keep that name with: git config {SECTION}.project {earlier}"
    )
