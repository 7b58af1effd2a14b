"""Each adapter against its framework: a real server here, the framework in an environment of its own.

`make adapters` fetches the frameworks; without one, its tests are skipped.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.test_serve_process import serving
from tests.given import REPOSITORY

HERE = Path(__file__).parent
ENVIRONMENTS = REPOSITORY / ".venv-adapters"
FRAMEWORKS = sorted(path.parent.name for path in HERE.glob("*/requirements.txt"))


@pytest.fixture(scope="module")
def url(model_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of `mem serve`, over a fresh folder; each test has a project of its own in it."""
    assert model_dir.is_dir()
    with serving(tmp_path_factory.mktemp("served")) as (_, client):
        yield str(client.base_url).rstrip("/")


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_an_adapter_does_what_its_framework_expects(framework: str, url: str) -> None:
    """Runs `tests/integrations/<framework>/*_cases.py` in the framework's environment."""
    environment = ENVIRONMENTS / framework
    if not (environment / ".ready").exists():
        pytest.skip(f"{framework} is not here; make adapters fetches it")
    ended = subprocess.run(
        [environment / "bin" / "python", "-m", "pytest", "-q", *_options(), *_cases(framework)],
        env={**os.environ, "MEMORY_LAYER_URL": url, "PYTHONPATH": str(REPOSITORY / "shared")},
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def _options() -> list[str]:
    """Options by which nothing of this repository's own configuration is loaded there."""
    return [
        "--noconftest",
        "--config-file=/dev/null",
        f"--rootdir={REPOSITORY}",
        "--import-mode=importlib",
        "-pno:cacheprovider",
    ]


def _cases(framework: str) -> list[str]:
    return sorted(map(str, (HERE / framework).glob("*_cases.py")))
