"""Coding agents: the events at which each runs a hook, and what a hook of that event may do there.

Sources: Claude Code, hooks reference; Codex 0.153, hooks; Cursor, hooks; GitHub Copilot, hooks reference, which VS
Code reads as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["start", "prompt", "tool", "turn_end", "compaction", "end"]
"""Moment in a session. `tool`: before or after an agent's tool runs; the input says which, and whether it failed."""

Form = Literal["nested", "flat", "both"]
"""Form of a hook's output: context within `hookSpecificOutput`, beside it, or in both places."""


@dataclass(frozen=True, slots=True)
class Event:
    """Event of an agent.

    Args:
        matcher: tools at which the hook runs; None: the event knows none, or all.
        takes_context: a hook may put words before the model here; else they wait for the next event that takes some.
    """

    kind: Kind
    matcher: str | None = None
    takes_context: bool = True


@dataclass(frozen=True, slots=True)
class CodingAgent:
    """Coding agent that hooks are for.

    Args:
        client: name under which it writes, that of its MCP client.
        form: of its hooks' output.
        context_key: name of the context outside of `hookSpecificOutput`.
    """

    name: str
    title: str
    client: str
    form: Form
    events: Mapping[str, Event]
    context_key: str = "additionalContext"


def _silent(kind: Kind, matcher: str | None = None) -> Event:
    return Event(kind, matcher, takes_context=False)


CLAUDE: Final = CodingAgent(
    "claude",
    "Claude Code",
    "claude-code",
    "nested",
    {
        "SessionStart": Event("start"),
        "UserPromptSubmit": Event("prompt"),
        "PreToolUse": Event("tool", "Read"),
        "PostToolUseFailure": Event("tool", "Bash"),
        "PreCompact": _silent("compaction"),
        "SessionEnd": _silent("end"),
    },
)
CODEX: Final = CodingAgent(
    "codex",
    "Codex",
    "codex",
    "nested",
    {
        "SessionStart": Event("start"),
        "UserPromptSubmit": Event("prompt"),
        "PostToolUse": Event("tool", "Bash"),
        "PreCompact": _silent("compaction"),
        "SessionEnd": _silent("end"),
    },
)
CURSOR: Final = CodingAgent(
    "cursor",
    "Cursor",
    "cursor",
    "flat",
    {
        "sessionStart": Event("start"),
        "beforeSubmitPrompt": _silent("prompt"),
        "postToolUse": Event("tool", "Read|Shell"),
        "postToolUseFailure": _silent("tool", "Shell"),
        "preCompact": _silent("compaction"),
        "stop": _silent("turn_end"),
        "sessionEnd": _silent("end"),
    },
    context_key="additional_context",
)
COPILOT: Final = CodingAgent(
    "copilot",
    "GitHub Copilot",
    "copilot",
    "both",
    {
        "SessionStart": Event("start"),
        "UserPromptSubmit": _silent("prompt"),
        "PostToolUse": Event("tool"),
        "PostToolUseFailure": _silent("tool"),
        "PreCompact": _silent("compaction"),
        "Stop": _silent("turn_end"),
        "SessionEnd": _silent("end"),
    },
)
"""Copilot's CLI and VS Code, which read the same files."""

AGENTS: Final[Mapping[str, CodingAgent]] = {agent.name: agent for agent in (CLAUDE, CODEX, CURSOR, COPILOT)}


def event_of(agent: CodingAgent, name: str) -> Event | None:
    """Event by its name in either spelling, `SessionStart` or `sessionStart`; None: no hook is for it."""
    wanted = name.lower()
    return next((event for known, event in agent.events.items() if known.lower() == wanted), None)
