"""What starting `mem` may load: an allowlist, so that help and version stay quick."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import memory_layer

ALLOWED = {"memory_layer", "typer", "annotated_doc", "annotated_types", "typing_extensions", "shellingham"}
PYTHON_LOADS_ITSELF = {"sitecustomize", "usercustomize"}
TYPER_READS_VALUES_WITH = {"pydantic", "pydantic_core", "typing_inspection"}
OURS_ALLOWED = ("memory_layer.cli", "memory_layer.manifest", "memory_layer.version", "memory_layer.domain")
ASKS_OF_A_SERVICE = {"memory_layer.wire", "memory_layer.wire.message", "memory_layer.wire.problem"}
COUNTS = {"memory_layer.ports", "memory_layer.ports.counting"}
REPORT = (
    "import atexit, sys; atexit.register(lambda: print(*sorted(sys.modules), sep='\\n', file=sys.stderr));"
    "sys.argv[0] = 'mem'; from memory_layer.cli.main import main; main()"
)


def loaded_by(*arguments: str) -> set[str]:
    """Every module that a command has imported when it ends."""
    root = Path(memory_layer.__path__[0]).parent
    command = [sys.executable, "-c", REPORT, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(root)}, timeout=60
    )
    assert done.stdout
    return set(done.stderr.split())


@pytest.mark.parametrize("arguments", [["--help"], ["version"], ["search", "--help"], ["settings", "--help"]])
def test_help_and_version_load_neither_the_model_nor_the_store_nor_the_web(arguments: list[str]) -> None:
    modules = loaded_by(*arguments)
    foreign = {name.partition(".")[0] for name in modules} - {*sys.stdlib_module_names, *PYTHON_LOADS_ITSELF}
    assert {name for name in foreign if not name.startswith("_")} <= ALLOWED | TYPER_READS_VALUES_WITH
    ours = {name for name in modules if name.startswith("memory_layer.")}
    assert {name for name in ours if not name.startswith(OURS_ALLOWED)} <= ASKS_OF_A_SERVICE | COUNTS


def test_a_command_that_is_handed_over_loads_next_to_nothing() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys; import memory_layer.cli.main; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(memory_layer.__path__[0]).parent)},
        timeout=60,
    ).stdout.split()
    foreign = {name.partition(".")[0] for name in loaded} - {*sys.stdlib_module_names, *PYTHON_LOADS_ITSELF}
    assert {name for name in foreign if not name.startswith("_")} == {"memory_layer"}
    assert {"dataclasses", "inspect", "asyncio", "logging"}.isdisjoint(loaded)


def test_a_typical_cosine_does_not_load_masked_arrays() -> None:
    """Falls where it calls numpy.quantile."""
    program = (
        "import sys; import numpy as np; from memory_layer.domain.retrieval.abstention import typical_cosine;"
        "typical_cosine(np.eye(64, dtype=np.int8), np.ones(64, np.float32)); print('numpy.ma' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={"PYTHONPATH": str(Path(memory_layer.__path__[0]).parent)},
    )
    assert done.stdout.strip() == "False"


NOT_FOR_A_RECALL = {
    "numpy.ma",
    "cryptography",
    "jwt",
    "aws_lambda_powertools",
    "uvicorn",
    "mcp",
    "onnx",
    "asyncio",
    "memory_layer.domain.safety.quarantine",
}


def test_a_recall_does_not_load_masked_arrays_nor_what_serves(tmp_path: Path) -> None:
    """Masked arrays are a third of what numpy takes to load. Falls where postings.py calls numpy.unique, or
    tokens.py imports jwt at its top, or answers of recalls are made beside those of writes, whose patterns take a fifth
    of a start."""
    said = ("--data", str(tmp_path), "-p", "shop")
    loaded_by("add", "Ada Lovelace keeps the ledger", *said)
    modules = loaded_by("search", "What does Ada Lovelace keep?", *said)
    assert "numpy" in modules
    assert modules & NOT_FOR_A_RECALL == set()
