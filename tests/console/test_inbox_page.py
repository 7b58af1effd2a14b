"""The inbox in a browser: much that waits is decided by keys alone, and what changed meanwhile is never overwritten."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.console import screenshots
from tests.console.browsing import AXE, Browsing
from tests.console.waiting_items import PROJECT, fill
from tests.e2e.test_serve_process import PROGRAM, serving

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect  # noqa: E402

ITEMS = int(os.environ.get("INBOX_ITEMS", "48"))
"""Items that the run by keyboard decides; 200 shows it at the size of a bad week."""

KINDS_FILLED = 7.0
KEYS_AN_ITEM = 3
ROOT = f"/v1/projects/{PROJECT}"


@pytest.fixture(scope="module")
def data(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    del chromium  # nothing is filled where there is no browser
    folder = tmp_path_factory.mktemp("inbox") / "data"
    fill(folder, max(8, round(ITEMS / KINDS_FILLED)))
    return folder


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[httpx2.Client]:
    with serving(data) as (_, client):
        yield client


@pytest.fixture
def inbox(browsing: Browsing, data: Path, server: httpx2.Client) -> Browsing:
    """The page of the inbox, with all that waits in sight."""
    command = [sys.executable, "-c", PROGRAM, "console", "--data", str(data)]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    browsing.open(told.strip())
    browsing.go(f"{PROJECT}/inbox")
    expect(lines(browsing).first).to_be_visible()
    return browsing


def lines(browsing: Browsing) -> Any:
    return browsing.page.locator(".waiting-line")


def card(browsing: Browsing) -> Any:
    return browsing.page.get_by_role("article", name="Item")


def told(browsing: Browsing) -> Any:
    return browsing.page.locator(".inbox-told-text")


def waiting(server: httpx2.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        query = {"limit": 200, **({"cursor": cursor} if cursor else {})}
        page = server.get(f"{ROOT}/reviews", params=query).json()
        found += page["reviews"]
        if (cursor := page["next_cursor"]) is None:
            return found


def of_kind(server: httpx2.Client, kind: str) -> list[dict[str, Any]]:
    return [item for item in waiting(server) if item["kind"] == kind]


def show(inbox: Browsing, item: dict[str, Any]) -> None:
    """Opens an item by its address."""
    inbox.go(f"{PROJECT}/dashboard")
    expect(inbox.page.get_by_role("heading", name="Dashboard")).to_be_visible()
    inbox.go(f"{PROJECT}/inbox?at={item['id']}")
    expect(inbox.page).to_have_url(re.compile(f"at={item['id']}"))
    expect(card(inbox)).to_contain_text(item.get("content") or item["memories"][0]["content"])


def press(inbox: Browsing, keys: str) -> None:
    for key in keys.split():
        inbox.page.keyboard.press(key)


@pytest.mark.parametrize("browsing", ["light", "dark"], indirect=True)
def test_the_inbox_breaks_no_rule_of_accessibility(inbox: Browsing, server: httpx2.Client) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not here; make console fetches it")
    show(inbox, of_kind(server, "doubted")[0])
    expect(card(inbox)).to_contain_text("Proposed instead")
    assert inbox.broken_rules() == []
    if inbox.page.evaluate("() => matchMedia('(prefers-color-scheme: light)').matches"):
        screenshots.take(inbox.page, "inbox")


@pytest.mark.parametrize("width", [360, 768, 2560])
def test_the_inbox_is_not_wider_than_its_window(inbox: Browsing, width: int) -> None:
    inbox.page.set_viewport_size({"width": width, "height": 800})
    expect(card(inbox)).to_be_visible()
    assert inbox.page.evaluate("() => document.documentElement.scrollWidth") <= width
