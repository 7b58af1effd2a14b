"""Bytecode in a function's folder: ours, the same at any date and place, and taken without a look at the source."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.bytecode import TASK, add_bytecode
from infra.code_assets import CodeAssets
from infra.deployment import read_deployment
from infra.errors import BadDeployment
from memory_layer.manifest.functions import FUNCTIONS, Function
from tests.given import REPOSITORY
from tests.infra.conftest import DEV

(RECALL,) = (function for function in FUNCTIONS if function.name == "recall")


def folder_of(staging: Path, function: Function = RECALL) -> Path:
    return CodeAssets(REPOSITORY, staging, read_deployment(DEV)).function_folder(function)


def bytecode_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.pyc")}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = folder_of(tmp_path_factory.mktemp("staging"))
    add_bytecode(folder, sys.executable)
    return folder


def test_each_module_has_bytecode_that_is_the_same_at_another_place_and_date(
    compiled: Path, tmp_path: Path
) -> None:
    """A function whose code is the same is not deployed again."""
    again = folder_of(tmp_path / "elsewhere" / "two")
    for path in again.rglob("*.py"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    add_bytecode(again, sys.executable)
    made = bytecode_of(compiled)
    assert made == bytecode_of(again)
    assert len(made) == len(list(compiled.rglob("*.py"))) > 100


def test_it_is_never_compared_with_its_source_and_names_the_place_in_the_cloud(compiled: Path) -> None:
    """Lambda's zip has other dates than the source had: by them each module would be compiled anew."""
    for name, content in bytecode_of(compiled).items():
        assert int.from_bytes(content[4:8], "little") == 0b01, name
        assert str(compiled).encode() not in content
    handler = next(iter((compiled / "functions" / "recall" / "__pycache__").glob("handler.*.pyc")))
    assert f"{TASK}/functions/recall/handler.py".encode() in handler.read_bytes()


def test_it_is_what_runs(compiled: Path) -> None:
    """Falls where the bytecode is passed over: the source says something else."""
    (compiled / "functions" / "wiring.py").write_text("raise AssertionError('compiled anew')")
    program = (
        f"import sys; sys.path.insert(0, {str(compiled)!r}); import functions.wiring as w; print(w.__file__)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == str(compiled / "functions" / "wiring.py")


def test_without_the_clouds_python_the_deployment_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assets = CodeAssets(REPOSITORY, tmp_path, read_deployment({**DEV, "bytecode": "true"}))
    with pytest.raises(BadDeployment, match=r"bytecode: python3\.13 does not run here.*leave bytecode out"):
        assets.function_folder(RECALL)
