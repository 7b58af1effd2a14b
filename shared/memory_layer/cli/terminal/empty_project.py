"""Hint at an empty project or folder, whose name may be mistyped: beside the answer, since it is no error."""

import sys

from memory_layer.cli.terminal.invocation import Invocation
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
        print(
            f"mem: project {name} has nothing yet; is that its name?{'' if project else ' (-p)'}",
            file=sys.stderr,
        )
