"""Stacks of a deployment and the names of their outputs, by which operators' commands find its parts. Standard
library only."""

from typing import Final

STACKS: Final = ("stateful", "service")
"""Parts of every deployment: each is the stack `{deployment}-{part}`; operators' commands read their outputs."""

WATCHED: Final = "observability"
"""Part of a deployment that somebody watches."""

FUNCTION_OUTPUT: Final = "Function"
"""End of the outputs with the name of a function: `SweepFunction` for `sweep`."""

FAILURE_QUEUE_OUTPUT: Final = "FailureQueue"
"""End of the outputs with the URL of a queue of what failed: `ChangesFailureQueue` for `changes`."""

FAILURE_QUEUES: Final = {
    "events": "events that a function failed on, three times",
    "deliveries": "events of the bus and starts by the clock that reached nobody",
    "changes": "changes of the table that the projector gave up, and items that no index takes",
    "sweeps": "projects that no run could sweep, five times",
    "runs": "events of completed runs that were received five times and not taken",
}
"""Queues of what failed, and what is in each."""
