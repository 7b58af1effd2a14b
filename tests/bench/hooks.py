"""A working day of five coding agents through their hooks: what each hook costs, and what memory puts into the context.

Each hook is a process, handed over to one server, as an agent runs it. Processor times are the hooks' own, of the
process alone; the time until the answer is printed beside them, for a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

from memory_layer.cli.handover.socket_file import SOCKET_NAME
from tests.coding_days.replay import DAYS, KNOWN, ReplayedDay, hooks_of, replay
from tests.named_folder import name_project

PROGRAM: Final = (sys.executable, "-m", "memory_layer.cli.main")
FREE_PORT: Final = "0"


def measured_day(name: str, folder: Path) -> dict[str, Any]:
    """Figures of one agent's day, in a folder of its own."""
    root, data = folder / "shop", folder / "data"
    name_project(root, "shop")
    environ = {**os.environ, "MEMORY_LAYER_DATA": str(data), "PYTHONPATH": os.pathsep.join(sys.path)}
    server = subprocess.Popen(
        [*PROGRAM, "serve", "--port", FREE_PORT], env=environ, stdout=subprocess.DEVNULL
    )
    try:
        while not (data / SOCKET_NAME).exists():
            sleep(0.05)
        for said in KNOWN.values():
            subprocess.run(
                [*PROGRAM, "add", *said], cwd=root, env=environ, check=True, stdout=subprocess.DEVNULL
            )
        return _figures(name, root, environ)
    finally:
        server.terminate()
        server.wait()


def _figures(name: str, root: Path, environ: Mapping[str, str]) -> dict[str, Any]:
    processor, elapsed = [], []

    def run_hook(agent: str, event: str, given: str) -> str:
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), monotonic()
        done = subprocess.run(
            [*PROGRAM, "hook", agent, event],
            input=given.encode(),
            cwd=root,
            env=environ,
            capture_output=True,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        elapsed.append(1_000 * (monotonic() - began))
        processor.append(1_000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
        return done.stdout.decode()

    with tempfile.TemporaryDirectory() as transcripts:
        day = replay(name, root, Path(transcripts), run_hook)
    runs = subprocess.run(
        [*PROGRAM, "runs", "--json"], cwd=root, env=environ, capture_output=True, check=True
    )
    return _row(name, day, processor, elapsed, json.loads(runs.stdout)["runs"])


def _row(
    name: str, day: ReplayedDay, processor: list[float], elapsed: list[float], runs: list[Any]
) -> dict[str, Any]:
    return {
        "agent": name,
        "hooks": len(list(hooks_of(name))),
        "processor_ms_p50": statistics.median(processor),
        "processor_ms_p95": statistics.quantiles(processor, n=20)[-1],
        "elapsed_ms_p50": statistics.median(elapsed),
        "elapsed_ms_p95": statistics.quantiles(elapsed, n=20)[-1],
        "pages": len(day.pages),
        "tokens": day.tokens,
        "runs": len(runs),
        "learned": sum(run.get("promoted", 0) for run in runs),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--agent", choices=DAYS, action="append")
    asked = parser.parse_args()
    rows = []
    for name in asked.agent or DAYS:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measured_day(name, Path(folder)))
    print("agent     hooks  processor p50/p95 ms   elapsed p50/p95 ms   pages  tokens  runs  learned")
    for row in rows:
        print(
            f"{row['agent']:9} {row['hooks']:5}  {row['processor_ms_p50']:9.0f} {row['processor_ms_p95']:9.0f}   "
            f"{row['elapsed_ms_p50']:9.0f} {row['elapsed_ms_p95']:9.0f}   {row['pages']:6} {row['tokens']:7} "
            f"{row['runs']:5} {row['learned']:8}"
        )
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=2), "utf-8")


if __name__ == "__main__":
    main()
