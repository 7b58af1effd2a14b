"""Hint at an empty project or folder, whose name may be mistyped: beside the answer, since it is no error."""

import sys

from memory_layer.cli.terminal.invocation import Invocation
from memory_layer.cli.terminal.served import surroundings
from memory_layer.domain.access import Principal
from memory_layer.local.project_folder import SECTION, folder_of_project
from memory_layer.manifest import env
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.project_pages import record_pages


def tell_if_empty(call: Invocation, project: str | None = None) -> None:
    """Notes on stderr that the project (None: the command's own) has no record of any status."""
    name = project or call.project
    pages = record_pages(call.ports.store.memories, call.principal.scope(name), 1)
    if call.is_first_start:
        print(
            f"mem: {call.settings.data_dir} is a new data folder; is that its name? (--data)", file=sys.stderr
        )
    elif next(pages, None) is None:
        hint = None if project else older_project_hint(call.ports, call.principal, call.project)
        asked = f"is that its name?{'' if project else ' (-p)'}"
        print(f"mem: project {name} has nothing yet; {hint or asked}", file=sys.stderr)


def older_project_hint(ports: Ports, principal: Principal, project: str) -> str | None:
    """Sentence about memories that an earlier release kept under the folder's bare name; None: there are none.

    Args:
        project: of the call; one that the folder does not name has no such memories.
    """
    here = surroundings()
    if env.PROJECT in here.environ:
        return None
    found = folder_of_project(here.folder, here.environ)
    pages = record_pages(ports.store.memories, principal.scope(found.older_name), 1)
    if project != found.project or found.older_name == project or next(pages, None) is None:
        return None
    return (
        f"memories under this folder's name are in project {found.older_name}: bring them here with: "
        f"mem merge-project {found.older_name}, or keep that name with: "
        f"git config {SECTION}.project {found.older_name}"
    )
