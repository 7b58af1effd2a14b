"""Environment variables that coding agents set in the commands and hooks that they run. Standard library only.

Variables that a person sets as well (keys, models, `AIDER_*`), or that every terminal of an editor has
(`CURSOR_TRACE_ID`), tell nothing and are left out. Sources: Claude Code, environment variables and hooks; Qwen Code
and Gemini CLI, shellExecutionService.ts; GitHub Copilot CLI, hooks; goose, developer tools; vercel/detect-agent,
agents.json; stripe-cli, useragent.go; aws-cdk-cli, detect-agent.ts.
"""

from collections.abc import Mapping
from typing import Final

NAMES_ITSELF: Final = "AI_AGENT"
"""Variable whose value names the agent, `claude-code` or `devin@1`. Source: vercel/detect-agent, README."""

AGENTS_BY_VARIABLE: Final[Mapping[str, str]] = {
    "CLAUDECODE": "claude-code",
    "CLAUDE_CODE_ENTRYPOINT": "claude-code",
    "CLAUDE_PROJECT_DIR": "claude-code",
    "CURSOR_AGENT": "cursor",
    "CODEX_THREAD_ID": "codex",
    "CODEX_SANDBOX": "codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "codex",
    "CODEX_CI": "codex",
    "GEMINI_CLI": "gemini-cli",
    "QWEN_CODE": "qwen-code",
    "COPILOT_CLI": "copilot",
    "COPILOT_AGENT_SESSION_ID": "copilot",
    "OPENCODE": "opencode",
    "OPENCODE_CLIENT": "opencode",
    "GOOSE_TERMINAL": "goose",
    "CLINE_ACTIVE": "cline",
    "AUGMENT_AGENT": "augment",
    "AMP_CURRENT_THREAD_ID": "amp",
    "ANTIGRAVITY_AGENT": "antigravity",
    "ANTIGRAVITY_CLI_ALIAS": "antigravity",
    "PI_CODING_AGENT": "pi",
    "CRUSH": "crush",
    "TRAE_AI_SHELL_ID": "trae",
    "JUNIE_SHIM_PATH": "junie",
    "OPENCLAW_SHELL": "openclaw",
}
"""Agents by variable, as their MCP clients call them; of several that are set the first counts."""

VARIABLES: Final = (*AGENTS_BY_VARIABLE, NAMES_ITSELF)

_UNSET: Final = ("", "0", "false")


def agent_around(environ: Mapping[str, str]) -> str | None:
    """Name of the coding agent whose variables are set; None: there is none."""
    found = (name for variable, name in AGENTS_BY_VARIABLE.items() if _is_set(environ, variable))
    return next(found, environ[NAMES_ITSELF] if _is_set(environ, NAMES_ITSELF) else None)


def _is_set(environ: Mapping[str, str], variable: str) -> bool:
    return environ.get(variable, "").lower() not in _UNSET
