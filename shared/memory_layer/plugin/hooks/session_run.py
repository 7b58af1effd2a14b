"""Run that a session amounts to: turns as iterations, what its checks said, what it learned, what it cited (ADR-0034).

Pure. Nothing is guessed from tone: a verdict comes of checks that ran, learnings of lines that say so, citations of
the numbers that the pages gave.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from memory_layer.domain.learning.run import (
    LINE_MAX_CHARS,
    MEMORIES_USED_MAX,
    Analysis,
    Iteration,
    Run,
    RunStatus,
)
from memory_layer.domain.memory import OutcomeResult
from memory_layer.plugin.hooks.check_results import CheckResult, check_result, has_not_run
from memory_layer.plugin.hooks.own_words import learned_lines, own_words, plain_texts, repeats
from memory_layer.plugin.hooks.session_memory import error_note
from memory_layer.plugin.hooks.transcript import TranscriptEvent

TURNS_MAX: Final = 500
LEARNED_MAX: Final = 20
LEARNED_MIN_CHARS: Final = 12
CRASHED: Final = ("error", "abort", "aborted", "crash", "timeout")
"""Reasons of an end that say nothing about the work."""

_BESIDE: Final = re.compile(r"\bM(\d{1,4})\b( wrong)?")
_BRACKETS: Final = re.compile(r"\[(M\d[^\]\n]{0,80})\]")
_MEMORY_ID: Final = re.compile(r"\bmem_[0-9a-f]{32}\b")


@dataclass(slots=True)
class _Turn:
    """Turn of a session: a prompt, and all that followed until the next one."""

    prompt: str
    started_ms: float | None = None
    ended_ms: float | None = None
    check: CheckResult | None = None
    has_failed_command: bool = False
    files: dict[str, None] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    learned: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SessionRun:
    """Run of a session.

    Args:
        misled: projects and ids of the memories that it said were wrong.
        has_content: it has something to teach.
    """

    run: Run
    misled: tuple[tuple[str, str], ...]
    has_content: bool


def session_run_id(client: str, session: str, told: int) -> str:
    """Id of the next run that a session reports. Args: told: how many it has reported."""
    return f"{client}:{session}"[:200] + (f":{told + 1}" if told else "")


def session_run(
    events: Iterable[TranscriptEvent],
    *,
    run_id: str,
    shown: Sequence[tuple[str, str]],
    first_number: int = 1,
    objective: str,
    errors: Sequence[str],
    reason: str,
) -> SessionRun:
    """Run of a session.

    Args:
        shown: projects and ids of memories by their number, from `first_number`.
        objective: first prompt, where the transcript has none.
        errors: of failed commands, where the transcript has none.
        reason: why the session ended.
    """
    told = list(events)
    turns = _turns(told) or [_Turn(objective, errors=list(errors))]
    _drop_repeated(turns, [event.text for event in told if event.kind in ("prompt", "result")])
    numbered = dict(enumerate(shown, first_number))
    used, misled = _cited((event.text for event in told if event.kind == "words"), numbered)
    status: RunStatus = (
        "crashed" if reason in CRASHED else "failed" if _verdict(turns) == "failed" else "completed"
    )
    iterations = tuple(_iteration(number, turn) for number, turn in enumerate(turns[-TURNS_MAX:], 1))
    run = Run(
        run_id=run_id,
        objective=(next((turn.prompt for turn in turns if turn.prompt), "") or objective)[:LINE_MAX_CHARS],
        status=status,
        iterations=iterations,
        memories_used=tuple(used[:MEMORIES_USED_MAX]),
        verdict=None if status == "crashed" else _verdict(turns),
    )
    has_content = bool(used or misled) or any(map(_has_work, turns))
    return SessionRun(run, tuple(misled), has_content)


def _turns(events: Sequence[TranscriptEvent]) -> list[_Turn]:
    turns: list[_Turn] = []
    calls: dict[str, TranscriptEvent] = {}
    for event in events:
        if event.kind == "prompt" or not turns:
            turns.append(_Turn(event.text if event.kind == "prompt" else "", started_ms=event.at_ms))
        turn = turns[-1]
        turn.ended_ms = event.at_ms or turn.ended_ms
        if event.kind == "call":
            calls[event.call] = event
        elif event.kind == "words":
            turn.learned += [said for said in learned_lines(event.text) if len(said) >= LEARNED_MIN_CHARS]
        elif event.kind == "result":
            _note_result(turn, calls, event)
    return turns


def _drop_repeated(turns: Iterable[_Turn], foreign: Sequence[str]) -> None:
    """Drops learnings that stand verbatim in a tool's result or in the user's words: the agent only repeats them."""
    learning = [turn for turn in turns if turn.learned]
    said = plain_texts(foreign) if learning else []
    for turn in learning:
        turn.learned = [one for one in turn.learned if not repeats(one, said)]


def _note_result(turn: _Turn, calls: Mapping[str, TranscriptEvent], result: TranscriptEvent) -> None:
    call = calls.get(result.call)
    tool = None if call is None else call.tool
    if tool is None:
        return
    if tool.kind == "edit" and not result.has_failed:
        turn.files.update(dict.fromkeys(tool.paths))
    if tool.kind == "shell" and not has_not_run(result.text):
        if result.has_failed:
            turn.has_failed_command = True
            note = error_note(tool.command, result.text)
            turn.errors += [] if note is None else [note]
        checked = check_result(tool.command, result.text, has_failed=result.has_failed)
        turn.check = checked or turn.check


def _has_work(turn: _Turn) -> bool:
    return bool(turn.errors or turn.learned or turn.files or turn.has_failed_command)


def _iteration(number: int, turn: _Turn) -> Iteration:
    """Turn as an iteration: failed where its last check failed; progress is a file changed or a check passed."""
    duration = (turn.ended_ms or 0.0) - (turn.started_ms or 0.0) if turn.started_ms and turn.ended_ms else 0.0
    has_progress = turn.check == "worked" or (turn.check != "failed" and bool(turn.files))
    return Iteration(
        number=number,
        status="failed" if turn.check == "failed" else "completed",
        duration=max(0.0, min(duration, 604_800_000.0)),
        analysis=Analysis(progress_made=has_progress, errors=tuple(turn.errors[-100:])),
        learnings=tuple(said[:LINE_MAX_CHARS] for said in turn.learned[:LEARNED_MAX]),
        files_modified=tuple(list(turn.files)[:200]),
    )


def _verdict(turns: Sequence[_Turn]) -> OutcomeResult:
    """Verdict of the last check that ran; partial where none did, or its end is unclear: nothing says that it holds."""
    last = next((turn.check for turn in reversed(turns) if turn.check is not None), None)
    return "partial" if last is None or last == "unclear" else last


def _cited(
    texts: Iterable[str], shown: Mapping[int, tuple[str, str]]
) -> tuple[list[str], list[tuple[str, str]]]:
    """Memories that the agent's words cite as used, and as wrong; one that is both is wrong."""
    used: dict[str, None] = {}
    wrong: dict[str, tuple[str, str]] = {}
    for text in texts:
        own = own_words(text)
        for brackets in _BRACKETS.findall(own):
            for number, misled in _BESIDE.findall(brackets):
                if (cited := shown.get(int(number))) is not None:
                    wrong.update({cited[1]: cited} if misled else {})
                    used.update({} if misled else {cited[1]: None})
        used.update(dict.fromkeys(_MEMORY_ID.findall(own)))
    return [id for id in used if id not in wrong], list(wrong.values())
