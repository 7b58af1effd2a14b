"""`mem conflicts`, `mem duplicates`, `mem resolve`: as people see and decide them on a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_cli import Mem, added, answer, mem, problem

__all__ = ["mem"]

POOL_20, POOL_30 = "The pool holds 20 connections.", "The pool holds 30 connections."


@pytest.fixture
def with_conflict(mem: Mem, model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Mem, str, str]:
    """A project with two memories that contradict each other, as the sweep has found them."""
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(model_dir.parent))
    options = ("--category", "convention", "--on-duplicate", "create")
    ids = [added(mem, content, *options) for content in (POOL_20, POOL_30)]
    assert mem("conflicts").stdout.strip() == "nothing waits"
    assert mem("sweep", "consolidate").exit_code == 0
    return mem, ids[0], ids[1]


def test_a_conflict_is_shown_and_one_of_the_two_wins(with_conflict: tuple[Mem, str, str]) -> None:
    mem, old, new = with_conflict
    (pair,) = answer(mem("conflicts", "--json"))["conflicts"]
    for command in ("conflicts", "review"):
        shown = mem(command).stdout
        assert POOL_20 in shown
        assert POOL_30 in shown
        assert f"mem resolve {pair['id']}" in shown
    assert "say which goes on" in problem(mem("resolve", pair["id"], "--json"))["detail"]
    done = mem("resolve", pair["id"], "--winner", new, "--note", "raised in May").stdout
    assert f"{old} is superseded by {new}; undo brings it back" in done
    assert mem("conflicts").stdout.strip() == "nothing waits"
    assert answer(mem("get", old, "--json"))["status_reason"] == "raised in May"


def test_both_may_stay(with_conflict: tuple[Mem, str, str]) -> None:
    mem, *_ = with_conflict
    (pair,) = answer(mem("conflicts", "--json"))["conflicts"]
    assert mem("resolve", pair["id"], "--keep-both", "--merge").exit_code == 2
    assert "both stay" in mem("resolve", pair["id"], "--keep-both").stdout
    assert mem("sweep", "consolidate").exit_code == 0
    assert answer(mem("conflicts", "--json"))["conflicts"] == []
    assert answer(mem("duplicates", "--json")) == {"duplicates": [], "next_cursor": None}
