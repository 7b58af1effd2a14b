"""The inbox in a browser: much that waits is decided by keys alone, and what changed meanwhile is never overwritten."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from math import ceil
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.console import screenshots
from tests.console.browsing import AXE, Browsing
from tests.console.waiting_items import PROJECT, fill
from tests.e2e.test_serve_process import PROGRAM, serving

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

ITEMS = int(os.environ.get("INBOX_ITEMS", "48"))
"""Items that the run by keyboard decides; 200 shows it at the size of a bad week."""

ITEMS_A_NAME = 7
"""Items of all kinds about each name that is filled in, at least."""

KEYS_AN_ITEM = 3
KEY_OF = {"Contradictions": "1", "Say the same": "m", "Quarantined": "r"}
"""Key of the run by keyboard by the kind; of all others `a`."""

ROOT = f"/v1/projects/{PROJECT}"


@pytest.fixture(scope="module")
def data(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    del chromium  # nothing is filled where there is no browser
    folder = tmp_path_factory.mktemp("inbox") / "data"
    fill(folder, ceil(ITEMS / ITEMS_A_NAME) + 2)
    return folder


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[httpx2.Client]:
    with serving(data) as (_, client):
        yield client


@pytest.fixture
def inbox(browsing: Browsing, data: Path) -> Browsing:
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


def test_the_item_that_is_looked_at_and_the_kind_stand_in_the_address(
    inbox: Browsing, server: httpx2.Client
) -> None:
    inbox.page.get_by_role("link", name=re.compile("^Stale")).click()
    expect(lines(inbox)).to_have_count(len(of_kind(server, "stale")))
    press(inbox, "j j k")
    second = of_kind(server, "stale")[1]
    expect(card(inbox)).to_contain_text(second["content"])
    expect(inbox.page).to_have_url(re.compile(f"kind=stale.*at={second['id']}"))


def test_an_item_says_who_why_and_what_is_near_with_the_difference(
    inbox: Browsing, server: httpx2.Client
) -> None:
    item = next(one for one in of_kind(server, "pending") if "Thursdays" in one["content"])
    show(inbox, item)
    expect(card(inbox)).to_contain_text(item["created_by"])
    expect(card(inbox)).to_contain_text("source run needs approval")
    expect(card(inbox)).to_contain_text("would take its place")
    expect(card(inbox).locator(".nearest del").first).to_contain_text("Tuesdays")
    expect(card(inbox).locator(".nearest ins").first).to_contain_text("Thursdays")


def test_a_decision_is_taken_back_by_a_key(inbox: Browsing, server: httpx2.Client) -> None:
    item = of_kind(server, "quarantined")[0]
    show(inbox, item)
    press(inbox, "r")
    expect(told(inbox)).to_contain_text(f"Rejected: {item['content']}")
    eventually(lambda: server.get(f"{ROOT}/memories/{item['id']}").json()["status"] == "rejected")
    press(inbox, "z")
    expect(told(inbox)).to_contain_text("Taken back")
    expect(card(inbox)).to_contain_text(item["content"])
    assert server.get(f"{ROOT}/memories/{item['id']}").json()["status"] == "quarantined"


def test_a_group_of_one_principal_is_decided_as_one_and_taken_back(
    inbox: Browsing, server: httpx2.Client
) -> None:
    item = of_kind(server, "quarantined")[0]
    group = [one["id"] for one in of_kind(server, "quarantined") if one["created_by"] == item["created_by"]]
    assert len(group) > 1
    show(inbox, item)
    press(inbox, "R")
    expect(told(inbox)).to_contain_text(f"Rejected: {len(group)} of {item['created_by']}")
    assert eventually(lambda: not {one["id"] for one in of_kind(server, "quarantined")} & set(group))
    press(inbox, "z")
    expect(told(inbox)).to_contain_text("Taken back")
    assert {one["id"] for one in of_kind(server, "quarantined")} >= set(group)


def test_what_somebody_has_changed_meanwhile_is_told_and_not_decided_on(
    inbox: Browsing, server: httpx2.Client
) -> None:
    """Falls where newer words slip under the eyes, or a key decides on what was not looked at."""
    item = next(one for one in of_kind(server, "pending") if "TZ=UTC" in one["content"])
    show(inbox, item)
    said = item["content"].replace("UTC", "CET")
    assert server.patch(f"{ROOT}/memories/{item['id']}", json={"content": said}).status_code == 200
    alert = card(inbox).get_by_role("alert")
    expect(alert).to_contain_text("changed it since you read it")
    expect(alert.locator("ins")).to_have_text("CET")
    press(inbox, "a")
    assert server.get(f"{ROOT}/memories/{item['id']}").json()["status"] == "pending"
    press(inbox, "v")
    expect(card(inbox).locator(".inbox-words")).to_have_text(said)
    press(inbox, "a")
    assert eventually(lambda: server.get(f"{ROOT}/memories/{item['id']}").json()["status"] == "active")


def test_a_decision_on_what_was_changed_unseen_is_refused(inbox: Browsing, server: httpx2.Client) -> None:
    """Without the feed the page cannot know. Falls where an approval is sent without the version that was looked at."""
    inbox.may_be_refused = True
    inbox.page.route("**/events", lambda route: route.abort())
    item = next(one for one in of_kind(server, "pending") if "TZ=UTC" in one["content"])
    inbox.go(f"{PROJECT}/inbox?at={item['id']}")
    inbox.page.reload()
    expect(card(inbox)).to_contain_text(item["content"])
    said = item["content"].replace("UTC", "EET")
    assert server.patch(f"{ROOT}/memories/{item['id']}", json={"content": said}).status_code == 200
    press(inbox, "a")
    expect(told(inbox)).to_contain_text("Somebody has changed it meanwhile, nothing was decided")
    assert server.get(f"{ROOT}/memories/{item['id']}").json()["status"] == "pending"
    show(inbox, {"id": item["id"], "content": said})
    expect(card(inbox)).to_contain_text("EET")


def test_an_edit_is_saved_and_approved_by_keys(inbox: Browsing, server: httpx2.Client) -> None:
    item = next(one for one in of_kind(server, "pending") if "TZ=UTC" in one["content"])
    show(inbox, item)
    press(inbox, "e")
    words = inbox.page.get_by_role("dialog").get_by_label("Words")
    words.fill("The tests need TZ=UTC, whatever the machine says.")
    press(inbox, "Control+Enter")
    expect(told(inbox)).to_contain_text("Reworded and approved")
    assert eventually(lambda: server.get(f"{ROOT}/memories/{item['id']}").json()["status"] == "active")
    assert server.get(f"{ROOT}/memories/{item['id']}").json()["content"] == (
        "The tests need TZ=UTC, whatever the machine says."
    )


def test_a_proposal_takes_the_place_of_what_is_doubted(inbox: Browsing, server: httpx2.Client) -> None:
    item = of_kind(server, "doubted")[0]
    show(inbox, item)
    expect(card(inbox).locator(".pair ins").first).to_contain_text("Thursdays")
    press(inbox, "1")
    expect(told(inbox)).to_contain_text("Proposal taken")
    (proposal,) = item["doubted"]["proposals"]
    assert eventually(lambda: server.get(f"{ROOT}/memories/{item['id']}").json()["superseded_by"] == proposal)


def test_an_item_takes_the_place_of_what_is_near_or_is_merged_into_it(
    inbox: Browsing, server: httpx2.Client
) -> None:
    first, second = [one for one in of_kind(server, "pending") if "TZ=UTC" in one["content"]][:2]
    show(inbox, first)
    expect(card(inbox)).to_contain_text("Nearest in force")
    near = server.get(f"{ROOT}/reviews/{first['id']}/near").json()["near"][0]["id"]
    press(inbox, "s")
    expect(told(inbox)).to_contain_text("Took its place")
    assert eventually(lambda: server.get(f"{ROOT}/memories/{near}").json()["superseded_by"] == first["id"])
    merge(inbox, second, "The tests pass with TZ=UTC alone, after the stand-up too.")
    expect(told(inbox)).to_contain_text("Merged")
    assert eventually(lambda: server.get(f"{ROOT}/memories/{second['id']}").json()["status"] == "superseded")


def merge(inbox: Browsing, item: dict[str, Any], words: str) -> None:
    show(inbox, item)
    expect(card(inbox)).to_contain_text("Nearest in force")
    press(inbox, "m")
    inbox.page.get_by_role("dialog").get_by_label("Words").fill(words)
    press(inbox, "Control+Enter")


def test_a_proposal_is_merged_with_what_it_is_proposed_for(inbox: Browsing, server: httpx2.Client) -> None:
    item = next(one for one in of_kind(server, "pending") if one["relations"])
    said = "It is deployed on Tuesdays and on Thursdays."
    merge(inbox, item, said)
    expect(told(inbox)).to_contain_text("Reworded and approved")
    assert eventually(lambda: server.get(f"{ROOT}/memories/{item['id']}").json()["status"] == "active")
    after = server.get(f"{ROOT}/memories/{item['id']}").json()
    assert (after["content"], after["supersedes"]) == (said, item["relations"][0]["target"])


def test_the_help_lists_the_keys_of_the_item(inbox: Browsing, server: httpx2.Client) -> None:
    show(inbox, of_kind(server, "conflict")[0])
    press(inbox, "?")
    help_ = inbox.page.get_by_role("dialog", name="Keyboard shortcuts")
    for does in ("Keep the first", "Keep both", "Next item", "Take the last decision back"):
        expect(help_).to_contain_text(does)


def test_much_that_waits_is_decided_by_keys_alone(inbox: Browsing, server: httpx2.Client) -> None:
    """The last of this file, since it leaves little: counts the keys, and no mouse is moved."""
    before = {one["id"] for one in waiting(server)}
    counted = inbox.page.locator(".inbox-told .soft")
    keys, decided, kinds = 0, 0, set()
    while decided < min(ITEMS, len(before)):
        kind = card(inbox).locator(".badge").first.inner_text()
        press(inbox, KEY_OF.get(kind, "a"))
        keys += 1
        kinds.add(kind)
        expect(counted).not_to_have_text(f"{decided} decided")
        decided = int(counted.inner_text().split()[0])
    print(f"{decided} items of {len(kinds)} kinds were decided by {keys} keys")
    assert len(kinds) >= 5
    assert keys <= KEYS_AN_ITEM * decided
    assert eventually(lambda: len(before & {one["id"] for one in waiting(server)}) <= len(before) - decided)
    expect(inbox.page.locator(".waiting .badge", has_text="refused")).to_have_count(0)


def eventually(holds: Callable[[], Any]) -> bool:
    """Tells if it comes to hold: decisions are sent behind the page."""
    for _ in range(200):
        if holds():
            return True
        time.sleep(0.05)
    return False
