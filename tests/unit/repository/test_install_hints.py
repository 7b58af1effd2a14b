"""Hints of how to install it name a checkout: the package is on no registry, and its name there is somebody else's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.given import REPOSITORY

BY_NAME = re.compile(r"memory-layer\[|\b(?:pip|pipx|uv|uvx)\b(?: \w+)* ['\"]?memory-layer\b")
PLACES = ("docs", "shared", "README.md", "CHANGELOG.md", "CONTRIBUTING.md")
TEXTS = frozenset({".py", ".md", ".json", ".toml", ".in"})


def texts(place: Path) -> list[Path]:
    found = [place] if place.is_file() else sorted(place.rglob("*"))
    return [path for path in found if path.suffix in TEXTS and "node_modules" not in path.parts]


@pytest.mark.parametrize("hint", ["pip install 'memory-layer[local]'", "pipx install memory-layer"])
def test_an_installation_by_name_is_found(hint: str) -> None:
    assert BY_NAME.search(hint)


@pytest.mark.parametrize("place", PLACES)
def test_no_hint_installs_it_by_name(place: str) -> None:
    read = texts(REPOSITORY / place)
    assert read
    found = [
        f"{path.relative_to(REPOSITORY)}: {line.strip()}"
        for path in read
        for line in path.read_text("utf-8").splitlines()
        if BY_NAME.search(line)
    ]
    assert found == []
