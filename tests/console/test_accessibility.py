"""Every place of the console under the rules of accessibility: in both themes, on a narrow window and on a wide one.

A page is loaded once a theme; its places are opened one after the other, and each window width is tried on each.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.console.browsing import AXE, Browsing
from tests.console.places import PLACES, SOURCES, leave, show, tell, without_a_place
from tests.e2e.test_serve_process import PROGRAM

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

WIDTHS = (1280, 360)
PROJECT = "everything"


@pytest.fixture(scope="session")
def memory(server: httpx2.Client, data: Path) -> str:
    """A memory with a history, in a project that has something on each page."""
    if not AXE.is_file():
        pytest.skip("axe-core is not here; make console fetches it")
    told = tell(server, PROJECT, agent=server)
    command = [sys.executable, "-c", PROGRAM, "sweep", "consolidate", "--data", str(data)]
    subprocess.run(command, capture_output=True, check=True, timeout=120)
    return told


@pytest.fixture(scope="module", params=["light", "dark"])
def shown(
    chromium: Any, server: httpx2.Client, data: Path, memory: str, request: pytest.FixtureRequest
) -> Iterator[Browsing]:
    """Page of one theme, in which somebody has signed in."""
    del memory
    context = chromium.new_context(color_scheme=request.param, locale="en-GB")
    found = Browsing(context.new_page(), str(server.base_url).rstrip("/"))
    command = [sys.executable, "-c", PROGRAM, "console", "--data", str(data)]
    link = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.strip()
    found.open(link)
    yield found
    found.may_be_refused = True
    found.page.goto("about:blank")
    found.page.goto(link)
    expect(found.page.get_by_label("Or paste a token")).to_be_visible()
    at_sign_in = rules_broken_at_each_width(found)
    context.close()
    assert at_sign_in == []
    assert found.complaints == []


def rules_broken_at_each_width(browsing: Browsing) -> list[str]:
    broken = []
    for width in WIDTHS:
        browsing.page.set_viewport_size({"width": width, "height": 860})
        broken += [f"{width} px: {rule}" for rule in browsing.broken_rules()]
    return broken


@pytest.mark.parametrize("place", PLACES)
def test_no_place_breaks_a_rule_of_accessibility(shown: Browsing, memory: str, place: str) -> None:
    """Falls where a frame that scrolls cannot be reached by keyboard, or a theme is too pale."""
    shown.page.set_viewport_size({"width": WIDTHS[0], "height": 860})
    show(shown, PROJECT, memory, place)
    broken = rules_broken_at_each_width(shown)
    leave(shown)
    assert broken == []


def test_every_page_and_every_view_is_a_place() -> None:
    """Falls where a page or a view of a memory is added whose accessibility nobody looks at."""
    assert without_a_place(SOURCES) == set()
