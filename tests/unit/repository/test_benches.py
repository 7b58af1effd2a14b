"""What is run by hand alone still runs: every benchmark finds what it is made of."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests import bench

NAMES = sorted(path.stem for path in Path(bench.__path__[0]).glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_can_be_loaded(name: str) -> None:
    assert import_module(f"tests.bench.{name}").__doc__
