"""A project or a folder whose name is mistyped is an empty one: said beside the answer, since it is no error."""

from __future__ import annotations

import sys

from memory_layer.cli.call import Call
from memory_layer.usecases.every_record import record_pages


def tell_if_nothing_yet(call: Call) -> None:
    """On stderr, if the project has no record of any status."""
    pages = record_pages(call.ports.store, call.principal.scope(call.project), 1)
    if call.is_first_start:
        print(
            f"mem: {call.settings.data_dir} is a new data folder; is that its name? (--data)", file=sys.stderr
        )
    elif next(pages, None) is None:
        print(f"mem: project {call.project} has nothing yet; is that its name? (-p)", file=sys.stderr)
