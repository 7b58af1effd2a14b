"""Pictures of pages for the documentation: written where the environment asks for them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.given import REPOSITORY

FOLDER = REPOSITORY / "docs" / "console"
ASKED_BY = "CONSOLE_SCREENSHOTS"
"""Environment variable with which a run of the tests writes the pictures anew: their times and ids differ each time."""


def take(page: Any, name: str) -> None:
    """Takes the picture of what the window shows. Args: name: of the file, without its ending."""
    folder = FOLDER if os.environ.get(ASKED_BY) else None
    picture = page.screenshot(animations="disabled")
    if folder is not None:
        folder.mkdir(exist_ok=True)
        Path(folder / f"{name}.png").write_bytes(picture)
