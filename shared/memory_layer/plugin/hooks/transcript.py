"""Transcripts of coding agents: JSON lines of several products and versions, read as one sequence of events.

What a line does not have is left out, and a line of an unknown kind is passed over: formats change without notice.
Sources: Claude Code, transcripts of sessions; Codex, rollout files; Cursor, agent transcripts; GitHub Copilot, session
events, which VS Code writes as well.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from memory_layer.plugin.hooks.payload import ToolUse, outcome_of, tool_use

READ_MAX_BYTES: Final = 32_000_000
"""Bytes of a transcript that are read, the last ones; a day's work has some ten million."""

_OF_OTHERS: Final = ("isMeta", "isCompactSummary")
"""Marks of lines that are neither the user's nor the agent's: notes and summaries."""

_FRAMES: Final = (
    "<",
    "# AGENTS.md instructions for ",
    "This session is being continued from a previous conversation",
)
"""Beginnings of what an agent puts into a user's turn by itself."""

NUMBER_MAX: Final = 5_000
_NUMBER: Final = re.compile(rb"(?:\\n|[\[\"]|, )M([1-9]\d{0,3})\b")


@dataclass(frozen=True, slots=True)
class TranscriptEvent:
    """Event of a transcript.

    Args:
        kind: words of the user, words of the agent, a tool called, or its result.
        at_ms: milliseconds since 1970; None: it was not said.
        call: id by which a result names its call.
    """

    kind: Literal["prompt", "words", "call", "result"]
    text: str = ""
    at_ms: float | None = None
    call: str = ""
    tool: ToolUse | None = None
    has_failed: bool = False


@dataclass(frozen=True, slots=True)
class Transcript:
    """Part of a transcript. Args: end_bytes: where it ends in the file; lines: that were read, known or not."""

    events: tuple[TranscriptEvent, ...]
    end_bytes: int
    lines: int


def read_transcript(file: Path, start_bytes: int) -> Transcript:
    """Reads a transcript from a place on; the last line counts only where it is whole.

    Raises:
        OSError: there is no such file, or it cannot be read.
    """
    with file.open("rb") as opened:
        size = opened.seek(0, 2)
        start = max(start_bytes if start_bytes <= size else 0, size - READ_MAX_BYTES)
        opened.seek(start)
        content = opened.read(READ_MAX_BYTES)
    whole = content[: content.rfind(b"\n") + 1] if not content.endswith(b"}") else content
    lines = whole.splitlines()
    events = tuple(event for line in lines for event in _events_of(line))
    return Transcript(events, start + len(whole), len(lines))


def numbers_until_now(file: Path) -> tuple[int, int]:
    """Size of a transcript in bytes, and the highest number under which it has shown or cited a memory; 0: none.

    A number that no session reaches is none: a page may have any in its words.

    Raises:
        OSError: there is no such file, or it cannot be read.
    """
    with file.open("rb") as opened:
        size = opened.seek(0, 2)
        opened.seek(max(0, size - READ_MAX_BYTES))
        found = (int(number) for number in _NUMBER.findall(opened.read(READ_MAX_BYTES)))
        return size, max((number for number in found if number <= NUMBER_MAX), default=0)


def _events_of(line: bytes) -> Iterator[TranscriptEvent]:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return
    if isinstance(said, dict) and not any(map(said.get, _OF_OTHERS)):
        at_ms = _time_ms(said.get("timestamp"))
        is_aside = bool(
            said.get("isSidechain")
        )  # a subagent's: its commands and edits count, its words do not
        for event in _read_line(said):
            if not is_aside or event.kind in ("call", "result"):
                yield replace(event, at_ms=at_ms)


def _read_line(said: Mapping[str, Any]) -> Iterator[TranscriptEvent]:
    kind, data = str(said.get("type", said.get("role", ""))), said.get("data")
    payload, message = said.get("payload"), said.get("message")
    if isinstance(payload, Mapping):
        yield from _codex(payload)
    elif isinstance(data, Mapping):
        yield from _copilot(kind, data)
    elif isinstance(message, Mapping):
        yield from _message(str(message.get("role", kind)), message.get("content"))
    elif "content" in said:
        yield from _message(str(said.get("role", kind)), said["content"])


def _message(role: str, content: Any) -> Iterator[TranscriptEvent]:
    """Events of a message in the blocks of Anthropic's API, or of a plain text."""
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else _objects(content):
        kind = block.get("type")
        if kind in ("text", "input_text", "output_text") and isinstance(block.get("text"), str):
            yield from _said(role, block["text"])
        elif kind == "tool_use":
            used = tool_use({"tool_name": str(block.get("name", "")), "tool_input": block.get("input")})
            yield TranscriptEvent("call", call=str(block.get("id", "")), tool=used)
        elif kind == "tool_result":
            text, has_failed = outcome_of(block.get("content"), chars_max=READ_MAX_BYTES)
            is_error = block.get("is_error")
            failed = has_failed if is_error is None else bool(is_error)
            yield TranscriptEvent("result", text, call=str(block.get("tool_use_id", "")), has_failed=failed)


def _said(role: str, text: str) -> Iterator[TranscriptEvent]:
    """Words of one side, without what an agent puts into a user's turn by itself."""
    is_framed = text.lstrip().startswith(_FRAMES)
    if role in ("user", "user.message") and text.strip() and not is_framed:
        yield TranscriptEvent("prompt", text)
    elif role in ("assistant", "assistant.message"):
        yield TranscriptEvent("words", text)


def _codex(payload: Mapping[str, Any]) -> Iterator[TranscriptEvent]:
    kind, call = payload.get("type"), str(payload.get("call_id", ""))
    if kind == "message":
        yield from _message(str(payload.get("role", "")), payload.get("content"))
    elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
        given = payload.get("arguments", payload.get("input", payload.get("action")))
        used = tool_use({"tool_name": str(payload.get("name", "shell")), "tool_input": given})
        yield TranscriptEvent("call", call=call, tool=used)
    elif kind in ("function_call_output", "custom_tool_call_output"):
        text, has_failed = outcome_of(payload.get("output"), chars_max=READ_MAX_BYTES)
        yield TranscriptEvent("result", text, call=call, has_failed=has_failed)


def _copilot(kind: str, data: Mapping[str, Any]) -> Iterator[TranscriptEvent]:
    call = str(data.get("toolCallId", ""))
    if kind in ("user.message", "assistant.message") and isinstance(data.get("content"), str):
        yield from _said(kind, data["content"])
    elif kind == "tool.execution_start":
        used = tool_use({"tool_name": str(data.get("toolName", "")), "tool_input": data.get("arguments")})
        yield TranscriptEvent("call", call=call, tool=used)
    elif kind == "tool.execution_complete":
        result = data.get("result", data.get("error"))
        text, has_failed = outcome_of(result, chars_max=READ_MAX_BYTES)
        failed = data.get("success") is False or has_failed
        yield TranscriptEvent("result", text, call=call, has_failed=failed)


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _time_ms(value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    try:
        return datetime.fromisoformat(value).timestamp() * 1_000 if isinstance(value, str) else None
    except ValueError:
        return None
