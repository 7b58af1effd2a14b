"""Tasks of Beads and of Claude Code, and the memories about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Mem, added, answer, problem

BEADS = [
    {
        "id": "bd-12",
        "title": "Refunds time out",
        "description": "In tests alone.",
        "status": "open",
        "priority": 1,
    },
    {"id": "bd-13", "title": "Round discounts", "status": "closed", "priority": 2, "labels": ["billing"]},
    {
        "id": "bd-12",
        "title": "Refunds time out",
        "description": "In tests alone.",
        "status": "in_progress",
        "priority": 1,
    },
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with to-dos of two sessions, of which one worked in this folder."""
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    kept = home / ".claude" / "projects" / "".join(c if c.isalnum() else "-" for c in str(tmp_path / "shop"))
    todos = home / ".claude" / "todos"
    for folder in (kept, todos):
        folder.mkdir(parents=True)
    (kept / "5e551017-1.jsonl").write_text("", "utf-8")
    ours = [
        {"content": "Stub the gateway", "status": "in_progress"},
        {"content": "Run all tests", "status": "completed"},
    ]
    (todos / "5e551017-1-agent-5e551017-1.json").write_text(json.dumps(ours), "utf-8")
    (todos / "0therfff-2-agent-0therfff-2.json").write_text(json.dumps([{"content": "Elsewhere"}]), "utf-8")
    return home


@pytest.fixture
def beads(mem: Mem) -> Path:
    del mem
    folder = Path(".beads")
    folder.mkdir()
    (folder / "issues.jsonl").write_text("".join(f"{json.dumps(bead)}\n" for bead in BEADS), "utf-8")
    return folder / "issues.jsonl"


@pytest.mark.usefixtures("home", "beads")
def test_tasks_of_both_are_listed_with_what_is_about_them(mem: Mem) -> None:
    named = added(mem, "bd-12 comes of the missing gateway stub")
    about = added(mem, "The sandbox of the bank is down on Sundays", "--entity", "urn:task:beads:bd-12")
    added(mem, "bd-120 is another thing altogether")
    listed = {one["id"]: one for one in answer(mem("tasks", "--json"))["tasks"]}
    assert {id: (one["source"], one["status"]) for id, one in listed.items()} == {
        "bd-12": ("beads", "in_progress"),
        "5e551017-1": ("claude", "in_progress"),
    }
    assert set(listed["bd-12"]["memories"]) == {named, about}
    assert {one["id"] for one in answer(mem("tasks", "--all", "--json"))["tasks"]} >= {"bd-13", "5e551017-2"}
    assert "Stub the gateway" in mem("tasks").stdout
    shown = mem("tasks", "bd-12").stdout
    assert "bd-12 (in_progress): Refunds time out" in shown
    assert named in shown


@pytest.mark.usefixtures("home")
def test_a_todo_stands_for_each_open_task_and_goes_when_it_is_done(mem: Mem, beads: Path) -> None:
    """Words of a file are an agent's. Falls where a second sync writes again, or a task's words count as a person's."""
    assert [one["act"] for one in answer(mem("tasks", "--sync", "--json"))["tasks"]] == [
        *("stored", "as it was", "stored", "as it was"),
    ]
    todo = answer(mem("get", "task.beads.bd-12", "--json"))
    assert (todo["category"], todo["entities"], todo["created_by"]) == (
        "todo",
        ["urn:task:beads:bd-12"],
        "agent:beads",
    )
    assert (todo["standing"], todo["source"]) == ("unreviewed", "run")
    assert answer(mem("get", "task.claude.5e551017-1", "--json"))["created_by"] == "agent:claude-code"
    assert {one["act"] for one in answer(mem("tasks", "--sync", "--json"))["tasks"]} == {"as it was"}
    beads.write_text(json.dumps({**BEADS[0], "status": "closed"}) + "\n", "utf-8")
    assert answer(mem("tasks", "--sync", "--json"))["tasks"][0]["act"] == "archived"
    assert answer(mem("get", "task.beads.bd-12", "--json"))["status"] == "archived"
    beads.write_text(json.dumps({**BEADS[0], "title": "Refunds time out again"}) + "\n", "utf-8")
    assert answer(mem("tasks", "--sync", "--json"))["tasks"][0]["act"] == "changed"
    assert answer(mem("get", "task.beads.bd-12", "--json"))["status"] == "active"


def test_half_written_files_are_told_of_and_the_rest_is_read(mem: Mem, beads: Path, home: Path) -> None:
    beads.write_text(json.dumps(BEADS[0]) + '\n{"id": "bd-14", "ti\n[]\n{"id": 7, "title": "x"}\n', "utf-8")
    (home / ".claude" / "todos" / "5e551017-1-agent-5e551017-1.json").write_text('[{"content":', "utf-8")
    listed = mem("tasks")
    assert "bd-12" in listed.stdout
    assert "3 lines are no tasks of Beads" in listed.stderr
    assert "is no list of to-dos" in listed.stderr
    assert problem(mem("tasks", "bd-99", "--json"))["status"] == 404


def test_without_tasks_a_sentence_says_so(mem: Mem, home: Path) -> None:
    (home / ".claude" / "todos" / "5e551017-1-agent-5e551017-1.json").unlink()
    assert "no tasks" in mem("tasks").stdout
    assert mem("tasks", "--sync").stdout == "no tasks\n"
