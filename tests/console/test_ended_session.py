"""A session that ends while something is typed: one signs in over the page, and nothing is lost, or shown to others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.console.browsing import Browsing
from tests.console.seeds import PROJECT
from tests.console.test_people import link_for

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

WRITTEN = "The archive is moved to the attic."


def sign_in_again(browsing: Browsing, link: str) -> None:
    asked = browsing.page.get_by_role("dialog", name="Sign in again")
    expect(asked.get_by_role("alert")).to_contain_text("the session has ended")
    expect(browsing.page.locator(".frame")).to_be_hidden()
    asked.get_by_label("Or paste a token").fill(link)
    asked.get_by_role("button", name="Use this token").click()
    expect(asked).to_have_count(0)
    expect(browsing.page.locator(".frame")).to_be_visible()


def test_settings_that_were_not_saved_are_there_after_signing_in_again(
    browsing: Browsing, link: str, data: Path, server: httpx2.Client, end_session: Callable[[], None]
) -> None:
    """Falls where the sign-in takes the place of the page."""
    browsing.open(link)
    browsing.go("office/settings")
    field = browsing.page.get_by_label("Memories in a prompt")
    field.fill("25")
    field.blur()
    end_session()
    browsing.page.get_by_role("button", name="Save").click()
    sign_in_again(browsing, link_for(data))
    expect(field).to_have_value("25")
    browsing.page.get_by_role("button", name="Save").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("Saved")
    assert server.get("/v1/projects/office/settings").json()["prompt_limit"] == 25
    kept = browsing.page.evaluate("() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")
    assert "25" not in kept


@pytest.fixture
def typed(browsing: Browsing, link: str, server: httpx2.Client, end_session: Callable[[], None]) -> Any:
    """Field with words about a memory, whose session has ended, with a dialog of the page open."""
    said = {"content": "The archive is in the cellar.", "on_duplicate": "create"}
    id = server.post(f"/v1/projects/{PROJECT}/memories", json=said).raise_for_status().json()["id"]
    browsing.open(link)
    browsing.go(f"{PROJECT}/memories/{id}?form=edit")
    field = browsing.page.get_by_label("Content")
    field.fill(WRITTEN)
    field.blur()
    browsing.page.keyboard.press("?")
    expect(browsing.page.get_by_role("dialog")).to_be_visible()
    end_session()
    path = f"/v1/projects/{PROJECT}/memories/{id}"
    server.patch(path, json={"tags": ["theirs"]}).raise_for_status()  # which the page reads, and is refused
    return field


def test_typed_words_are_there_after_signing_in_again(browsing: Browsing, typed: Any, data: Path) -> None:
    """Falls where a refused reading takes the form away, or a dialog of the page keeps people from signing in."""
    browsing.page.get_by_role("dialog", name="Sign in again").wait_for()
    browsing.page.keyboard.press("Escape")
    sign_in_again(browsing, link_for(data))
    expect(typed).to_have_value(WRITTEN)
    expect(browsing.page.locator("main")).to_contain_text("theirs")
    expect(browsing.page.get_by_text("the session has ended")).to_have_count(0)


def test_nothing_that_was_typed_is_shown_to_another_person(
    browsing: Browsing, typed: Any, data: Path
) -> None:
    """Falls where the page outlasts the change of its caller."""
    sign_in_again(browsing, link_for(data, "--principal", "codex", "--role", "agent"))
    expect(browsing.page.locator(".top-caller")).to_contain_text("codex")
    expect(typed).to_have_count(0)
    assert WRITTEN not in browsing.page.content()
