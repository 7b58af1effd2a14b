"""Input of a hook: the JSON that an agent writes, in any of their spellings, as one shape."""

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final, Literal

ToolKind = Literal["read", "shell", "edit", "other"]

TEXT_MAX_CHARS: Final = 8_000
OUTPUT_MAX_CHARS: Final = 20_000

_READ: Final = frozenset({"read", "view", "readfile", "read_file", "copilot_readfile", "notebookread"})
_SHELL: Final = frozenset(
    {"bash", "shell", "powershell", "exec_command", "local_shell", "shell_command", "unified_exec"}
    | {"run_in_terminal", "runinterminal", "runterminalcommand", "run_terminal_cmd"}
)
_EDIT: Final = frozenset(
    {"edit", "write", "multiedit", "notebookedit", "create", "apply_patch", "str_replace_editor", "editfiles"}
    | {
        "createfile",
        "create_file",
        "replace_string_in_file",
        "insert_edit_into_file",
        "edit_file",
        "strreplace",
    }
)
_PATHS: Final = ("file_path", "filePath", "path", "target_file", "notebook_path", "files")
_READERS: Final = frozenset({"cat", "head", "tail", "less", "more", "bat", "nl", "sed", "type"})
"""Commands of a shell by which agents without a tool of their own read files."""

_LOOKS_LIKE_A_FILE: Final = re.compile(r"[^\s'\"|;&<>()$*{}]*[\w-]\.\w{1,8}")
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_EXIT_CODE: Final = re.compile(
    r"\s*<?(?:(?:the )?(?:process|command) )?exit(?:ed)?(?: with)?(?: exit)? (?:code|status)\W{0,2}\s*(-?\d+)[.>]?\s*",
    re.IGNORECASE,
)
"""Whole line in which an agent gives a command's exit code: before the output, or as the last one."""

