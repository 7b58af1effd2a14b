"""Each adapter against its framework: a real server here, the framework in an environment of its own.

`make adapters` fetches the frameworks; without one, its tests are skipped.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.test_serve_process import serving
from tests.given import REPOSITORY
from tests.guides.pages import blocks_of

HERE = Path(__file__).parent
ENVIRONMENTS = REPOSITORY / ".venv-adapters"
FRAMEWORKS = sorted(path.parent.name for path in HERE.glob("*/requirements.txt"))
GUIDE = REPOSITORY / "docs" / "guides" / "frameworks.md"
PRINTED = re.compile(r"^print\(.*\)  # (.*)$", re.MULTILINE)

each = pytest.mark.parametrize("framework", FRAMEWORKS)


@pytest.fixture(scope="module")
def url(model_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of `mem serve`, over a fresh folder; each test has a project of its own in it."""
    assert model_dir.is_dir()
    with serving(tmp_path_factory.mktemp("served")) as (_, client):
        yield str(client.base_url).rstrip("/")


@pytest.fixture(scope="module")
def guarded_url(model_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a server that asks for tokens."""
    assert model_dir.is_dir()
    with serving(tmp_path_factory.mktemp("guarded"), "--auth") as (_, client):
        yield str(client.base_url).rstrip("/")


def python_of(framework: str) -> Path:
    environment = ENVIRONMENTS / framework
    if not (environment / ".ready").exists():
        pytest.skip(f"{framework} is not here; make adapters fetches it")
    return environment / "bin" / "python"


def run(*command: str | Path, text: str | None = None, **variables: str) -> str:
    """Output of a program that sees the package and nothing of this repository's configuration.

    Its files lie on the disk: the size of an empty folder, which the reference tells, is another in memory.
    """
    surroundings = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
    ended = subprocess.run(
        list(map(str, command)),
        input=text,
        env={**surroundings, "PYTHONPATH": str(REPOSITORY / "shared"), **variables},
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@each
def test_an_adapter_does_what_its_framework_expects(framework: str, url: str, guarded_url: str) -> None:
    """Runs `tests/integrations/<framework>/*_cases.py` in the framework's environment."""
    options = ["--noconftest", "--config-file=/dev/null", f"--rootdir={REPOSITORY}", "-pno:cacheprovider"]
    cases = sorted((HERE / framework).glob("*_cases.py"))
    variables = {"MEMORY_LAYER_URL": url, "GUARDED_URL": guarded_url}
    run(python_of(framework), "-mpytest", "-q", "--import-mode=importlib", *options, *cases, **variables)


@each
def test_the_guides_example_prints_what_it_says(framework: str, url: str) -> None:
    (example,) = [block for block in blocks_of(GUIDE.read_text("utf-8")) if block.name == framework]
    text = example.text.replace("http://localhost:8080", url).replace('"shop"', f'"guide-{framework}"')
    printed = run(python_of(framework), "-", text=text)
    assert printed.splitlines() == PRINTED.findall(example.text)
