"""`mem` as a terminal runs it, and its documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from memory_layer.cli.app import app
from memory_layer.cli.handover.caller import hand_over
from tests.named_folder import name_project

Mem = Callable[..., Result]
Said = tuple[int | None, str, str]
Say = Callable[..., Said]


@pytest.fixture
def mem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mem:
    """Runs a command in a folder whose project is `shop`, with a data folder and without a model."""
    folder = tmp_path / "shop"
    name_project(folder, "shop")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MEMORY_LAYER_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(tmp_path / "models"))
    monkeypatch.delenv("MEMORY_LAYER_PROJECT", raising=False)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments: str, given: str | bytes | None = None) -> Result:
        return CliRunner().invoke(app, list(arguments), input=given)

    return run


@pytest.fixture
def say(mem: Mem, capsys: pytest.CaptureFixture[str]) -> Say:
    """Hands a command over, in the folder and environment of `mem`: its exit code, and what it wrote."""
    del mem

    def said(*arguments: str) -> Said:
        capsys.readouterr()
        code = hand_over(arguments)
        return (code, *capsys.readouterr())

    return said


def answer(result: Result) -> Any:
    """The document of a command that went well."""
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def problem(result: Result) -> dict[str, Any]:
    """The problem document of a command that was refused."""
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    found: dict[str, Any] = json.loads(result.stderr.splitlines()[-1])
    return found


def added(mem: Mem, content: str, *options: str) -> str:
    """The id of a memory that a command adds."""
    return str(answer(mem("add", content, "--json", *options))["id"])
