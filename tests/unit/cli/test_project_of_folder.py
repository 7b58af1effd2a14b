"""Project of a command: the option, the environment, git's configuration, the remote, the folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Mem, added, answer, problem

REMOTE = '[remote "origin"]\n\turl = git@github.com:acme/shop.git\n'


def contents(mem: Mem, *options: str) -> list[str]:
    return [memory["content"] for memory in answer(mem("list", "--json", *options))["memories"]]


def test_clones_share_a_project_and_folders_of_one_name_do_not(
    mem: Mem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(".git/config").write_text(REMOTE, "utf-8")
    added(mem, "The ledger is in the second drawer.")
    shutil.copytree(".git", tmp_path / "clone" / ".git")
    (tmp_path / "other" / "shop").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "clone")
    assert contents(mem) == ["The ledger is in the second drawer."]
    monkeypatch.chdir(tmp_path / "other" / "shop")
    assert contents(mem) == []


def test_memories_under_the_folders_bare_name_are_named_with_the_command_that_brings_them(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where a new rule of names leaves what an earlier release stored unmentioned."""
    added(mem, "The ledger is in the second drawer.", "-p", "shop")
    Path(".git/config").write_text(REMOTE, "utf-8")
    told = mem("list").stderr
    assert "project acme-shop-" in told
    assert "mem merge-project shop" in told
    assert "git config memory-layer.project shop" in told
    answer(mem("merge-project", "shop", "--json"))
    assert contents(mem) == ["The ledger is in the second drawer."]
    monkeypatch.setenv("MEMORY_LAYER_PROJECT", "elsewhere")
    assert "merge-project" not in mem("list").stderr


def test_memories_under_the_remotes_name_are_named_when_a_name_is_chosen_by_hand(mem: Mem) -> None:
    """Falls where the folder's bare name alone is looked up."""
    Path(".git/config").write_text(REMOTE, "utf-8")
    added(mem, "The ledger is in the second drawer.")
    before = answer(mem("projects", "--json"))["projects"][0]["project"]
    Path(".git/config").write_text(f"{REMOTE}[memory-layer]\n\tproject = ledgers\n", "utf-8")
    told = mem("list").stderr
    assert f"mem merge-project {before}" in told
    assert before.startswith("acme-shop-")
    answer(mem("merge-project", before, "--json"))
    assert contents(mem) == ["The ledger is in the second drawer."]


def test_a_broken_configuration_is_refused_and_an_option_goes_round_it(mem: Mem) -> None:
    Path(".git/config").write_text("[remote", "utf-8")
    assert "is no configuration of git" in problem(mem("list", "--json"))["detail"]
    assert contents(mem, "-p", "shop") == []
