"""numpy's BLAS takes one core: on more it waits for work that does not come, and takes them from who has some."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import memory_layer

TOLD_WHEN_NUMPY_IS_LOADED = """
import os, sys, tempfile
from pathlib import Path
class Watching:
    def find_spec(self, name, path, target=None):
        if name == "numpy":
            print(os.environ.get("OPENBLAS_NUM_THREADS"))
sys.meta_path.insert(0, Watching())
import memory_layer.cli.app, memory_layer.edge.app, memory_layer.local.server
from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.settings import read_settings
open_embedded(read_settings(data_dir=Path(tempfile.mkdtemp()))).close()
"""


@pytest.mark.parametrize(("set_already", "told"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2")])
def test_blas_is_told_before_numpy_is_loaded_unless_somebody_has_said_otherwise(
    set_already: dict[str, str], told: str
) -> None:
    root = str(Path(memory_layer.__path__[0]).parent)
    done = subprocess.run(
        [sys.executable, "-c", TOLD_WHEN_NUMPY_IS_LOADED],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": root, **set_already},
        timeout=60,
    )
    assert done.stdout.split() == [told]
