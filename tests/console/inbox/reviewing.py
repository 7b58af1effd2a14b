"""A reviewer at the page of the inbox, and what the server has waiting."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from tests.console.browsing import Browsing
from tests.console.inbox.waiting_items import PROJECT

ROOT = f"/v1/projects/{PROJECT}"
EVENTS = re.compile(r"/events$")
WAIT_S = 20.0


def eventually(holds: Callable[[], Any]) -> bool:
    """Tells if it comes to hold: decisions are sent behind the page."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


@dataclass
class Reviewing:
    """The page with its parts, and a client of the server behind it."""

    browsing: Browsing
    server: httpx2.Client

    @property
    def expect(self) -> Any:
        return pytest.importorskip("playwright.sync_api").expect

    @property
    def page(self) -> Any:
        return self.browsing.page

    @property
    def lines(self) -> Any:
        return self.page.locator(".waiting-line")

    @property
    def card(self) -> Any:
        return self.page.get_by_role("article", name="Item")

    @property
    def told(self) -> Any:
        return self.page.locator(".inbox-told-text")

    def waiting(self) -> list[dict[str, Any]]:
        """All that waits, as the server has it."""
        found: list[dict[str, Any]] = []
        cursor = None
        while True:
            query = {"limit": 200, **({"cursor": cursor} if cursor else {})}
            page = self.server.get(f"{ROOT}/reviews", params=query).json()
            found += page["reviews"]
            if (cursor := page["next_cursor"]) is None:
                return found

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [item for item in self.waiting() if item["kind"] == kind]

    def memory(self, id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.server.get(f"{ROOT}/memories/{id}").json()
        return found

    def change(self, id: str, **fields: Any) -> None:
        """Changes a memory as another client does; without fields by a tag that it has not had."""
        changed = fields or {"tags": [f"theirs-{uuid4().hex[:8]}"]}
        answer = self.server.patch(f"{ROOT}/memories/{id}", json=changed)
        assert answer.status_code == 200, answer.text

    def show(self, item: dict[str, Any]) -> None:
        """Opens an item by its address, and leaves what was written about another."""
        self.browsing.go(f"{PROJECT}/dashboard")
        dashboard = self.page.get_by_role("heading", name="Dashboard")
        leave = self.page.get_by_role("button", name="Leave without saving")
        self.expect(dashboard.or_(leave)).to_be_visible()
        if leave.is_visible():
            leave.click()
        self.expect(dashboard).to_be_visible()
        self.browsing.go(f"{PROJECT}/inbox?at={item['id']}")
        self.expect(self.card).to_have_attribute("data-item", item["id"])

    def unplug_feed(self) -> None:
        """Cuts the feed off, so that the page cannot know what others do."""
        self.page.route(EVENTS, lambda route: route.abort())
        self.page.reload()
        self.expect(self.page.get_by_text("not live")).to_be_visible()

    def press(self, keys: str) -> None:
        for key in keys.split():
            self.page.keyboard.press(key)

    def write(self, words: str) -> None:
        """Writes words into the form that is open, and saves them by key."""
        self.page.get_by_role("dialog").get_by_label("Words").fill(words)
        self.press("Control+Enter")
