"""Sessions through their hooks: the project of a run, and what a continued transcript holds of an older session."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.learning.run import Run
from memory_layer.domain.memory import Memory
from memory_layer.plugin.agents import CLAUDE, event_of
from memory_layer.plugin.hooks.handle_hook import HookCall, handle_hook
from memory_layer.plugin.hooks.payload import read_payload
from memory_layer.plugin.hooks.run_hook import run_hook
from memory_layer.plugin.hooks.session_state import HookSessions
from memory_layer.usecases.learn.read_runs import list_runs
from tests.given import SCOPE, a_memory
from tests.named_folder import name_project

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
QUESTION = "why does the nightly import die"


@dataclass
class RecordingMemory:
    """Memory that finds what it is given, and keeps what it is told."""

    found: list[Memory] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    misled: list[tuple[str, str]] = field(default_factory=list)
    now_s: float = NOW.timestamp()

    def first(self, tokens: int) -> list[Memory]:  # noqa: ARG002
        return []

    def about(self, question: str, run_id: str) -> list[Memory]:  # noqa: ARG002
        return self.found

    def of_file(self, path: str) -> list[Memory]:  # noqa: ARG002
        return []

    def learn(self, run: Run) -> None:
        self.runs.append(run)

    def report_misled(self, project: str, id: str, run_id: str) -> None:  # noqa: ARG002
        self.misled.append((project, id))


def hook(memory: RecordingMemory, folder: Path, event: str, session: str, **more: Any) -> str:
    given = {"session_id": session, "transcript_path": str(folder / "t.jsonl"), **more}
    known = event_of(CLAUDE, event)
    assert known is not None
    call = HookCall(CLAUDE, known, read_payload(json.dumps(given).encode()), folder, "shop")
    return handle_hook(call, memory, HookSessions(folder))


def line(role: str, text: str, at: datetime = NOW) -> str:
    said = {"type": role, "message": {"role": role, "content": [{"type": "text", "text": text}]}}
    return json.dumps({**said, "timestamp": at.isoformat()}) + "\n"


OLD = datetime(2026, 3, 1, tzinfo=UTC)
OLDER_SESSION = line("user", "mend the old thing", OLD) + line(
    "assistant", "By [M7] and [M2 wrong].\nLearned: the old stub comes first", OLD
)


@pytest.mark.parametrize("is_written_before", [True, False])
@pytest.mark.parametrize("reason", ["fork", "resume"])
def test_a_forked_session_tells_its_own_part_alone(
    tmp_path: Path, reason: str, is_written_before: bool
) -> None:
    """Falls where the transcript is read from its beginning: the older part's numbers are other memories."""
    memory = RecordingMemory([a_memory(SCOPE, "mem_new", content="The import needs Redis")])
    transcript = tmp_path / "t.jsonl"
    transcript.write_text(OLDER_SESSION if is_written_before else "", "utf-8")
    hook(memory, tmp_path, "SessionStart", "s-2", source=reason)
    page = hook(memory, tmp_path, "UserPromptSubmit", "s-2", prompt=QUESTION)
    number = 8 if is_written_before else 1
    assert f"\nM{number}" in page
    own = line("user", QUESTION) + line("assistant", f"By [M{number}].\nLearned: start the server first")
    transcript.write_text(OLDER_SESSION + own, "utf-8")
    hook(memory, tmp_path, "SessionEnd", "s-2", reason="other")
    (run,) = memory.runs
    assert (run.objective, run.memories_used, memory.misled) == (QUESTION, ("mem_new",), [])
    assert [one.learnings for one in run.iterations] == [("start the server first",)]


def test_a_session_that_is_resumed_as_itself_keeps_what_it_has_not_told(tmp_path: Path) -> None:
    memory = RecordingMemory([a_memory(SCOPE, "mem_new", content="The import needs Redis")])
    hook(memory, tmp_path, "SessionStart", "s-1", source="startup")
    hook(memory, tmp_path, "UserPromptSubmit", "s-1", prompt=QUESTION)
    (tmp_path / "t.jsonl").write_text(line("user", QUESTION) + line("assistant", "By [M1]."), "utf-8")
    hook(memory, tmp_path, "SessionStart", "s-1", source="resume")  # its end was never told
    hook(memory, tmp_path, "SessionEnd", "s-1", reason="other")
    assert memory.runs[0].memories_used == ("mem_new",)


def test_a_verdict_goes_to_the_project_of_its_memory(tmp_path: Path) -> None:
    memory = RecordingMemory([a_memory(SCOPE, "mem_new", content="The import needs Redis")])
    hook(memory, tmp_path, "UserPromptSubmit", "s-1", prompt=QUESTION)
    (tmp_path / "t.jsonl").write_text(line("user", QUESTION) + line("assistant", "[M1 wrong]"), "utf-8")
    hook(memory, tmp_path, "SessionEnd", "s-1", reason="other")
    assert memory.misled == [(SCOPE.project, "mem_new")]


def test_a_run_goes_to_the_project_of_its_first_hook(tmp_path: Path, backend: EmbeddedBackend) -> None:
    """Falls where the folder counts in which the agent stands at its end."""
    for name in ("shop", "depot"):
        name_project(tmp_path / name, name)
    (tmp_path / "t.jsonl").write_text(
        line("user", QUESTION) + line("assistant", "Learned: start the server first"), "utf-8"
    )
    for event, folder in (("SessionStart", "shop"), ("UserPromptSubmit", "depot"), ("SessionEnd", "depot")):
        given = {"session_id": "s", "transcript_path": str(tmp_path / "t.jsonl"), "prompt": QUESTION}
        run_hook(
            "claude",
            event,
            json.dumps({**given, "cwd": str(tmp_path / folder)}).encode(),
            folder=tmp_path,
            environ={},
            data_dir=tmp_path,
            open_ports=lambda: nullcontext(backend.ports),
        )
    owner = Principal("local", "local", roles=frozenset({"admin"}))
    told = {
        name: len(list_runs(backend.ports, owner, name, after=None, limit=9).runs)
        for name in ("shop", "depot")
    }
    assert told == {"shop": 1, "depot": 0}
