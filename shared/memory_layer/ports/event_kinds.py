"""Kinds of the events that a process publishes for its own background work."""

from typing import Final

OPERATION_ACCEPTED: Final = "operation.accepted"
"""Published with `tenant` and `operation_id`; a repeated or resumed run does nothing twice."""

SESSION_EXTENDED: Final = "session.extended"
"""Published when turns were added: `tenant`, `project`, `session_id`, `first`, `last` (positions)."""

MEMORIES_WARMED: Final = "memories.warmed"
"""Published when a recall has shown warm memories often enough: `tenant`, `project`, `ids`."""
