"""The page of what an agent would get, in a browser: what each memory takes of it, and what is left out."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from tests.console import screenshots
from tests.console.browsing import AXE, Browsing
from tests.console.seeds import PROJECT
from tests.run_examples import loop

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

INTENT = "Write numbers as JSON"
KNOWN = "json.dumps writes NaN"
ASKED = f"{PROJECT}/agent?q={INTENT.replace(' ', '+')}"


def rendered(browsing: Browsing) -> Any:
    return browsing.page.locator(".rendered")


def measured(browsing: Browsing) -> Any:
    return browsing.page.locator(".evidence")


def shares(browsing: Browsing) -> Any:
    return browsing.page.locator(".share-line")


@pytest.mark.parametrize("browsing", ["light", "dark"], indirect=True)
def test_the_page_breaks_no_rule_of_accessibility(browsing: Browsing, link: str) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not here; make console fetches it")
    browsing.open(link)
    browsing.go(f"{ASKED}&tokens=600")
    expect(rendered(browsing)).to_contain_text(KNOWN)
    assert browsing.broken_rules() == []
    if browsing.page.evaluate("() => matchMedia('(prefers-color-scheme: light)').matches"):
        screenshots.take(browsing.page, "agent")


@pytest.mark.parametrize("width", [360, 768, 2560])
def test_the_page_is_not_wider_than_its_window(browsing: Browsing, link: str, width: int) -> None:
    browsing.page.set_viewport_size({"width": width, "height": 800})
    browsing.open(link)
    browsing.go(ASKED)
    expect(rendered(browsing)).to_contain_text(KNOWN)
    assert browsing.page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_the_page_is_the_very_text_that_the_api_gives(
    browsing: Browsing, link: str, server: httpx2.Client
) -> None:
    browsing.open(link)
    browsing.go(f"{ASKED}&format=json")
    expect(rendered(browsing)).to_contain_text(KNOWN)
    body = {"intent": INTENT, "format": "json", "budgets": {"tokens_max": 4000, "time_ms": 5000}}
    context = server.post(f"/v1/projects/{PROJECT}/context", json=body).json()
    assert rendered(browsing).inner_text() == context["rendered"]
    expect(measured(browsing)).to_contain_text(f"{context['metadata']['total_tokens']:,} of 4,000 tokens")
    expect(shares(browsing).first).to_contain_text(f"{context['fragments'][0]['token_cost']} tokens")


def test_a_smaller_budget_leaves_more_out_and_says_why(browsing: Browsing, link: str) -> None:
    browsing.open(link)
    browsing.go(ASKED)
    expect(rendered(browsing)).to_contain_text(KNOWN)
    before = shares(browsing).count()
    browsing.page.get_by_role("slider").fill("300")
    expect(browsing.page).to_have_url(re.compile("tokens=300"))
    expect(measured(browsing)).to_contain_text("of 300 tokens")
    expect(browsing.page.get_by_role("region", name="Left out")).to_contain_text("no room left in the budget")
    assert shares(browsing).count() < before
    browsing.page.get_by_role("slider").fill("0")
    expect(browsing.page.get_by_text("All that bears on it was left out")).to_be_visible()


def test_a_persona_sees_its_own_and_nobody_elses(
    browsing: Browsing, link: str, server: httpx2.Client
) -> None:
    said = "Ben's staging tenant for the carrier interface is called gull."
    stored = {"content": said, "persona": "ben"}
    assert server.post("/v1/projects/personas/memories", json=stored).status_code == 201
    browsing.open(link)
    browsing.go("personas/agent?q=staging+tenant&persona=ben")
    expect(rendered(browsing)).to_contain_text("gull")
    browsing.page.get_by_label("Persona").fill("ada")
    browsing.page.keyboard.press("Enter")
    expect(browsing.page.get_by_text("Nothing that bears on it is known")).to_be_visible()


def test_prompts_are_shown_with_the_share_of_each_entry(
    browsing: Browsing, link: str, server: httpx2.Client
) -> None:
    browsing.open(link)
    browsing.go(f"{PROJECT}/agent?view=memories")
    expect(browsing.page.get_by_text("Say a task")).to_be_visible()
    browsing.page.get_by_label("Task").fill(INTENT)
    browsing.page.get_by_label("Memories at most").fill("4")
    browsing.page.keyboard.press("Enter")
    expect(measured(browsing)).to_contain_text("4 memories")
    expect(shares(browsing)).to_have_count(5)  # headings are the last
    assert server.post("/v1/projects/taught/runs", json=loop("run-1")).status_code == 201
    browsing.go("taught/agent?view=knowledge&q=Fix+failing+authentication+tests")
    expect(rendered(browsing)).to_contain_text("Syntax errors")
    expect(shares(browsing).first).to_contain_text("tokens")
