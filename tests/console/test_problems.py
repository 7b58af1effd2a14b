"""Problems in a browser: each says where it lies, be it the network, the server or the page itself, and what to do."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.console.browsing import Browsing
from tests.console.seeds import PROJECT

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

REVIEWS = re.compile(r"/reviews\?")


@pytest.fixture
def page(browsing: Browsing, link: str) -> Any:
    """Page on which the next list of reviews is about to be asked for."""
    browsing.may_be_refused = True
    browsing.open(link)
    expect(browsing.page.get_by_role("heading", name="Dashboard")).to_be_visible()
    return browsing.page


def problem(browsing: Browsing) -> Any:
    browsing.go(f"{PROJECT}/inbox")
    return browsing.page.get_by_role("alert")


def test_a_server_that_does_not_answer_is_out_of_reach(browsing: Browsing, page: Any) -> None:
    page.route(REVIEWS, lambda route: route.abort("connectionrefused"))
    expect(problem(browsing)).to_contain_text("The server is out of reach")
    page.unroute(REVIEWS)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_device_without_a_network_is_told_as_such(browsing: Browsing, page: Any) -> None:
    """Falls where the server is blamed."""
    problem(browsing)
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    browsing.go(f"{PROJECT}/dashboard")
    expect(page.locator(".chart canvas")).to_have_count(2)  # what the page loads has come
    page.context.set_offline(True)
    expect(problem(browsing)).to_contain_text("This device is offline")
    page.context.set_offline(False)


def test_an_error_of_the_server_is_told_with_its_request(browsing: Browsing, page: Any) -> None:
    answer = {"status": 502, "headers": {"x-request-id": "req_17"}, "content_type": "text/html"}
    page.route(REVIEWS, lambda route: route.fulfill(body="<h1>Bad gateway</h1>", **answer))
    told = problem(browsing)
    expect(told).to_contain_text("The server answered with an error")
    expect(told).to_contain_text("502")
    expect(told).to_contain_text("Request req_17")


def test_an_answer_that_cannot_be_read_is_told_with_its_request(browsing: Browsing, page: Any) -> None:
    """Falls where a broken answer is taken for none."""
    answer = {"status": 200, "headers": {"x-request-id": "req_18"}, "content_type": "application/json"}
    page.route(REVIEWS, lambda route: route.fulfill(body="<html>sign in to the hotel's network", **answer))
    told = problem(browsing)
    expect(told).to_contain_text("The answer cannot be read")
    expect(told).to_contain_text("Request req_18")


def test_a_fault_of_the_page_is_not_blamed_on_the_server(browsing: Browsing, page: Any) -> None:
    """Falls where each error of a script is said to be a server out of reach."""
    page.route(REVIEWS, lambda route: route.fulfill(json={"next_cursor": None}))
    told = problem(browsing)
    expect(told).to_contain_text("This page has a fault")
    expect(told).to_contain_text("TypeError")
    expect(told).not_to_contain_text("out of reach")


def test_a_part_of_the_page_that_does_not_load_is_named(browsing: Browsing, page: Any) -> None:
    page.route(re.compile(r"/console/audit-\w+\.js"), lambda route: route.abort())
    browsing.go(f"{PROJECT}/audit")
    told = page.get_by_role("alert")
    expect(told).to_contain_text("The page did not load")
    expect(told).to_contain_text("audit")


def test_what_takes_its_time_is_told_until_it_is_there(browsing: Browsing, page: Any) -> None:
    """Falls where a page stays blank while a function of the cloud is started."""
    held: list[Any] = []
    page.route(REVIEWS, lambda route: held.append(route))
    bar = page.get_by_role("progressbar", name="Under way")
    expect(bar).to_have_count(0)
    browsing.go(f"{PROJECT}/inbox")
    expect(bar).to_have_count(1)
    for route in held:
        route.continue_()
    page.unroute(REVIEWS)
    expect(bar).to_have_count(0)


def test_a_change_is_under_way_until_the_server_has_it(browsing: Browsing, page: Any) -> None:
    """Falls where nothing moves after a key was pressed, and one presses it again."""
    held: list[Any] = []
    browsing.go(f"{PROJECT}/memories")
    expect(page.locator("tbody tr").first).to_be_visible()
    page.route(re.compile(r"/memories/mem_[^/]+$"), lambda route: held.append(route))
    page.keyboard.press("x")
    page.get_by_label("Tag", exact=True).fill("kept")
    page.get_by_role("button", name="Add the tag").click()
    bar = page.get_by_role("progressbar", name="Under way")
    expect(bar).to_have_count(1)
    for route in held:
        route.continue_()
    expect(page.get_by_role("status")).to_contain_text("1 tagged")
    expect(bar).to_have_count(0)
