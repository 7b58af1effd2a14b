"""Handling of a hook: what an agent is told at an event of its session, and what is kept of it."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from memory_layer.domain.context.fragments import chars4
from memory_layer.domain.memory import Memory
from memory_layer.domain.safety.redaction import redact
from memory_layer.plugin.agents import CodingAgent, Event
from memory_layer.plugin.hooks.end_session import report_session
from memory_layer.plugin.hooks.numbered_page import numbered_page
from memory_layer.plugin.hooks.payload import Payload, ToolUse
from memory_layer.plugin.hooks.session_memory import SessionMemory, error_note, error_question
from memory_layer.plugin.hooks.session_run import session_run_id
from memory_layer.plugin.hooks.session_state import HookSession, HookSessions
from memory_layer.plugin.hooks.transcript import numbers_until_now

PAGE_TOKENS: Final[Mapping[str, int]] = {"start": 1_000, "prompt": 600, "file": 300, "error": 400}
"""Tokens of a page at most, by what it is for."""

PROMPT_MIN_CHARS: Final = 12
"""Shorter prompts, such as `yes` and `go on`, ask nothing."""

OBJECTIVE_MAX_CHARS: Final = 500
ERRORS_MAX: Final = 50
KEEPS_CONTEXT: Final = ("resume", "fork")
"""Beginnings after which the model still sees what it was shown."""

CONTINUES: Final = (*KEEPS_CONTEXT, "compact")
"""Beginnings of a session whose transcript may hold an older one's work."""


@dataclass(frozen=True, slots=True)
class HookCall:
    """Hook that runs. Args: root: of the project's files; project: of the folder in which the agent works."""

    agent: CodingAgent
    event: Event
    payload: Payload
    root: Path
    project: str


@dataclass(frozen=True, slots=True)
class _Question:
    """Search for a hook. Args: purpose: key of PAGE_TOKENS; asked: what it looks up, None: it may be repeated."""

    purpose: str
    heading: str
    search: Callable[[SessionMemory], Sequence[Memory]]
    asked: str | None = None


def handle_hook(call: HookCall, memory: SessionMemory, store: HookSessions) -> str:
    """Page that the agent is told; empty where there is nothing to say.

    Raises:
        OSError: the session's state cannot be kept.
        MemoryLayerError: the memory cannot be read.
    """
    if call.event.kind == "end":
        return _end(call, memory, store)
    if call.event.kind == "start":
        store.prune()
    state = store.read(call.payload.session)
    question = _question(call, session_run_id(call.agent.client, call.payload.session, state.runs))
    found = _looked_up(question, memory, state)
    with store.changing(call.payload.session) as state:
        _note(call, state, memory.now_s)
        page = _page_of(question, found, state)
        return _handed_over(call.event, page, state)


def _looked_up(question: _Question | None, memory: SessionMemory, state: HookSession) -> Sequence[Memory]:
    if question is None or (question.asked is not None and state.has_asked(question.asked)):
        return ()
    return question.search(memory)


def _question(call: HookCall, run_id: str) -> _Question | None:
    payload, tool = call.payload, call.payload.tool
    if call.event.kind == "start":
        tokens = PAGE_TOKENS["start"]
        return _Question("start", "Known of this project:", lambda memory: memory.first(tokens))
    if call.event.kind == "prompt" and len(payload.prompt.strip()) >= PROMPT_MIN_CHARS:
        prompt = payload.prompt
        return _Question(
            "prompt", "Known about this:", lambda memory: memory.about(prompt, run_id), f"prompt {prompt}"
        )
    return (
        _tool_question(call.root, payload, tool, run_id)
        if call.event.kind == "tool" and tool is not None
        else None
    )


def _tool_question(root: Path, payload: Payload, tool: ToolUse, run_id: str) -> _Question | None:
    if tool.has_failed:
        asked = error_question(tool.command, tool.output or "")
        return _Question(
            "error", "Known about this error:", lambda memory: memory.about(asked, run_id), f"error {asked}"
        )
    paths = [one for path in tool.paths[:3] if (one := _inside(root, payload.folder, path)) is not None]
    if tool.kind not in ("read", "shell") or not paths:
        return None
    heading = f"Known about {', '.join(paths)}:"

    def search(memory: SessionMemory) -> list[Memory]:
        return [found for path in paths for found in memory.of_file(path)]

    return _Question("file", heading, search, f"file {' '.join(paths)}")


def _inside(root: Path, folder: str | None, path: str) -> str | None:
    """Path from the project's root; None: the file is not in the project."""
    whole = os.path.normpath(os.path.join(folder or root, path))
    relative = os.path.relpath(whole, root)
    return None if relative.startswith("..") or os.path.isabs(relative) else relative.replace(os.sep, "/")


def _note(call: HookCall, state: HookSession, now_s: float) -> None:
    """Keeps what the end of the session will need."""
    kind, payload = call.event.kind, call.payload
    state.transcript = payload.transcript or state.transcript
    if kind == "start" and state.is_new and payload.reason in CONTINUES:
        state.begin_after(*_numbers_until_now(state.transcript), now_s)
    state.project = state.project or call.project
    state.hooks[kind] = state.hooks.get(kind, 0) + 1
    if kind == "compaction" or (kind == "start" and payload.reason not in KEEPS_CONTEXT):
        state.begin_context(now_s)
    if kind == "prompt" and not state.objective:
        state.objective = redact(payload.prompt, "personal").text[:OBJECTIVE_MAX_CHARS]
    if payload.tool is not None and payload.tool.has_failed:
        note = error_note(payload.tool.command, payload.tool.output or "")
        state.errors = [*state.errors, *([] if note is None else [note])][-ERRORS_MAX:]


def _numbers_until_now(transcript: str | None) -> tuple[int, int]:
    """Size of the transcript, and its highest number; of one that is yet to be written, nothing."""
    try:
        return (0, 0) if transcript is None else numbers_until_now(Path(transcript))
    except (OSError, ValueError):
        return 0, 0


def _page_of(question: _Question | None, found: Sequence[Memory], state: HookSession) -> str:
    if question is None or (question.asked is not None and state.has_asked(question.asked)):
        return ""
    page = numbered_page(state, question.heading, found, PAGE_TOKENS[question.purpose]) if found else ""
    if page:
        state.tokens[question.purpose] = state.tokens.get(question.purpose, 0) + chars4([page])[0]
    return page


def _handed_over(event: Event, page: str, state: HookSession) -> str:
    """Page with what waited before it; where the event takes no words, it waits."""
    whole = "\n\n".join(filter(None, (state.waiting, page)))
    state.waiting = "" if event.takes_context else whole
    return whole if event.takes_context else ""


def _end(call: HookCall, memory: SessionMemory, store: HookSessions) -> str:
    """Reports the session's run, once; what an earlier end reported is not told again."""
    with store.changing(call.payload.session) as state:
        _note(call, state, memory.now_s)
        before = replace(state)
    after = report_session(call.agent, call.payload, before, memory)
    with store.changing(call.payload.session) as state:
        state.read_bytes, state.runs, state.errors = after.read_bytes, after.runs, []
    return ""
