"""Limits of the hooks that coding agents run, and their output where nothing is said. Standard library only."""

from collections.abc import Mapping
from typing import Final

COMMAND: Final = "hook"
"""Command of `mem` that an agent runs at an event: `mem hook claude SessionStart`."""

INPUT_MAX_BYTES: Final = 4_000_000
"""Input of a hook that is read; a larger one, such as the content of a large file, is answered with nothing."""

DEADLINE_S: Final = 5.0
"""Seconds that an agent waits for a hook at most: whoever types a prompt waits as well."""

END_DEADLINE_S: Final = 25.0
"""Seconds for the end of a session, at which nobody waits for an answer."""

_SHORT_ENDS: Final[Mapping[str, float]] = {"codex": 2.5}
"""Ends that an agent itself cuts off. Source: Codex, hooks: SessionEnd has three seconds at most."""

_NOTHING: Final[Mapping[str, str]] = {"cursor": "{}", "copilot": "{}"}
"""Agents that read every output as JSON; the others take none as none."""


def deadline_s(agent: str, event: str) -> float:
    """Seconds after which a hook ends, whatever it waits for."""
    return _SHORT_ENDS.get(agent, END_DEADLINE_S) if event.lower() == "sessionend" else DEADLINE_S


def nothing(agent: str) -> str:
    """Output of a hook that has nothing to say."""
    return _NOTHING.get(agent, "")
