"""Folder whose git configuration names its project."""

from __future__ import annotations

from pathlib import Path


def name_project(folder: Path, project: str) -> None:
    """Sets what `git config memory-layer.project` sets."""
    git = folder / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    (git / "config").write_text(f"[memory-layer]\n\tproject = {project}\n", "utf-8")
