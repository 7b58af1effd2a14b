"""The page Search: each way to search, why each answer was found, abstention, and outcomes by reference."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from tests.console import screenshots
from tests.console.browsing import AXE, Browsing
from tests.console.told_memory import ToldMemory, tell

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

QUESTION = "How long does the billing queue keep messages?"


@pytest.fixture(scope="session")
def told(server: httpx2.Client) -> ToldMemory:
    return tell(server, "searched")


def hits(browsing: Browsing) -> Any:
    return browsing.page.locator(".hit")


def ask(browsing: Browsing, link: str, told: ToldMemory, question: str = QUESTION) -> None:
    browsing.open(link)
    browsing.go(f"{told.project}/search")
    expect(browsing.page.get_by_text("Ask what is known")).to_be_visible()
    browsing.page.keyboard.press("/")
    browsing.page.keyboard.type(question)
    browsing.page.keyboard.press("Enter")


@pytest.mark.parametrize("browsing", ["light", "dark"], indirect=True)
def test_the_answers_are_accessible(browsing: Browsing, link: str, told: ToldMemory) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not here; make console fetches it")
    ask(browsing, link, told)
    expect(hits(browsing).first).to_contain_text("seven days")
    assert browsing.broken_rules() == []
    if browsing.page.evaluate("() => matchMedia('(prefers-color-scheme: light)').matches"):
        screenshots.take(browsing.page, "search")


@pytest.mark.parametrize("width", [360, 768, 2560])
def test_search_is_not_wider_than_its_window(
    browsing: Browsing, link: str, told: ToldMemory, width: int
) -> None:
    browsing.page.set_viewport_size({"width": width, "height": 800})
    ask(browsing, link, told)
    expect(hits(browsing).first).to_be_visible()
    assert browsing.page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_each_answer_says_why_it_was_found(browsing: Browsing, link: str, told: ToldMemory) -> None:
    ask(browsing, link, told)
    first = hits(browsing).first
    expect(first).to_contain_text("fits the question")
    expect(first.locator(".chips")).to_contain_text("queue")
    expect(first.get_by_role("link")).to_have_attribute("href", re.compile(f"memories/{told.id}"))
    expect(browsing.page.locator(".evidence")).to_contain_text("Evidence of an answer")


@pytest.mark.parametrize(
    ("way", "by"), [("Meaning", "semantic"), ("Keywords", "lexical"), ("Graph", "graph")]
)
def test_each_way_to_search_has_an_address_of_its_own(
    browsing: Browsing, link: str, told: ToldMemory, way: str, by: str
) -> None:
    ask(browsing, link, told)
    expect(hits(browsing).first).to_be_visible()
    question = browsing.page.get_by_role("region", name="Question")
    question.get_by_role("link", name=way, exact=True).click()
    expect(browsing.page).to_have_url(re.compile(f"q=.*by={by}"))
    expect(hits(browsing).first).to_contain_text("billing")


def test_what_nobody_knows_is_told_as_such(browsing: Browsing, link: str, told: ToldMemory) -> None:
    ask(browsing, link, told, "Which penguin species nests on Kerguelen?")
    expect(browsing.page.get_by_text("Nothing that answers this is known")).to_be_visible()
    expect(browsing.page.locator(".evidence")).to_contain_text("Not covered")
    browsing.page.get_by_role("link", name="Show what is nearest by meaning").click()
    expect(hits(browsing).first).to_be_visible()


def test_an_earlier_time_answers_with_what_was_known_then(
    browsing: Browsing, link: str, told: ToldMemory
) -> None:
    browsing.open(link)
    browsing.go(f"{told.project}/search?q=billing+queue&by=lexical&as_of=2020-01-01T12:00")
    expect(browsing.page.get_by_text("as it was known at")).to_contain_text("2020")
    expect(browsing.page.get_by_text("No memory matches")).to_be_visible()


def test_an_outcome_is_reported_by_its_number_with_a_key(
    browsing: Browsing, link: str, told: ToldMemory, server: httpx2.Client
) -> None:
    ask(browsing, link, told)
    expect(hits(browsing).first).to_contain_text("seven days")
    path = f"/v1/projects/{told.project}/memories/{told.id}"
    before = server.get(path).json()["worked"]
    browsing.page.keyboard.press("Tab")
    browsing.page.keyboard.press("w")
    expect(hits(browsing).first.get_by_role("button", name="Worked")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert server.get(path).json()["worked"] == before + 1
    reported = server.get(f"{path}/verdicts").json()["verdicts"][0]
    assert reported["recall_id"].startswith("rcl_")


def test_a_key_opens_the_memory_that_is_current(browsing: Browsing, link: str, told: ToldMemory) -> None:
    ask(browsing, link, told)
    expect(hits(browsing).nth(1)).to_be_visible()
    browsing.page.keyboard.press("Tab")
    browsing.page.keyboard.press("j")
    second = hits(browsing).nth(1)
    expect(second).to_have_attribute("data-current", "true")
    id = second.locator("code").inner_text()
    browsing.page.keyboard.press("o")
    expect(browsing.page).to_have_url(re.compile(f"memories/{id}"))
