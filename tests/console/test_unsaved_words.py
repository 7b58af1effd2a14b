"""Words that are typed about a memory and not saved: whoever leaves them is asked first, nothing else takes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from tests.console.browsing import Browsing
from tests.console.seeds import PROJECT
from tests.console.test_unsaved_settings import WAYS, question

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

ROOT = f"/v1/projects/{PROJECT}/memories"
SAID = "The archive of the shop is moved to the cellar in autumn."
WRITTEN = "It is moved to the attic."
FIELDS = {"edit": "Content", "supersede": "What is true instead"}


@pytest.fixture
def memory(server: httpx2.Client) -> str:
    body = {"content": SAID, "on_duplicate": "create"}
    return str(server.post(ROOT, json=body).raise_for_status().json()["id"])


def write(browsing: Browsing, link: str, memory: str, form: str) -> Any:
    """Field of a form, with words in it."""
    browsing.open(link)
    browsing.go(f"{PROJECT}/memories/{memory}")
    actions = browsing.page.get_by_role("toolbar", name="Actions")
    actions.get_by_role("button", name=form.capitalize(), exact=True).click()
    field = browsing.page.get_by_label(FIELDS[form])
    field.fill(WRITTEN)
    return field


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("project", "address")])
@pytest.mark.parametrize("form", FIELDS)
def test_who_leaves_a_form_is_asked_and_may_stay_or_go(
    browsing: Browsing, link: str, memory: str, server: httpx2.Client, form: str, way: str
) -> None:
    """Falls where a form lets its words go, or closes by the browser's way back unasked."""
    leave: Callable[[Browsing], None] = WAYS[way]
    field = write(browsing, link, memory, form)
    field.blur()
    leave(browsing)
    question(browsing).get_by_role("button", name="Stay").click()
    expect(question(browsing)).to_have_count(0)
    expect(browsing.page).to_have_url(re.compile(f"{memory}.form={form}$"))
    expect(field).to_have_value(WRITTEN)
    leave(browsing)
    question(browsing).get_by_role("button", name="Leave without saving").click()
    expect(field).to_have_count(0)
    assert server.get(f"{ROOT}/{memory}").json()["content"] == SAID


def test_another_form_is_not_opened_over_words_unasked(browsing: Browsing, link: str, memory: str) -> None:
    field = write(browsing, link, memory, "edit")
    browsing.page.get_by_role("button", name="Supersede", exact=True).click()
    question(browsing).get_by_role("button", name="Stay").click()
    expect(question(browsing)).to_have_count(0)
    expect(field).to_have_value(WRITTEN)


def test_a_view_beside_the_form_leaves_its_words(browsing: Browsing, link: str, memory: str) -> None:
    """Falls where a link to a view closes the form."""
    field = write(browsing, link, memory, "edit")
    browsing.page.get_by_role("link", name="Versions").click()
    expect(browsing.page).to_have_url(re.compile("view=versions"))
    expect(question(browsing)).to_have_count(0)
    expect(field).to_have_value(WRITTEN)


def test_nobody_is_asked_after_a_save_or_a_cancel(browsing: Browsing, link: str, memory: str) -> None:
    """Falls where the question stands in every way."""
    field = write(browsing, link, memory, "edit")
    browsing.page.get_by_role("button", name="Cancel").click()
    expect(field).to_have_count(0)
    browsing.page.get_by_role("button", name="Edit", exact=True).click()
    expect(field).to_have_value(SAID)
    field.fill(WRITTEN)
    browsing.page.get_by_role("button", name="Save").click()
    expect(browsing.page.locator(".memory-words")).to_have_text(WRITTEN)
    expect(field).to_have_count(0)
    WAYS["link"](browsing)
    expect(browsing.page.get_by_role("heading", name="Audit")).to_be_visible()


def test_words_stay_when_somebody_archives_their_memory(
    browsing: Browsing, link: str, memory: str, server: httpx2.Client
) -> None:
    """Falls where the form goes with the right to open it."""
    field = write(browsing, link, memory, "edit")
    server.delete(f"{ROOT}/{memory}").raise_for_status()
    expect(browsing.page.locator("main .badge", has_text="archived").first).to_be_visible()
    expect(field).to_have_value(WRITTEN)
