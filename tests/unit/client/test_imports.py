"""A program that imports the client loads the standard library alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.given import REPOSITORY

MEM: Final = "from memory_layer.cli.main import main; main()"
FOREIGN: Final = """
import json, sys
before = set(sys.modules)
{statement}
names = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(json.dumps(sorted(names - set(sys.stdlib_module_names) - {{"memory_layer"}})))
"""


def imported(statement: str) -> list[str]:
    program = FOREIGN.format(statement=statement)
    command = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{program}"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=REPOSITORY)
    names: list[str] = json.loads(ran.stdout)
    return names


@pytest.mark.parametrize(
    "statement",
    [
        "import memory_layer.client",
        "from memory_layer.client import Memory; Memory('http://127.0.0.1:9')",
        "from memory_layer.wire.api import Api; from memory_layer.wire.http import HttpTransport",
    ],
)
def test_nothing_is_loaded_that_has_to_be_installed(statement: str) -> None:
    assert imported(statement) == []


def test_what_has_to_be_installed_is_seen() -> None:
    assert "pydantic" in imported("import memory_layer.edge.app")


def test_the_core_leaves_the_models_unloaded() -> None:
    """`mem` asks a service through it, and starts as quickly."""
    program = "import sys, memory_layer.wire.http, memory_layer.wire.api; print([*sys.modules])"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "memory_layer.client" not in ran.stdout
    assert "asyncio" not in ran.stdout


def test_mem_without_the_engine_says_what_to_install(tmp_path: Path) -> None:
    program = f"import sys; sys.path[:0] = [{str(REPOSITORY / 'shared')!r}]\n{MEM}"
    command = [sys.executable, "-S", "-c", program, "list", "--data", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env={})
    assert ran.returncode == 1
    assert ran.stderr.startswith(
        "mem: the engine is not installed here; run in a checkout: pip install '.[local]'"
    )
    assert len(ran.stderr.splitlines()) == 1
