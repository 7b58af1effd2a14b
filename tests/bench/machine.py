"""Facts of the machine and the checkout that a figure was measured on."""

from __future__ import annotations

import os
import platform
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import numpy as np


def use_cores(count: int | None) -> None:
    """Keeps this process and those it starts on so many cores; None: on all."""
    if count and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])


def machine_facts() -> dict[str, Any]:
    cpu = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    told = dict(line.split(":", 1) for line in cpu.splitlines() if ":" in line)
    named = {name.strip(): value.strip() for name, value in told.items()}
    return {
        "cpu": named.get("model name", platform.processor()),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "vnni": any(flag.endswith("vnni") for flag in named.get("flags", "").split()),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "numpy": np.__version__,
        "sqlite": sqlite3.sqlite_version,
    }


def commit_of(checkout: Path) -> str:
    """Commit of a checkout, with a mark if files differ from it."""
    try:
        head = _git(checkout, "rev-parse", "--short=12", "HEAD")
        return f"{head}{' with changes' if _git(checkout, 'status', '--porcelain', '-uno') else ''}"
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(checkout: Path, *arguments: str) -> str:
    command = ["git", "-C", str(checkout), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def told(facts: dict[str, Any]) -> str:
    """One line of facts."""
    return ", ".join(f"{name} {value}" for name, value in facts.items())
