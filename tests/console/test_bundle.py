"""The built bundle: the size of what the first page loads, and where its parts come from."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from memory_layer.console.bundle import BUNDLE, read_bundle

WEB = BUNDLE.parent / "web"
FIRST_LOAD_MAX_BYTES = 60_000
IMPORTED = re.compile(r"""(?:from|import)\s*["']\./([\w.-]+\.js)["']""")
FIRST_PAGE = "dashboard-"

pytestmark = pytest.mark.skipif(not read_bundle(), reason="the console is not built; make console builds it")


def first_load() -> set[str]:
    """Files that a browser loads until the first page is shown."""
    index = (BUNDLE / "index.html").read_text("utf-8")
    todo = [Path(path).name for path in re.findall(r'(?:src|href)="(console/[^"]+)"', index)]
    todo += [path.name for path in (BUNDLE / "console").glob(f"{FIRST_PAGE}*.js")]
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += IMPORTED.findall((BUNDLE / "console" / name).read_text("utf-8"))
    return found


def test_the_first_page_loads_at_most_60_kb() -> None:
    names = first_load()
    assert any(name.startswith(FIRST_PAGE) for name in names)
    sizes = {name: len(gzip.compress((BUNDLE / "console" / name).read_bytes())) for name in names}
    sizes["index.html"] = len(gzip.compress((BUNDLE / "index.html").read_bytes()))
    assert sum(sizes.values()) <= FIRST_LOAD_MAX_BYTES, sizes


def test_the_page_has_no_script_or_style_inside_it_and_nothing_from_elsewhere() -> None:
    index = (BUNDLE / "index.html").read_text("utf-8")
    assert [text for text in re.findall(r"<script[^>]*>(.*?)</script>", index, re.DOTALL) if text] == []
    assert "<style" not in index
    assert re.findall(r"(?:src|href)=\"(?:https?:)?//", index) == []


def test_the_lock_names_no_host_and_pins_every_package() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text("utf-8"))
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert all("resolved" not in one for one in packages.values())
    assert [name for name, one in packages.items() if "integrity" not in one and not one.get("link")] == []
