"""Memories out of use in a browser: no button, key or link leads to a change that the API would refuse."""

from __future__ import annotations

import re
from itertools import count
from typing import Any

import httpx2
import pytest

from tests.console.browsing import Browsing

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

NUMBERS = count(1)
SAID = ("The night shift restarts the printer at two.", "The gate opens by itself when the alarm is off.")


@pytest.fixture
def ended(server: httpx2.Client) -> tuple[str, str, str]:
    """Name of a project of two memories, the id of one that is archived, and that of the other."""
    name = f"ended-{next(NUMBERS)}"
    root = f"/v1/projects/{name}/memories"
    archived, active = (server.post(root, json={"content": said}).json()["id"] for said in SAID)
    assert server.delete(f"{root}/{archived}").is_success
    return name, archived, active


def select_all(browsing: Browsing, rows: int) -> Any:
    """Toolbar of what is selected."""
    shown = browsing.page.get_by_role("table", name=re.compile("^Memories by"))
    expect(shown.locator("tbody tr")).to_have_count(rows)
    expect(browsing.page.get_by_role("toolbar", name="Selected memories")).to_have_count(0)
    for _ in range(rows - 1):
        browsing.page.keyboard.press("k")
    browsing.page.keyboard.press("x")
    for _ in range(rows - 1):
        browsing.page.keyboard.press("j")
        browsing.page.keyboard.press("x")
    toolbar = browsing.page.get_by_role("toolbar", name="Selected memories")
    expect(toolbar).to_contain_text(f"{rows} selected")
    return toolbar


def test_nothing_is_offered_for_a_selection_of_archived_memories(
    browsing: Browsing, link: str, ended: tuple[str, str, str]
) -> None:
    """Falls where the buttons look at who may change a memory, and not at its status."""
    browsing.open(link)
    browsing.go(f"{ended[0]}/memories?status=archived")
    toolbar = select_all(browsing, 1)
    for name in ("Archive", "Approve", "Add the tag"):
        expect(toolbar.get_by_role("button", name=name)).to_have_count(0)
    expect(toolbar).to_contain_text("Nothing may be done with these here")


def test_of_a_mixed_selection_those_are_changed_that_may_be(
    browsing: Browsing, link: str, server: httpx2.Client, ended: tuple[str, str, str]
) -> None:
    """Falls where a refused request is sent: the browser would log it."""
    name, archived, active = ended
    browsing.open(link)
    browsing.go(f"{name}/memories?status=all")
    toolbar = select_all(browsing, 2)
    toolbar.get_by_label("Tag", exact=True).fill("old")
    toolbar.get_by_role("button", name="Add the tag to 1").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("1 tagged old")
    toolbar = select_all(browsing, 2)
    toolbar.get_by_role("button", name="Approve 1").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("1 approved")
    toolbar = select_all(browsing, 2)
    expect(toolbar.get_by_role("button", name="Approve")).to_have_count(0)
    toolbar.get_by_role("button", name="Archive 1").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("1 archived")
    found = {id: server.get(f"/v1/projects/{name}/memories/{id}").json() for id in (archived, active)}
    assert [found[id]["tags"] for id in (archived, active)] == [[], ["old"]]
    assert [found[id]["status"] for id in (archived, active)] == ["archived", "archived"]


def test_no_form_opens_on_an_archived_memory(
    browsing: Browsing, link: str, ended: tuple[str, str, str]
) -> None:
    """Falls where the key or the link opens what the button is not shown for."""
    name, archived, active = ended
    browsing.open(link)
    browsing.go(f"{name}/memories/{active}?form=edit")
    form = browsing.page.get_by_role("form", name="Edit")
    expect(form).to_be_visible()
    browsing.go(f"{name}/memories/{archived}?form=edit")
    expect(browsing.page.locator(".memory-words")).to_have_text(SAID[0])
    expect(form).to_have_count(0)
    browsing.go(f"{name}/memories/{archived}")
    browsing.page.keyboard.press("e")
    expect(browsing.page).not_to_have_url(re.compile("form=edit"))
    expect(form).to_have_count(0)
    browsing.page.keyboard.press("?")
    help_ = browsing.page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(help_).to_contain_text("Next view")
    expect(help_).not_to_contain_text("Edit")