_HEADER_LINES: Final = 6
_OUTPUT_BEGINS: Final = re.compile(r"\s*(?:command )?output:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """Use of a tool.

    Args:
        paths: files that it names, as the agent does.
        command: of a shell.
        output: what it printed, or its error; None: it has not run yet.
    """

    kind: ToolKind
    paths: tuple[str, ...] = ()
    command: str = ""
    output: str | None = None
    has_failed: bool = False


@dataclass(frozen=True, slots=True)
class Payload:
    """Input of a hook. Args: reason: why a session starts or ends; folder: in which the agent works."""

    session: str
    folder: str | None = None
    transcript: str | None = None
    prompt: str = ""
    reason: str = ""
    tool: ToolUse | None = None


def read_payload(raw: bytes) -> Payload:
    """Reads the input of a hook.

    Raises:
        ValueError: it is no JSON object, or names no session.
    """
    said = json.loads(raw.decode("utf-8", "replace"))
    if not isinstance(said, dict):
        raise ValueError("the input of a hook is a JSON object")
    session = _text(said, "session_id", "sessionId", "conversation_id", "conversationId")
    if not session:
        raise ValueError("the input names no session")
    return Payload(
        session=session,
        folder=_text(said, "cwd") or next(iter(_texts(said.get("workspace_roots"))), None),
        transcript=_text(said, "transcript_path", "transcriptPath") or None,
        prompt=_text(said, "prompt", "initial_prompt", "initialPrompt")[:TEXT_MAX_CHARS],
        reason=_text(said, "source", "reason", "final_status", "status", "trigger"),
        tool=tool_use(said) if "tool_name" in said or "toolName" in said else None,
    )


def tool_use(said: Mapping[str, Any]) -> ToolUse:
    """Use of a tool that an object tells of, by the names that agents give to tool, input and result."""
    kind = tool_kind(_text(said, "tool_name", "toolName"))
    given = _parsed(said.get("tool_input", said.get("toolArgs")))
    command = _command(given) if kind == "shell" else ""
    error = _worded(said.get("error", said.get("error_message")))
    result = next(
        (said[key] for key in ("tool_response", "tool_output", "tool_result", "toolResult") if key in said),
        None,
    )
    if error and not said.get("is_interrupt"):
        return ToolUse(kind, paths_of(kind, given, command), command, error[-OUTPUT_MAX_CHARS:], True)
    output, has_failed = (None, False) if result is None else outcome_of(result)
    return ToolUse(kind, paths_of(kind, given, command), command, output, has_failed)


def tool_kind(name: str) -> ToolKind:
    plain = name.rpartition(".")[2].lower()
    known: tuple[tuple[ToolKind, frozenset[str]], ...] = (("read", _READ), ("shell", _SHELL), ("edit", _EDIT))
    return next((kind for kind, names in known if plain in names), "other")


def outcome_of(result: Any, *, chars_max: int = OUTPUT_MAX_CHARS) -> tuple[str, bool]:
    """Printed text of a tool's result, its end at most, and whether it failed."""
    found = _parsed(result)
    text = _worded(found)[-chars_max:]
    if isinstance(found, Mapping):
        code = _exit_code(found)
        if code is not None:
            return text, code != 0
        if found.get("is_error") or found.get("success") is False:
            return text, True
        if str(found.get("result_type", found.get("resultType", ""))) in ("failure", "error"):
            return text, True
    return text, _printed_code(text) not in (None, 0)


def _printed_code(text: str) -> int | None:
    """Exit code that an agent gives beside an output; a line within the output is the command's own."""
    lines = text[:1_000].splitlines()[:_HEADER_LINES]
    header = list(takewhile(lambda line: not _OUTPUT_BEGINS.match(line), lines))
    ends = text.rstrip()[-200:].splitlines()[-1:]
    told = [*(header if len(header) < len(lines) else lines[:1]), *ends]
    return next((int(found[1]) for line in told if (found := _EXIT_CODE.fullmatch(line))), None)


def _exit_code(found: Mapping[str, Any]) -> int | None:
    inner = found.get("metadata")
    for place in (found, inner if isinstance(inner, Mapping) else {}):
        for key in ("exit_code", "exitCode", "returncode"):
            if isinstance(place.get(key), int):
                return int(place[key])
    return None


def _worded(value: Any) -> str:
    """Words of an output of any shape."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_worded, value)))
    if not isinstance(value, Mapping):
        return ""
    keys = (
        "output",
        "stdout",
        "stderr",
        "text",
        "content",
        "message",
        "text_result_for_llm",
        "textResultForLlm",
    )
    return "\n".join(filter(None, (_worded(value.get(key)) for key in keys)))


def paths_of(kind: ToolKind, given: Any, command: str) -> tuple[str, ...]:
    """Files that a tool's input names: those that a shell reads, that a patch changes, or those under a known key."""
    if kind == "shell":
        return tuple(_files_read(command))
    if isinstance(given, Mapping):
        named = [path for key in _PATHS for path in _texts(given.get(key))]
        return tuple(dict.fromkeys(named or _PATCHED.findall(_text(given, "input", "patch"))))
    return tuple(_PATCHED.findall(given)) if isinstance(given, str) else ()


def _files_read(command: str) -> Iterator[str]:
    for part in re.split(r"[|;&\n]+", command):
        try:
            words = shlex.split(part)
        except ValueError:
            continue
        if words and os.path.basename(words[0]) in _READERS:
            yield from (
                word for word in words[1:] if not word.startswith("-") and _LOOKS_LIKE_A_FILE.fullmatch(word)
            )


def _command(given: Any) -> str:
    """Command of a shell; of `bash -lc COMMAND` the command itself."""
    value = (
        next((given[key] for key in ("command", "cmd") if key in given), "")
        if isinstance(given, Mapping)
        else given
    )
    if isinstance(value, list):
        words = [word for word in value if isinstance(word, str)]
        is_shell = len(words) >= 3 and words[1] in ("-c", "-lc")
        return (words[2] if is_shell else shlex.join(words))[:TEXT_MAX_CHARS]
    return value[:TEXT_MAX_CHARS] if isinstance(value, str) else ""


def _parsed(value: Any) -> Any:
    """Value that some agents send as JSON within a text."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _text(said: Mapping[str, Any], *keys: str) -> str:
    return next((said[key] for key in keys if isinstance(said.get(key), str)), "")


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str) and one]
