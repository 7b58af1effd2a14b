"""Output of programs in questions: stack traces and logs, of which the messages say what went wrong.

Frames, times, levels, ids and addresses are in no memory. As words of a question they are its rarest, and hide
what bears on the message (ADR-0062).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

FRAMES_MIN: Final = 2
"""Frames from which on lines are a stack trace; one may be a sentence."""

_FRAME: Final = re.compile(
    r'\s*File "[^"\n]+", line \d+'  # Python
    r"|\s+at \S.*(?::(?:line )?\d+\)?|\((?:Native Method|Unknown Source|<anonymous>|native|index \d+)\))$"  # Java, .NET
    r"|\s*\.{3} \d+ (?:more|common frames omitted)$"  # JavaScript, Rust, and Java's end
    r"|\s*(?:from )?\S+\.rb:\d+:in "  # Ruby
    r"|\s*\S+\.go:\d+(?: \+0x[0-9a-f]+)?$|goroutine \d+ \[|created by \S+"  # Go
    r"|\s*#\d+ +(?:0x[0-9a-f]+|\S+\(\d+\))"  # C, PHP
)
_AROUND_FRAMES: Final = re.compile(
    r"Traceback \(most recent call last\)|During handling of the above exception|The above exception was the direct"
    r"|stack backtrace:|Stack trace:|\s*[\^~]+\s*$",
    re.IGNORECASE,
)
_CODE_OF_FRAME: Final = re.compile(r"\s{4,}\S|\s*[\^~]+\s*$")

_CLOCK: Final = r"\d{1,2}:\d{2}:\d{2}(?:[.,:]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_DAY_NAMES: Final = "Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_LOG_HEAD: Final = re.compile(
    r"""\W{0,8}(?:level=\S+\s)?(?:(?:time|ts|timestamp)="?)?"""
    rf"""(?:(?:(?:{_DAY_NAMES})[a-z]{{0,6}}|-|\[?[\w./-]{{0,40}}\d[\w./:-]{{0,40}}),?\s{{1,8}}){{0,6}}"""
    rf"""\[?(?:[\w./-]{{0,40}}\d[\w./-]{{0,40}}[T_:-])?{_CLOCK}(?![\w:])(?:\s[+-]\d{{4}}|\s\d{{4}}(?=\]))?[^\w\s]{{0,4}}"""
)
"""Time of day with seconds that begins a line, behind a date, a weekday, a host's address or a process id."""

_SEVERE_LEVELS: Final = "ERROR|FATAL|CRITICAL|CRIT|SEVERE|PANIC|EMERG"
_ALL_LEVELS: Final = f"TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|{_SEVERE_LEVELS}"
_LEVEL: Final = re.compile(
    rf"\b(?:{_ALL_LEVELS})\b|(?i:\[(?:{_ALL_LEVELS})\]|\blevel=\S+|\b(?:msg|message|err|error)=)"
)
_NUMBERED_LEVELS: Final = {"50": "ERROR", "60": "FATAL"}
"""Levels as pino and bunyan have them."""

_MACHINE_WORD: Final = re.compile(
    r"\[[^\]\n]{0,200}\]"  # a thread, a request, a process
    r"|\b\w+=(?:\S{0,80}\d\S{0,80}|(?=\s|$))"
    r"|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b"
    r"|/?\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\b\d{5,}\b|\S{25,200}(?<=\d)",
    re.IGNORECASE,
)
ERROR_NAME: Final = re.compile(r"\b[A-Z]\w{0,80}(?:Error|Exception|Warning|Timeout|Failure)\b")
"""Name of an error in code."""

_LEVEL_FIELDS: Final = ("level", "severity", "lvl", "loglevel")
_ERROR_FIELDS: Final = ("error", "err", "exception", "exc_info")
_SEVERE: Final = re.compile(
    rf"^[EF]\d{{4}} |\b(?:{_SEVERE_LEVELS})\b|(?i:\[(?:{_SEVERE_LEVELS})\]|\blevel=\"?(?:{_SEVERE_LEVELS})\b)"
)
_MESSAGE_FIELDS: Final = frozenset(
    {"message", "msg", "error", "err", "exception", "exc_info", "type", "name", "reason"}
    | {"detail", "details", "title", "cause", "description", "code"}
)


class LogLine(NamedTuple):
    """Line of a log. Args: is_severe: it tells of an error, by its level."""

    message: str
    is_severe: bool


def without_output(question: str) -> str:
    """Question of whose pasted output the messages are left, of logs with errors these alone; else as it is."""
    asked = question.splitlines()
    lines = _without_frames(asked)
    logged = [_log_line(line) for line in lines]
    if len(lines) == len(asked) and not any(logged):
        return question
    has_severe = any(one is not None and one.is_severe for one in logged)
    kept = [
        line if one is None else one.message
        for line, one in zip(lines, logged, strict=True)
        if one is None or one.is_severe or not has_severe
    ]
    return "\n".join(filter(None, kept)).strip() or question


def _log_line(line: str) -> LogLine | None:
    """Line as a log has it; None: it is none, as one that asks something."""
    if line.startswith("{"):
        return _of_document(line)
    head = _LOG_HEAD.match(line)
    if head is None or line.rstrip().endswith("?"):
        return None
    message = line[head.end() :]
    if named := ERROR_NAME.search(message):  # before it stand a logger, a host, a thread
        message = message[named.start() :]
    words = _MACHINE_WORD.sub(" ", _LEVEL.sub(" ", message)).split()
    return LogLine(" ".join(words).lstrip("-: "), _SEVERE.search(line) is not None)


def _of_document(line: str) -> LogLine | None:
    """Line of a log in JSON: it has a level, or an error that says something."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    told = [level for field in _LEVEL_FIELDS if isinstance(level := document.get(field), str | int)]
    levels = " ".join(_NUMBERED_LEVELS.get(str(level), str(level)) for level in told)
    errors = [error for field in _ERROR_FIELDS if (error := document.get(field))]
    says_error = any(isinstance(one, str) or (isinstance(one, dict) and "message" in one) for one in errors)
    message = " ".join(_messages(document))
    return (
        LogLine(message, _SEVERE.search(levels.upper()) is not None)
        if message and (levels or says_error)
        else None
    )


def _messages(document: Mapping[str, Any]) -> Iterator[str]:
    for name, value in document.items():
        if isinstance(value, dict):
            yield from _messages(value)
        elif name.lower() in _MESSAGE_FIELDS and isinstance(value, str | int):
            yield str(value)


def _without_frames(lines: Sequence[str]) -> Sequence[str]:
    """Lines without those of stack traces; all where they have fewer frames than a trace."""
    if sum(_FRAME.match(line) is not None for line in lines) < FRAMES_MIN:
        return lines
    kept: list[str] = []
    is_code = False
    for line in lines:
        is_code = _FRAME.match(line) is not None or (is_code and _CODE_OF_FRAME.match(line) is not None)
        if not is_code and _AROUND_FRAMES.match(line) is None:
            kept.append(line)
    return kept
