"""Settings that are changed and not saved: whoever leaves them is asked first, in German or English."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import httpx2
import pytest

from tests.console.browsing import Browsing
from tests.console.seeds import PROJECT

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

NUMBERS = count(1)
QUESTION = "Leave without saving?"


@pytest.fixture
def project(server: httpx2.Client) -> str:
    name = f"unsaved-{next(NUMBERS)}"
    server.post(f"/v1/projects/{name}/memories", json={"content": "The office opens at nine."})
    return name


def show(browsing: Browsing, link: str, project: str) -> Any:
    """Field of a setting."""
    browsing.open(link)
    browsing.go(f"{project}/dashboard")
    expect(browsing.page.get_by_role("heading", name="Dashboard")).to_be_visible()
    browsing.go(f"{project}/settings")
    field = browsing.page.get_by_label("Memories in a prompt")
    expect(field).to_be_visible()
    return field


def change(field: Any) -> None:
    field.fill("25")
    field.blur()


def question(browsing: Browsing) -> Any:
    return browsing.page.get_by_role("dialog", name=QUESTION)


def _by_link(browsing: Browsing) -> None:
    pages = browsing.page.get_by_role("navigation", name="Pages").first
    pages.get_by_role("link", name="Audit").click()


def _by_keys(browsing: Browsing) -> None:
    browsing.page.keyboard.press("g")
    browsing.page.keyboard.press("u")


def _by_project(browsing: Browsing) -> None:
    browsing.page.get_by_label("Project").select_option(PROJECT)


def _by_going_back(browsing: Browsing) -> None:
    browsing.page.evaluate("() => history.back()")


def _by_address(browsing: Browsing) -> None:
    browsing.go("shop/audit")


WAYS = {
    "link": _by_link,
    "keys": _by_keys,
    "project": _by_project,
    "back": _by_going_back,
    "address": _by_address,
}


@pytest.mark.parametrize("way", WAYS)
def test_who_leaves_is_asked_and_may_stay_or_go(
    browsing: Browsing, link: str, project: str, server: httpx2.Client, way: str
) -> None:
    leave: Callable[[Browsing], None] = WAYS[way]
    field = show(browsing, link, project)
    change(field)
    leave(browsing)
    question(browsing).get_by_role("button", name="Stay").click()
    expect(question(browsing)).to_have_count(0)
    expect(browsing.page).to_have_url(re.compile(f"{project}/settings$"))
    expect(field).to_have_value("25")
    expect(browsing.page.get_by_label("Project")).to_have_value(project)
    leave(browsing)
    question(browsing).get_by_role("button", name="Leave without saving").click()
    expect(browsing.page).not_to_have_url(re.compile(f"{project}/settings$"))
    expect(field).to_have_count(0 if way != "project" else 1)
    assert server.get(f"/v1/projects/{project}/settings").json()["prompt_limit"] != 25


@pytest.mark.parametrize("way", ["link", "back"])
def test_words_that_are_being_typed_count_as_unsaved(
    browsing: Browsing, link: str, project: str, way: str
) -> None:
    show(browsing, link, project).fill("25")
    WAYS[way](browsing)
    expect(question(browsing)).to_be_visible()


def test_a_line_that_cannot_be_read_counts_as_unsaved(browsing: Browsing, link: str, project: str) -> None:
    show(browsing, link, project)
    field = browsing.page.get_by_label("What else is said for a word")
    field.fill("dunning reminder")
    field.blur()
    expect(field).to_have_attribute("aria-invalid", "true")
    _by_link(browsing)
    expect(question(browsing)).to_be_visible()


def test_nobody_is_asked_where_nothing_would_be_lost(browsing: Browsing, link: str, project: str) -> None:
    """Falls where the question stands in every way."""
    field = show(browsing, link, project)
    change(field)
    browsing.page.get_by_role("button", name="Discard").click()
    expect(browsing.page.get_by_role("region", name="To be saved")).to_contain_text("Nothing")
    _by_link(browsing)
    expect(browsing.page.get_by_role("heading", name="Audit")).to_be_visible()
    browsing.go(f"{project}/settings")
    change(field)
    browsing.page.get_by_role("button", name="Save").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("Saved")
    _by_link(browsing)
    expect(browsing.page.get_by_role("heading", name="Audit")).to_be_visible()


def test_the_browser_asks_before_the_tab_is_closed(browsing: Browsing, link: str, project: str) -> None:
    asked: list[str] = []
    browsing.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    field = show(browsing, link, project)
    browsing.page.reload()
    expect(field).to_be_visible()
    assert asked == []
    change(field)
    with browsing.page.expect_event("dialog"):
        browsing.page.close(run_before_unload=True)
    expect(field).to_have_value("25")
    assert asked == ["beforeunload"]


@pytest.fixture
def german(chromium: Any, server: httpx2.Client) -> Iterator[Browsing]:
    context = chromium.new_context(locale="de-DE")
    found = Browsing(context.new_page(), str(server.base_url).rstrip("/"))
    yield found
    context.close()
    assert found.complaints == []


def test_a_german_browser_is_asked_in_german(german: Browsing, link: str, project: str) -> None:
    change(show(german, link, project))
    _by_link(german)
    asked = german.page.get_by_role("dialog", name="Ohne Speichern verlassen?")
    expect(asked).to_contain_text("noch ist nichts davon gespeichert")
    expect(german.page.locator("[lang=de]")).to_have_count(1)
    asked.get_by_role("button", name="Hierbleiben").click()
    _by_link(german)
    asked.get_by_role("button", name="Ohne Speichern verlassen").click()
    expect(german.page.get_by_role("heading", name="Audit")).to_be_visible()
