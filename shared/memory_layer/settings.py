"""What the process is told from outside, read in one place."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memory_layer.manifest import env

DATABASE_NAME = "memory.sqlite3"


@dataclass(frozen=True, slots=True)
class Settings:
    """Folders of the embedded backend."""

    data_dir: Path
    model_dir: Path

    @property
    def database(self) -> Path:
        return self.data_dir / DATABASE_NAME


def read_settings(
    environ: Mapping[str, str] = os.environ, *, data_dir: Path | None = None, model_dir: Path | None = None
) -> Settings:
    """Settings from the environment; what is given by hand goes before it."""
    home = Path(environ.get("HOME", "~")).expanduser()
    data = data_dir or Path(environ.get(env.DATA_DIR) or home / ".memory-layer")
    model = model_dir or Path(environ.get(env.MODEL_DIR) or home / ".cache" / "memory-layer" / "models")
    return Settings(data.expanduser(), model.expanduser())
