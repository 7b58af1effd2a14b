"""The layers: what is in them follows from pyproject.toml and the lock, and all together fits into Lambda."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from infra.code_assets import CodeAssets
from infra.deployment import read_deployment
from layers.build import (
    DIST,
    TIMESTAMP,
    closure,
    contents,
    date_alike,
    declared,
    locked,
    megabytes,
    needed_by,
    trim,
)
from memory_layer.manifest import layers
from memory_layer.manifest.functions import FUNCTIONS
from tests.given import REPOSITORY

DEPLOYMENT = read_deployment({"profile": "dev", "region": "us-east-1"})

ARCHITECTURES = ("arm64", "x86_64", "host")


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_a_layer_holds_what_functions_import_and_all_that_it_needs(arch: Any) -> None:
    made = contents(arch)
    assert made["base"] >= {
        "aws-lambda-powertools",
        "botocore",
        "numpy",
        "opensearch-py",
        "pydantic-core",
        "urllib3",
    }
    assert made["onnx"] == layers.EMBEDDING
    everything = made["base"] | made["onnx"]
    assert not everything & (layers.LAPTOP_ONLY | layers.LEFT_OUT)
    assert {name for part in everything for name in needed_by(part, {})} <= everything | layers.LEFT_OUT


def test_nothing_is_named_that_nobody_declares_or_needs() -> None:
    assert declared() >= layers.LAPTOP_ONLY | layers.EMBEDDING
    present = closure(declared() - layers.LAPTOP_ONLY, {}) | (layers.LEFT_OUT & declared())
    needed = {name for part in (*present, "boto3", "opensearch-protobufs") for name in needed_by(part, {})}
    assert needed | declared() >= layers.LEFT_OUT


def test_every_distribution_is_the_locks_with_its_hashes() -> None:
    names = contents("arm64")["base"]
    entries = locked(names).splitlines()
    assert len(entries) == len(names)
    assert all("==" in entry and "--hash=sha256:" in entry for entry in entries)


def test_what_nobody_imports_is_taken_out(tmp_path: Path) -> None:
    kept = [
        "numpy/_core/a.so",
        "numpy/a.py",
        "botocore/data/s3/2006-03-01/service-2.json",
        "botocore/data/endpoints.json",
    ]
    trimmed = [
        *("numpy/tests/test_a.py", "numpy/_core/tests/data/b", "numpy/a.pyi", "numpy/f2py/a.py", "bin/f2py"),
        *("botocore/data/ec2/2016-11-15/service-2.json", "botocore/data/s3/2006-03-01/paginators-1.json"),
        "numpy-2.0.dist-info/RECORD",
    ]
    for name in (*kept, *trimmed):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    trim(tmp_path)
    assert sorted(
        str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()
    ) == sorted(kept)


def test_nothing_asks_for_what_was_taken_out_of_botocore() -> None:
    """Pages and waiters need models of their own, and `TRIMMED` names them: the cloud alone would fail."""
    assert {"paginators-1.json", "waiters-2.json"} <= {Path(pattern).name for pattern in layers.TRIMMED}
    sources = (REPOSITORY / "shared" / "memory_layer").rglob("*.py")
    asking = [
        path.name for path in sources if re.search(r"\.get_(paginator|waiter)\(", path.read_text("utf-8"))
    ]
    assert asking == []


def test_the_same_input_makes_the_same_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").write_text("x")
    date_alike(tmp_path)
    assert {path.stat().st_mtime for path in (tmp_path, *tmp_path.rglob("*"))} == {TIMESTAMP}


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_a_function_with_its_layers_is_small_enough(arch: str, function: Any, tmp_path: Path) -> None:
    folders = [DIST / f"{layer}-{arch}" for layer in function.layers]
    if not all(folder.is_dir() for folder in folders):
        pytest.skip(f"the layers are not built for {arch}: run python layers/build.py --arch {arch}")
    own = CodeAssets(REPOSITORY, tmp_path, DEPLOYMENT).function_folder(function)
    assert sum(map(megabytes, [own, *folders])) <= layers.MAX_UNZIPPED_MB


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_no_file_names_the_machine_that_built_it(arch: str) -> None:
    folder = DIST / f"base-{arch}"
    if not folder.is_dir():
        pytest.skip(f"the layers are not built for {arch}: run python layers/build.py --arch {arch}")
    ours = str(REPOSITORY).encode()
    assert not [path for path in folder.rglob("*") if path.is_file() and ours in path.read_bytes()]
