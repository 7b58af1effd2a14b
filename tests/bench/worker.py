"""One process of a benchmark: the product of one checkout does one task, and writes what was found as JSON.

    python -m tests.bench.worker TASK_FILE RESULT_FILE

The measuring code is that of this checkout; the product, and the module product.py that calls it, are those of the
checkout that the environment names (`run_worker`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
CHECKOUT = "BENCH_CHECKOUT"


@cache
def product() -> ModuleType:
    """The module product.py of the checkout under test; this one's, where that has none."""
    file = Path(os.environ.get(CHECKOUT, ROOT)) / "tests" / "bench" / "product.py"
    if not file.exists():
        file = ROOT / "tests" / "bench" / "product.py"
    spec = spec_from_file_location("tests.bench.product_under_test", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no module")
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def environment(checkout: Path) -> dict[str, str]:
    """Environment of a process that runs this checkout's product."""
    path = os.pathsep.join([str(checkout / "shared"), str(ROOT)])
    return os.environ | {"PYTHONPATH": path, CHECKOUT: str(checkout), "PYTHONDONTWRITEBYTECODE": ""}


def interpreter(checkout: Path) -> str:
    """The interpreter of this checkout's environment; the one that runs, where it has none."""
    own = checkout / ".venv" / "bin" / "python"
    return str(own) if own.exists() else sys.executable


def run_worker(checkout: Path, task: str, **given: Any) -> dict[str, Any]:
    """Does a task in a process of the checkout; a failure is an answer with `problem`."""
    with tempfile.TemporaryDirectory() as folder:
        asked, result = Path(folder) / "task.json", Path(folder) / "result.json"
        asked.write_text(json.dumps({"task": task, **given}))
        command = [interpreter(checkout), "-m", "tests.bench.worker", str(asked), str(result)]
        ended = subprocess.run(command, env=environment(checkout), cwd=ROOT, check=False)
        if not result.exists():
            return {"problem": f"the process ended with {ended.returncode}"}
        found: dict[str, Any] = json.loads(result.read_text())
        return found


def main() -> None:
    asked, result = Path(sys.argv[1]), Path(sys.argv[2])
    given = json.loads(asked.read_text())
    try:
        found = _task(given.pop("task"))(**given)
    except Exception as error:  # a measurement that does not run is told in the table
        traceback.print_exc()
        found = {"problem": f"{type(error).__name__}: {error!s:.200}"}
    draft = result.with_suffix(".draft")
    draft.write_text(json.dumps(found))
    draft.rename(result)


def _task(name: str) -> Any:
    """The function of a task: `load`, a section's name, or `answers`."""
    if name == "load":
        return _load
    if name == "answers":
        from tests.bench.same_answers import answers

        return answers
    from tests.bench.sections import SECTIONS

    return SECTIONS[name]


def _load(size: str, texts: list[str], context_share: float, cache: str) -> dict[str, str]:
    from tests.bench.data_folder import Size, loaded_folder

    asked = Size(Size.of(size).records, Size.of(size).projects, tuple(texts), context_share)
    return {"folder": str(loaded_folder(asked, Path(cache), lambda line: print(line, flush=True)))}


if __name__ == "__main__":
    main()
