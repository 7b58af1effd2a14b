"""The lines that tell what was done: what can be taken back stays, and nothing goes while somebody is at it.

The browser's clock is the test's own, so that nobody waits.
"""

from __future__ import annotations

import re

import httpx2
import pytest

from tests.console.browsing import Browsing

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

ROOT = "/v1/projects/told"
SAID = "The lift of the warehouse carries two tonnes."
LONG_MS = 60 * 60_000
BRIEF_MS = 9_000


@pytest.fixture
def shown(browsing: Browsing, link: str, server: httpx2.Client) -> Browsing:
    """Page of a memory of its own, under a clock that the test turns."""
    stored = {"content": SAID, "on_duplicate": "create"}
    id = server.post(f"{ROOT}/memories", json=stored).json()["id"]
    browsing.page.clock.install()
    browsing.open(link)
    browsing.go(f"told/memories/{id}")
    expect(browsing.page.locator(".memory-words")).to_have_text(SAID)
    return browsing


def press(browsing: Browsing, name: str) -> None:
    browsing.page.get_by_role("toolbar", name="Actions").get_by_role("button", name=name, exact=True).click()


def test_a_way_back_stays_until_it_is_taken(shown: Browsing) -> None:
    """Falls where a line goes by itself: who reads slowly would find no way back."""
    told = shown.page.get_by_role("status")
    press(shown, "Archive")
    expect(told).to_contain_text("Archived")
    shown.page.clock.fast_forward(LONG_MS)
    told.get_by_role("button", name="Undo").click()
    expect(told).to_contain_text("Taken back")
    expect(shown.page.locator("main .badge", has_text="active").first).to_be_visible()


def test_what_cannot_be_taken_back_goes_by_itself_but_not_from_under_the_pointer(shown: Browsing) -> None:
    told = shown.page.get_by_role("status")
    press(shown, "Worked")
    told.locator(".toast").hover()
    shown.page.clock.fast_forward(LONG_MS)
    expect(told.locator(".toast")).to_have_count(1)
    shown.page.mouse.move(1, 1)
    told.get_by_role("button", name="Dismiss").focus()
    shown.page.clock.fast_forward(LONG_MS)
    expect(told.locator(".toast")).to_have_count(1)
    shown.page.locator("#main").focus()
    shown.page.clock.fast_forward(BRIEF_MS)
    expect(told.locator(".toast")).to_have_count(0)


def test_news_makes_way_for_a_way_back_and_not_the_other_way_round(shown: Browsing) -> None:
    """Falls where the oldest line goes first, whatever it says."""
    told = shown.page.get_by_role("status")
    press(shown, "Pin")
    expect(told.get_by_role("button", name="Undo")).to_have_count(1)
    for place in range(1, 5):
        with shown.page.expect_response(re.compile("/outcome$")):
            press(shown, "Worked")
        expect(told.locator(".toast")).to_have_count(min(place + 1, 3))
    expect(told.get_by_role("button", name="Undo")).to_have_count(1)
    told.get_by_role("button", name="Dismiss").first.click()
    expect(told.get_by_role("button", name="Undo")).to_have_count(0)
