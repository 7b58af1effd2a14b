"""Commands of the memory tool on a data folder, and the paths and sizes that they tell."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_layer.client import Memory
from memory_layer.integrations.memory_commands import MemoryCommands, RefusedCommand, file_size, inner_path
from memory_layer.integrations.memory_files import MemoryFiles


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryCommands]:
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(tmp_path / "no-model"))
    with Memory(folder=tmp_path / "data", project="shop") as client:
        yield MemoryCommands(MemoryFiles(client))


def test_files_lie_in_folders_that_stay(commands: MemoryCommands) -> None:
    assert (
        commands.create("/memories/a/b.md", "one\ntwo\n") == "File created successfully at: /memories/a/b.md"
    )
    assert commands.view("/memories/a/b.md").endswith("     1\tone\n     2\ttwo\n     3\t")
    assert (
        commands.rename("/memories/a", "/memories/c/d") == "Successfully renamed /memories/a to /memories/c/d"
    )
    assert commands.view("/memories").splitlines()[1:] == [
        "4K\t/memories",
        "4K\t/memories/c/",
        "4K\t/memories/c/d/",
    ]
    commands.delete("/memories/c/d/b.md")
    assert commands.view("/memories/c").splitlines()[1:] == ["4K\t/memories/c", "4K\t/memories/c/d/"]
    commands.create("/memories/x", "text")
    with pytest.raises(RefusedCommand, match="is a file"):
        commands.create("/memories/x/y", "text")


@pytest.mark.parametrize(
    ("path", "inner"),
    [
        ("/memories", ""),
        ("/memories/", ""),
        ("/memories//a/./b/", "a/b"),
        ("/memories/a/../b", "b"),
        ("/memories/../memories/a", "a"),
    ],
)
def test_a_path_has_one_form(path: str, inner: str) -> None:
    assert inner_path(path) == inner


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "memories/a", "", "/memories/..", "/memories/a/../../b", "/memories/../.."]
)
def test_a_path_out_of_the_root_is_refused(path: str) -> None:
    """Falls where a path reaches what is not the owner's."""
    with pytest.raises(RefusedCommand, match=r"must start with /memories|would escape /memories"):
        inner_path(path)


@pytest.mark.parametrize(
    ("size", "told"), [(0, "0B"), (1023, "1023B"), (1024, "1K"), (1536, "1.5K"), (3 * 1024**2, "3M")]
)
def test_a_size_is_told_for_people(size: int, told: str) -> None:
    assert file_size(size) == told


def test_the_package_loads_no_framework() -> None:
    """Falls where an import of the product needs a framework of agents."""
    program = (
        "import sys, memory_layer.client, memory_layer.integrations.mcp_proxy\n"
        "frameworks = {'langgraph', 'langchain_core', 'anthropic', 'agents', 'strands', 'google', 'mcp', 'pydantic'}\n"
        "print(sorted(frameworks & {name.partition('.')[0] for name in sys.modules}))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
