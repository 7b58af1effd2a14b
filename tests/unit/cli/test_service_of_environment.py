"""Commands about a data folder, where the environment has commands go to a service."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.conftest import Mem, problem


@pytest.mark.parametrize(
    "said",
    [
        ("sweep",),
        ("doctor",),
        ("token", "--tenant", "acme", "--principal", "ada@acme.test"),
        ("console",),
        ("serve",),
        ("tasks",),
    ],
)
def test_each_says_so_in_place_of_working_on_a_folder_that_nobody_named(
    mem: Mem, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: tuple[str, ...]
) -> None:
    """Falls where a command does not look at the environment: a token would be signed with another folder's key."""
    monkeypatch.setenv("MEMORY_LAYER_URL", "https://memory.acme.test")
    refused = mem(*said)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "MEMORY_LAYER_URL names https://memory.acme.test: name a data folder with --data" in refused.stderr
    assert not (tmp_path / "data").exists()


def test_a_folder_that_is_named_is_meant(mem: Mem, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMORY_LAYER_URL", "https://memory.acme.test")
    there = ("--data", str(tmp_path / "own"))
    assert mem("token", "--tenant", "acme", "--principal", "ada@acme.test", *there).exit_code == 0
    assert mem("doctor", *there).exit_code == 0
    assert "no server of" in problem(mem("console", "--json", *there))["detail"]
