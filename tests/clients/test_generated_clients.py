"""Clients that the usual generators make of openapi.json compile, and a real server understands them.

`make clients` fetches the generators; without them these tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_serve_process import serving
from tests.given import REPOSITORY

DOCUMENT = REPOSITORY / "docs" / "openapi.json"
HERE = Path(__file__).parent
TOOLS = REPOSITORY / ".venv-clients"
NODE = TOOLS / "node_modules"

pytestmark = pytest.mark.skipif(
    not (TOOLS / ".ready").exists(), reason="the generators are not here; make clients fetches them"
)

TOLD = {
    "same_id": True,
    "replayed": "true",
    "receipt": True,
    "batch": [201, 201],
    "listed": ["convention", "convention", "environment"],
    "recalled": ["The queue keeps messages for four days."],
    "signals": True,
    "imported": 3,
    "missing": 404,
    "twice": [409, "urn:memory-layer:problem:duplicate", True],
}
"""What a client adds, repeats, lists by two categories, recalls, exports and imports, and is refused."""

UNKNOWN_TYPES = {"application/x-ndjson", "text/csv", "text/markdown"}
"""Bodies that the generator of Python clients leaves out, with a warning; JSON and octet-stream are in their place."""

GENERATORS_OWN = "memory_client/client.py"
"""A module that is the same whatever the document says."""

COMPILER_OPTIONS = {
    "strict": True,
    "noUncheckedIndexedAccess": True,
    "target": "es2022",
    "module": "nodenext",
    "types": ["node"],
    "outDir": "out",
}


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Address of `mem serve`, over a fresh folder."""
    with serving(tmp_path / "data") as (_, client):
        yield str(client.base_url)


def _run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    path = f"{TOOLS / 'bin'}{os.pathsep}{os.environ['PATH']}"
    named = {**os.environ, "PATH": path, **environment}
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env=named, capture_output=True, text=True, timeout=300, check=False
    )


def _told(ended: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert ended.returncode == 0, ended.stderr
    told: dict[str, Any] = json.loads(ended.stdout)
    return told


def test_a_python_client_compiles_and_is_understood(tmp_path: Path, url: str) -> None:
    """Falls where a body's types are told apart by what no class is, or a model is called as one of its members."""
    made = _run(
        *(TOOLS / "bin" / "openapi-python-client", "generate", "--meta", "none"),
        *("--path", DOCUMENT, "--output-path", tmp_path / "memory_client"),
        cwd=tmp_path,
    )
    said = (made.stdout + made.stderr).splitlines()
    assert made.returncode == 0, said
    warned = [said[place + 2] for place, line in enumerate(said) if line.startswith("WARNING")]
    left_out = {re.search(r"content.type (\S+?)\)?(?:,|$)", line) for line in warned}
    assert {found and found[1] for found in left_out} <= UNKNOWN_TYPES
    program = shutil.copy(HERE / "use_client.py", tmp_path)
    checked = _run(TOOLS / "bin" / "mypy", "--strict", "memory_client", program, cwd=tmp_path)
    found = [line for line in checked.stdout.splitlines() if ": error:" in line]
    assert [line for line in found if not line.startswith(GENERATORS_OWN)] == []
    assert _told(_run(TOOLS / "bin" / "python", program, url, cwd=tmp_path, PYTHONPATH=str(tmp_path))) == TOLD


def test_a_typescript_client_compiles_and_is_understood(tmp_path: Path, url: str) -> None:
    """Falls where a member with a default is required, or a filter that may be repeated is a text."""
    made = _run(NODE / ".bin" / "openapi-typescript", DOCUMENT, "-o", "api.d.ts", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    shutil.copy(HERE / "use_client.ts", tmp_path)
    (tmp_path / "node_modules").symlink_to(NODE)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    options = {"compilerOptions": COMPILER_OPTIONS, "files": ["use_client.ts", "api.d.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(options))
    compiled = _run(NODE / ".bin" / "tsc", "-p", ".", cwd=tmp_path)
    assert compiled.returncode == 0, compiled.stdout
    assert _told(_run("node", tmp_path / "out" / "use_client.js", url.rstrip("/"), cwd=tmp_path)) == TOLD
