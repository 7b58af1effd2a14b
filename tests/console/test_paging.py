"""Paging through a list of three pages, on a server of its own: whoever enters sees the largest project first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.console.browsing import Browsing
from tests.e2e.test_serve_process import serving
from tests.run_examples import loop

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect


@pytest.fixture(scope="module")
def data(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    del chromium  # nothing is served where there is no browser
    return tmp_path_factory.mktemp("paging") / "data"


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[httpx2.Client]:
    with serving(data) as (_, client):
        yield client


def test_the_page_before_is_known_after_a_reload(
    browsing: Browsing, link: str, server: httpx2.Client
) -> None:
    """Falls where the way back is in the page's memory alone: it would lead to the first page."""
    lines = [{"content": f"Shelf {number} holds the binders of {1900 + number}."} for number in range(130)]
    server.post("/v1/projects/shelves/memories:batch", json=lines).raise_for_status()
    browsing.open(link)
    browsing.go("shelves/memories")
    pager = browsing.page.get_by_role("navigation", name="Pages").last
    for shown in ("1–50", "51–100", "101–"):
        expect(pager).to_contain_text(shown)
        if shown != "101–":
            browsing.page.get_by_role("button", name="Next page").click()
    browsing.page.reload()
    expect(pager).to_contain_text("101–")
    browsing.page.get_by_role("button", name="Previous page").click()
    expect(pager).to_contain_text("51–100")


@pytest.mark.parametrize("page", ["runs", "audit"])
def test_a_link_into_a_list_leads_to_the_page_before(
    browsing: Browsing, link: str, server: httpx2.Client, page: str
) -> None:
    """Falls where the way back is the browser's history, or the first page, for whoever came by a link."""
    for number in range(105):
        run = {**loop(f"run-{number}", "Count the binders"), "iterations": []}
        server.post("/v1/projects/binders/runs", json=run).raise_for_status()
    browsing.open(link)
    browsing.go(f"binders/{page}")
    pager = browsing.page.get_by_role("navigation", name="Pages").last
    rows = browsing.page.locator("tbody tr td:first-child")
    for shown in ("1–50", "51–100", "101–"):
        expect(pager).to_contain_text(shown)
        expect(browsing.page.locator('main [aria-busy="true"]')).to_have_count(0)
        if shown == "51–100":
            expected = rows.all_text_contents()
        if shown != "101–":
            browsing.page.keyboard.press("n")
    deep = browsing.page.url
    browsing.page.evaluate("() => sessionStorage.clear()")
    browsing.page.goto("about:blank")

    browsing.page.goto(deep)
    expect(pager).to_contain_text("101–")
    browsing.page.get_by_role("button", name="Previous page").click()
    expect(pager).to_contain_text("51–100")
    expect(rows).to_have_text(expected)
    browsing.page.get_by_role("button", name="Previous page").click()
    expect(pager).to_contain_text("1–50")
    expect(browsing.page).to_have_url(re.compile(f"#/binders/{page}$"))


@pytest.mark.parametrize("query", ["", "?sort=-category", "?end=1", "?sort=-category&end=1"])
def test_a_link_into_a_list_of_memories_leads_to_the_page_before(
    browsing: Browsing, link: str, server: httpx2.Client, query: str
) -> None:
    """Falls where whoever came by a link is led to the first page."""
    lines = [{"content": f"Drawer {number} holds the keys of room {300 + number}."} for number in range(180)]
    server.post("/v1/projects/drawers/memories:batch", json=lines).raise_for_status()
    browsing.open(link)
    browsing.go(f"drawers/memories{query}")
    page = browsing.page
    pager = page.get_by_role("navigation", name="Pages").last
    farther, nearer = ("Previous page", "Next page") if "end" in query else ("Next page", "Previous page")
    ranges = ("131–180", "81–130", "31–80") if "end" in query else ("1–50", "51–100", "101–150")
    rows = page.locator("tbody tr code")
    for place, shown in enumerate(ranges):
        expect(pager).to_contain_text(shown)
        expect(page.locator('main [aria-busy="true"]')).to_have_count(0)
        if place == 1:
            expected = rows.all_text_contents()
        if place < 2:
            page.get_by_role("button", name=farther).click()
    deep = page.url
    page.evaluate("() => sessionStorage.clear()")
    page.goto("about:blank")
    page.goto(deep)
    expect(pager).to_contain_text(ranges[2])
    page.get_by_role("button", name=nearer).click()
    expect(pager).to_contain_text(ranges[1])
    expect(rows).to_have_text(expected)


@pytest.mark.parametrize("sort", ["-created_at", "-category", "expires_at", "worth"])
def test_each_order_has_a_way_to_its_end(
    browsing: Browsing, link: str, server: httpx2.Client, sort: str
) -> None:
    """Falls where the last page is the first of the opposite order: equal ones, and those without, stand otherwise."""
    lines = [{"content": f"Cabinet {number} holds the maps of {1700 + number}."} for number in range(70)]
    server.post("/v1/projects/cabinets/memories:batch", json=lines).raise_for_status()
    listed = server.get("/v1/projects/cabinets/memories", params={"sort": sort, "limit": 200}).json()
    ids = [one["id"] for one in listed["memories"]]
    browsing.open(link)
    browsing.go(f"cabinets/memories?sort={sort}")
    page = browsing.page
    pager, rows = page.get_by_role("navigation", name="Pages").last, page.locator("tbody tr code")
    expect(rows).to_have_text(ids[:50])
    page.get_by_role("button", name="Last page").click()
    expect(pager).to_contain_text("21–70")
    expect(rows).to_have_text(ids[20:])
    page.get_by_role("button", name="Previous page").click()
    expect(pager).to_contain_text("1–20")
    expect(rows).to_have_text(ids[:20])
    page.get_by_role("button", name="First page").click()
    expect(rows).to_have_text(ids[:50])
