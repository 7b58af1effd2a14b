"""`mem conflicts`, `mem duplicates`, `mem resolve`: as people see and decide them on a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_layer.cli.printing.pair_text import pairs
from tests.unit.cli.conftest import Mem, added, answer, problem

POOL_20, POOL_30 = "The pool holds 20 connections.", "The pool holds 30 connections."


@pytest.fixture
def with_conflict(mem: Mem, model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Mem, str, str]:
    """A project with two memories that contradict each other, as the sweep has found them."""
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(model_dir.parent))
    options = ("--category", "convention", "--on-duplicate", "create")
    ids = [added(mem, content, *options) for content in (POOL_20, POOL_30)]
    assert "nobody has looked yet; look now: mem sweep consolidate" in mem("conflicts").stdout
    assert mem("sweep", "consolidate").exit_code == 0
    return mem, ids[0], ids[1]


def test_a_remote_store_is_named_no_sweep_that_it_refuses() -> None:
    assert pairs({"conflicts": [], "next_cursor": None}, looked_at=None, is_here=False) == "nothing waits"


def test_a_conflict_is_shown_and_one_of_the_two_wins(with_conflict: tuple[Mem, str, str]) -> None:
    mem, old, new = with_conflict
    (pair,) = answer(mem("conflicts", "--json"))["conflicts"]
    for command in ("conflicts", "review"):
        shown = mem(command).stdout
        assert POOL_20 in shown
        assert POOL_30 in shown
        assert pair["id"] in shown
        assert "mem resolve PAIR --winner ID | --merge | --keep-both" in shown
    assert (
        "one of the two goes on; merge them, keep both, or give winner: "
        in problem(mem("resolve", pair["id"], "--json"))["detail"]
    )
    done = mem("resolve", pair["id"], "--winner", new, "--note", "raised in May").stdout
    assert f"{old} is superseded by {new}; undo brings it back" in done
    assert mem("conflicts").stdout.startswith("nothing waits; last looked for at 20")
    assert answer(mem("get", old, "--json"))["status_reason"] == "raised in May"


def test_both_may_stay(with_conflict: tuple[Mem, str, str]) -> None:
    mem, *_ = with_conflict
    (pair,) = answer(mem("conflicts", "--json"))["conflicts"]
    assert mem("resolve", pair["id"], "--keep-both", "--merge").exit_code == 2
    assert "both stay" in mem("resolve", pair["id"], "--keep-both").stdout
    assert mem("sweep", "consolidate").exit_code == 0
    assert answer(mem("conflicts", "--json"))["conflicts"] == []
    assert answer(mem("duplicates", "--json")) == {"duplicates": [], "next_cursor": None}


@pytest.mark.parametrize(
    "command", [["approve"], ["reject"], ["review", "--approve"], ["review", "--archive"]]
)
def test_a_pair_is_decided_on_by_resolve(with_conflict: tuple[Mem, str, str], command: list[str]) -> None:
    mem, *_ = with_conflict
    (pair,) = answer(mem("conflicts", "--json"))["conflicts"]
    refused = mem(*command, pair["id"])
    assert refused.exit_code == 1
    assert f"is a pair of memories; decide with: mem resolve {pair['id']} --winner ID" in refused.output
    assert "no memory par" in mem("get", "par_1").stderr


def test_what_contradicts_is_superseded_or_kept_beside_and_not_merged(
    with_conflict: tuple[Mem, str, str],
) -> None:
    mem, *_ = with_conflict
    refused = mem("add", "The pool holds 40 connections.", "--category", "convention").stderr
    assert "; give --on-duplicate supersede or create\n" in refused
    (pair,) = answer(mem("conflicts", "--json"))["conflicts"]
    united = mem("resolve", pair["id"], "--merge").stderr
    assert united.endswith("; give --content, or give --winner, or give --keep-both\n")


def test_duplicates_have_no_severity_and_a_merge_says_how_it_is_taken_back(
    mem: Mem, model_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(model_dir.parent))
    for content in (POOL_20, "The pool holds 20 connections now."):
        added(mem, content, "--on-duplicate", "create")
    assert mem("sweep", "consolidate").exit_code == 0
    (pair,) = answer(mem("duplicates", "--json"))["duplicates"]
    assert "severity" not in mem("duplicates").stdout
    done = mem("resolve", pair["id"], "--merge").stdout
    assert "then mem restore-version" in done
