"""The first pages of the console in a browser: they are there, complain of nothing, and lead on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.console import screenshots
from tests.console.browsing import Browsing
from tests.console.conftest import serving_seeds
from tests.console.seeds import MARKUP, PROJECT

PAGES = {"dashboard": "Dashboard", "memories": "Memories"}
"""Heading of each page, by its name."""

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect  # noqa: E402


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages") / "data"


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[httpx2.Client]:
    """Server of these tests alone, which count what there is."""
    with serving_seeds(data) as client:
        yield client


def heading(browsing: Browsing, page: str) -> Any:
    return browsing.page.get_by_role("heading", name=PAGES[page], level=1)


def rows(browsing: Browsing) -> Any:
    """Rows of the list of memories: the page that is left may still show tables of its own."""
    return browsing.page.get_by_role("table", name=re.compile("^Memories by")).locator("tbody tr")


def how_many(pager: Any) -> int:
    """All memories of the list, as its first page says."""
    expect(pager).to_contain_text(re.compile(r"1–50 of \d+"))
    return int(pager.inner_text().partition(" of ")[2].partition("First")[0])


@pytest.mark.parametrize("width", [360, 768, 2560])
@pytest.mark.parametrize("page", PAGES)
def test_no_page_is_wider_than_its_window(browsing: Browsing, link: str, page: str, width: int) -> None:
    browsing.page.set_viewport_size({"width": width, "height": 800})
    browsing.open(link)
    browsing.go(f"{PROJECT}/{page}")
    expect(heading(browsing, page)).to_be_visible()
    browsing.page.get_by_text("json.dumps writes NaN").first.wait_for()
    assert browsing.page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_the_token_leaves_address_and_history_and_opens_nothing_again(
    browsing: Browsing, link: str, chromium: Any
) -> None:
    browsing.open(link)
    expect(browsing.page).to_have_url(re.compile(r"#/shop/dashboard$"))
    expect(browsing.page.locator(".top-caller")).to_have_text("local")
    second = chromium.new_page()
    second.goto(link)
    expect(second.get_by_role("alert")).to_contain_text("mem console")
    second.close()


def test_a_memory_s_markup_is_text(browsing: Browsing, link: str) -> None:
    """Falls where contents are set as HTML."""
    browsing.open(link)
    browsing.go(f"{PROJECT}/memories")
    expect(browsing.page.get_by_text(MARKUP)).to_be_visible()
    assert browsing.page.locator("main img").count() == 0


def test_memories_are_paged_in_both_directions_and_a_link_opens_the_same_page(
    browsing: Browsing, link: str
) -> None:
    browsing.open(link)
    browsing.go(f"{PROJECT}/memories")
    pager = browsing.page.get_by_role("navigation", name="Pages").last
    many = how_many(pager)
    second = f"51–{min(many, 100)} of {many}"
    first = rows(browsing).first.locator("code").inner_text()
    browsing.page.get_by_role("button", name="Next page").click()
    expect(pager).to_contain_text(second)
    expect(rows(browsing)).to_have_count(min(many - 50, 50))
    browsing.page.reload()
    expect(pager).to_contain_text(second)
    browsing.page.go_back()
    expect(pager).to_contain_text(f"1–50 of {many}")
    browsing.page.go_forward()
    expect(pager).to_contain_text(second)
    browsing.page.get_by_role("button", name="Previous page").click()
    expect(pager).to_contain_text(f"1–50 of {many}")
    expect(rows(browsing).first.locator("code")).to_have_text(first)


def test_the_dashboard_tells_growth_and_recalls_by_day(
    browsing: Browsing, link: str, server: httpx2.Client
) -> None:
    """The picture is beside a table, which tells the same."""
    for query in ("what does json.dumps write", "what does the gardener plant"):
        server.post(f"/v1/projects/{PROJECT}/recall", json={"query": query}).raise_for_status()
    today = server.get(f"/v1/projects/{PROJECT}/stats/days", params={"days": 1}).json()["days"][0]
    assert today["created"] >= 93
    assert today["recalls"] >= 2
    browsing.open(link)
    browsing.go(f"{PROJECT}/dashboard")
    for title, shown in (("Memories stored by day", today["created"]), ("Recalls by day", today["recalls"])):
        table = browsing.page.get_by_role("table", name=title)
        expect(table.locator("tbody tr")).to_have_count(30)
        expect(table.locator("tbody tr").last.locator("td").first).to_have_text(str(shown))
    expect(browsing.page.locator(".chart canvas")).to_have_count(2)
    screenshots.take(browsing.page, "dashboard")


def test_filters_stand_in_the_address(browsing: Browsing, link: str) -> None:
    browsing.open(link)
    browsing.go(f"{PROJECT}/memories")
    browsing.page.get_by_label("Category").select_option("decision")
    expect(browsing.page).to_have_url(re.compile("category=decision"))
    expect(browsing.page.locator("tbody .bars-name").first).to_have_text("decision")
    browsing.page.get_by_label("Status").select_option("archived")
    browsing.page.get_by_label("Category").select_option("any")
    expect(rows(browsing)).to_have_count(5)


def test_a_list_is_sorted_by_its_heads_and_by_any_field(browsing: Browsing, link: str) -> None:
    browsing.open(link)
    browsing.go(f"{PROJECT}/memories")
    head = browsing.page.get_by_role("columnheader", name="Category")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(browsing.page).to_have_url(re.compile("sort=-category"))
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(browsing.page.locator("tbody .bars-name").first).to_have_text("architecture")
    browsing.page.get_by_label("Order by").select_option("tier")
    expect(browsing.page).to_have_url(re.compile("sort=tier"))
    expect(rows(browsing)).to_have_count(50)


def test_a_key_that_comes_before_the_sorted_page_does_not_go_on_from_the_old_one(
    browsing: Browsing, link: str
) -> None:
    """Falls where the cursor of one order is sent with another: the API refuses it."""
    browsing.open(link)
    browsing.go(f"{PROJECT}/memories")
    expect(rows(browsing)).to_have_count(50)
    head = browsing.page.get_by_role("columnheader", name="Category").get_by_role("button")
    head.evaluate("head => { head.click(); dispatchEvent(new KeyboardEvent('keydown', { key: 'n' })); }")
    expect(browsing.page).to_have_url(re.compile("sort=-category"))
    expect(browsing.page.get_by_role("alert")).to_have_count(0)
    expect(rows(browsing)).to_have_count(50)


def test_the_last_page_is_one_step_away_and_leads_back(browsing: Browsing, link: str) -> None:
    browsing.open(link)
    browsing.go(f"{PROJECT}/memories")
    pager = browsing.page.get_by_role("navigation", name="Pages").last
    many = how_many(pager)
    last, before = f"{many - 49}–{many} of {many}", f"1–{many - 50} of {many}"
    first = rows(browsing).first.locator("code").inner_text()
    browsing.page.get_by_role("button", name="Last page").click()
    expect(pager).to_contain_text(last)
    expect(browsing.page).to_have_url(re.compile("end=1$"))
    browsing.page.reload()
    expect(pager).to_contain_text(last)
    expect(rows(browsing)).to_have_count(50)
    browsing.page.keyboard.press("p")
    expect(pager).to_contain_text(before)
    expect(rows(browsing).first.locator("code")).to_have_text(first)
    browsing.page.keyboard.press("n")
    expect(pager).to_contain_text(last)


def test_selected_memories_are_tagged_and_approved_together_and_taken_back(
    browsing: Browsing, link: str, server: httpx2.Client
) -> None:
    browsing.open(link)
    browsing.go(f"{PROJECT}/memories?category=gotcha")
    rows(browsing).first.wait_for()
    ids = [rows(browsing).nth(place).locator("code").inner_text() for place in range(2)]
    for key in ("x", "j", "x"):
        browsing.page.keyboard.press(key)
    screenshots.take(browsing.page, "memories")
    browsing.page.get_by_label("Tag", exact=True).fill("reviewed-in-may")
    browsing.page.get_by_role("button", name="Add the tag").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("2 tagged reviewed-in-may")
    found = [server.get(f"/v1/projects/{PROJECT}/memories/{id}").json() for id in ids]
    assert all("reviewed-in-may" in one["tags"] for one in found)
    browsing.page.get_by_role("button", name="Undo").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("Taken back")
    found = [server.get(f"/v1/projects/{PROJECT}/memories/{id}").json() for id in ids]
    assert all("reviewed-in-may" not in one["tags"] for one in found)
    browsing.page.keyboard.press("x")
    browsing.page.get_by_role("button", name="Approve").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("1 approved")


def test_memories_are_archived_by_keyboard_and_taken_back(
    browsing: Browsing, link: str, server: httpx2.Client
) -> None:
    browsing.open(link)
    browsing.go(f"{PROJECT}/memories?category=command")
    rows(browsing).first.wait_for()
    before = rows(browsing).count()
    for key in ("x", "j", "x"):
        browsing.page.keyboard.press(key)
    expect(browsing.page.get_by_text("2 selected")).to_be_visible()
    browsing.page.get_by_role("button", name="Archive").click()
    expect(rows(browsing)).to_have_count(before - 2)
    expect(browsing.page.get_by_role("status")).to_contain_text("2 archived")
    browsing.page.keyboard.press("z")
    expect(rows(browsing)).to_have_count(before)
    listed = server.get(f"/v1/projects/{PROJECT}/memories?category=command").json()["memories"]
    assert len(listed) == before


def test_what_changes_elsewhere_appears_by_itself(
    browsing: Browsing, link: str, server: httpx2.Client
) -> None:
    browsing.open(link)
    browsing.go("office/memories")
    expect(rows(browsing)).to_have_count(1)
    expect(browsing.page.locator(".live")).to_have_attribute("data-on", "true")
    stored = server.post("/v1/projects/office/memories", json={"content": "The kitchen is on floor two."})
    expect(browsing.page.get_by_text("The kitchen is on floor two.")).to_be_visible()
    server.delete(f"/v1/projects/office/memories/{stored.json()['id']}")
    expect(rows(browsing)).to_have_count(1)


def test_a_refusal_is_told_with_the_id_of_its_request(browsing: Browsing, link: str) -> None:
    browsing.may_be_refused = True
    browsing.open(link)
    browsing.go(f"{PROJECT}/memories?min_confidence=7")
    expect(browsing.page.get_by_role("alert")).to_contain_text("req_")


def test_the_theme_is_the_system_s_until_one_is_chosen(browsing: Browsing, link: str) -> None:
    browsing.open(link)
    page = browsing.page.locator("html")
    light = browsing.page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
    browsing.page.emulate_media(color_scheme="dark")
    expect(page).not_to_have_css("background-color", light)
    browsing.page.get_by_role("button", name="Theme: system").click()
    browsing.page.get_by_role("button", name="Theme: light").wait_for()
    expect(page).to_have_css("background-color", light)


def test_pages_are_reached_by_keyboard_and_the_help_lists_the_keys(browsing: Browsing, link: str) -> None:
    browsing.open(link)
    expect(heading(browsing, "dashboard")).to_be_visible()
    browsing.page.keyboard.press("g")
    browsing.page.keyboard.press("m")
    expect(heading(browsing, "memories")).to_be_visible()
    browsing.page.keyboard.press("?")
    help_ = browsing.page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(help_).to_contain_text("Next row")
    browsing.page.keyboard.press("Escape")
    expect(help_).to_have_count(0)


def test_the_page_of_the_api_works_without_a_script_inside_it(browsing: Browsing) -> None:
    browsing.page.goto(f"{browsing.origin}/docs")
    expect(browsing.page.get_by_text("/v1/me", exact=True)).to_be_visible(timeout=20_000)
