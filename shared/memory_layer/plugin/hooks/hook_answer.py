"""Output of a hook in the form of its agent."""

import json
from typing import Any

from memory_layer.manifest.agent_hooks import nothing
from memory_layer.plugin.agents import CodingAgent


def hook_answer(agent: CodingAgent, event: str, page: str) -> str:
    """Output that puts a page before the agent's model, or that says nothing. Args: event: as the agent calls it."""
    if not page:
        return nothing(agent.name)
    nested: dict[str, Any] = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": page}}
    flat: dict[str, Any] = {agent.context_key: page}
    said = {"nested": nested, "flat": flat, "both": {**flat, **nested}}[agent.form]
    return json.dumps(said, ensure_ascii=False)
