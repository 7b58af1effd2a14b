"""numpy's BLAS takes one core: on more it waits for work that does not come, and takes them from who has some."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COUNTS_OF_A_LIBRARY = """
import tempfile
from pathlib import Path
import numpy
from threadpoolctl import threadpool_info, threadpool_limits
from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.settings import read_settings
def said():
    print([pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"])
threadpool_limits(3, user_api="blas")
said()
first, second = (open_embedded(read_settings(data_dir=Path(tempfile.mkdtemp()))) for _ in range(2))
said()
first.close()
said()
second.close()
said()
"""

TOLD_WHEN_NUMPY_IS_LOADED = """
import os, sys
class Watching:
    def find_spec(self, name, path, target=None):
        if name == "numpy":
            print(os.environ.get("OPENBLAS_NUM_THREADS"), file=sys.stderr)
sys.meta_path.insert(0, Watching())
sys.argv = ["mem", "list"]
from memory_layer.cli.main import main
main()
"""


def run(program: str, tmp_path: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    importable = os.pathsep.join(path for path in sys.path if path)
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": importable, "MEMORY_LAYER_DATA": str(tmp_path), **environ},
        timeout=60,
    )


@pytest.mark.parametrize(
    ("environ", "threads"),
    [({}, ["[3]", "[1]", "[1]", "[3]"]), ({"OMP_NUM_THREADS": "2"}, ["[3]"] * 4)],
)
def test_a_host_has_its_threads_back_once_all_backends_are_closed(
    environ: dict[str, str], threads: list[str], tmp_path: Path
) -> None:
    """Falls where a backend does not hold the limit, or the first to close ends it for the others."""
    assert run(COUNTS_OF_A_LIBRARY, tmp_path, **environ).stdout.split("\n")[:-1] == threads


@pytest.mark.parametrize(("set_already", "told"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2")])
def test_a_command_tells_blas_before_numpy_is_loaded_unless_somebody_has_said_otherwise(
    set_already: dict[str, str], told: str, tmp_path: Path
) -> None:
    assert run(TOLD_WHEN_NUMPY_IS_LOADED, tmp_path, **set_already).stderr.split()[:1] == [told]
