"""The settings in a browser: each with its effect, none reset by a save of another, none overwritten unseen."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import httpx2
import pytest

from tests.console import screenshots
from tests.console.browsing import AXE, Browsing
from tests.given import REPOSITORY

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

NUMBERS = count(1)
SYNONYMS = {"dunning": ["reminder", "payment reminder"]}


@pytest.fixture
def project(server: httpx2.Client) -> str:
    """A project of its own, with two settings that are not the defaults."""
    name = f"team-{next(NUMBERS)}"
    server.post(f"/v1/projects/{name}/memories", json={"content": "The office opens at nine."})
    changed = {"synonyms": SYNONYMS, "limits": {"writes_per_principal_hour": 50}}
    assert server.patch(f"/v1/projects/{name}/settings", json=changed).status_code == 200
    return name


def settings(server: httpx2.Client, project: str) -> Any:
    return server.get(f"/v1/projects/{project}/settings").json()


def show(browsing: Browsing, link: str, project: str) -> None:
    browsing.open(link)
    browsing.go(f"{project}/settings")
    expect(part(browsing, "Differs from the defaults")).to_contain_text("synonyms › dunning")


def part(browsing: Browsing, name: str) -> Any:
    return browsing.page.get_by_role("region", name=name)


def save(browsing: Browsing) -> None:
    browsing.page.get_by_role("button", name="Save").click()


@pytest.mark.parametrize("browsing", ["light", "dark"], indirect=True)
def test_the_settings_break_no_rule_of_accessibility(browsing: Browsing, link: str, project: str) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not here; make console fetches it")
    show(browsing, link, project)
    assert browsing.broken_rules() == []
    if browsing.page.evaluate("() => matchMedia('(prefers-color-scheme: light)').matches"):
        screenshots.take(browsing.page, "settings")


@pytest.mark.parametrize("width", [360, 768, 2560])
def test_the_settings_are_not_wider_than_their_window(
    browsing: Browsing, link: str, project: str, width: int
) -> None:
    browsing.page.set_viewport_size({"width": width, "height": 800})
    show(browsing, link, project)
    assert browsing.page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_a_save_changes_what_was_edited_and_resets_no_other(
    browsing: Browsing, link: str, project: str, server: httpx2.Client
) -> None:
    before = settings(server, project)
    show(browsing, link, project)
    browsing.page.get_by_label("Agents and runs").check()
    browsing.page.get_by_label("Memories in a prompt").fill("25")
    browsing.page.get_by_label("Sources of entity events").fill("ci  catalogue")
    browsing.page.keyboard.press("Tab")
    browsing.page.get_by_label("Redaction").select_option("personal")
    expect(part(browsing, "To be saved")).to_contain_text("prompt limit")
    browsing.page.get_by_label("warning").fill("30")
    browsing.page.get_by_label("Stays hot, hours, code").fill("72")
    browsing.page.keyboard.press("Tab")
    expect(part(browsing, "To be saved")).to_contain_text("code › pin › ttl hours")
    save(browsing)
    expect(browsing.page.get_by_role("status")).to_contain_text("Saved")
    after = settings(server, project)
    expected = {
        "review_sources": ["run"],
        "event_sources": ["ci", "catalogue"],
        "prompt_limit": 25,
        "privacy_mode": "personal",
    }
    assert {name: after[name] for name in expected} == expected
    assert (after["default_expiry_days"]["warning"], after["tier_policy"]["code"]["pin"]["ttl_hours"]) == (
        30,
        72,
    )
    untouched = ("synonyms", "limits", "profile", "blend", "outcome_model")
    assert {name: after[name] for name in untouched} == {name: before[name] for name in untouched}
    browsing.page.get_by_role("button", name="Undo").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("Taken back")
    again = settings(server, project)
    assert {**again, "version": 0} == {**before, "version": 0}


def test_a_line_that_cannot_be_read_changes_nothing(
    browsing: Browsing, link: str, project: str, server: httpx2.Client
) -> None:
    """Falls where a line without a colon is taken for one that was deleted."""
    show(browsing, link, project)
    before = settings(server, project)["synonyms"]
    field = browsing.page.get_by_label("What else is said for a word")
    field.fill("dunning reminder")
    field.blur()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_value("dunning reminder")
    expect(browsing.page.locator("[data-setting=synonyms]")).to_contain_text("nothing here is changed")
    assert settings(server, project)["synonyms"] == before


def test_a_setting_goes_back_to_its_default(
    browsing: Browsing, link: str, project: str, server: httpx2.Client
) -> None:
    show(browsing, link, project)
    part(browsing, "How much one caller may do").get_by_role("button", name="Reset").click()
    save(browsing)
    expect(browsing.page.get_by_role("status")).to_contain_text("Saved")
    expect(part(browsing, "Differs from the defaults")).not_to_contain_text("writes per principal hour")
    assert settings(server, project)["limits"]["writes_per_principal_hour"] == 2000
    assert settings(server, project)["synonyms"] == SYNONYMS


def test_what_somebody_has_changed_meanwhile_is_told_and_kept(
    browsing: Browsing, link: str, project: str, server: httpx2.Client
) -> None:
    """Falls where a save is sent without the version that was read."""
    browsing.may_be_refused = True
    show(browsing, link, project)
    server.patch(f"/v1/projects/{project}/settings", json={"profile": "governed"})
    browsing.page.get_by_label("Memories in a prompt").fill("7")
    browsing.page.get_by_label("Memories in a prompt").blur()
    save(browsing)
    alert = browsing.page.get_by_role("alert")
    expect(alert).to_contain_text("profile: learned → governed")
    assert settings(server, project)["prompt_limit"] == 10
    alert.get_by_role("button", name="Take note").click()
    save(browsing)
    expect(browsing.page.get_by_role("status")).to_contain_text("Saved")
    after = settings(server, project)
    assert (after["profile"], after["prompt_limit"]) == ("governed", 7)


def test_a_value_that_is_refused_is_told_at_its_field(browsing: Browsing, link: str, project: str) -> None:
    browsing.may_be_refused = True
    show(browsing, link, project)
    browsing.page.get_by_label("Memories in a prompt").fill("5000")
    browsing.page.get_by_label("Memories in a prompt").blur()
    save(browsing)
    expect(browsing.page.get_by_role("alert")).to_contain_text("req_")
    expect(browsing.page.get_by_label("Memories in a prompt")).to_have_attribute("aria-invalid", "true")


def test_each_setting_of_the_api_has_a_field(browsing: Browsing, link: str, project: str) -> None:
    """Falls where a setting, a limit or a class of content is added that the page does not show."""
    schemas = json.loads((REPOSITORY / "docs" / "openapi.json").read_text("utf-8"))["components"]["schemas"]
    own = [name for name, one in schemas["Settings"]["properties"].items() if not one.get("readOnly")]
    limits = [f"limits/{name}" for name in schemas["Limits"]["properties"]]
    weights = [f"context_weights/{name}" for name in schemas["ContentClass"]["enum"]]
    show(browsing, link, project)
    shown = browsing.page.locator("[data-setting]")
    found = {
        shown.nth(place).get_attribute("data-setting")
        for place in range(shown.count())
        if shown.nth(place).locator("input, select, textarea").count()
    }
    heads = {name.partition("/")[0] for name in found if name}
    assert sorted(set(own) - heads) == []
    assert sorted({*limits, *weights} - found) == []


def test_weights_prices_and_how_much_is_tried_out_are_set_and_taken_away(
    browsing: Browsing, link: str, project: str, server: httpx2.Client
) -> None:
    before = settings(server, project)
    show(browsing, link, project)
    browsing.page.get_by_label("How much lists try out").fill("0.25")
    browsing.page.get_by_label("How much lists try out").blur()
    browsing.page.get_by_label("Weights of code by hand").check()
    for signal, weight in (("relevance, code", "0.5"), ("recency, code", "0.15")):
        browsing.page.get_by_label(signal).fill(weight)
        browsing.page.get_by_label(signal).blur()
    browsing.page.get_by_label("What a model's input costs").fill("maker/large:v2: 2.5\nsmall: 0.1")
    browsing.page.get_by_label("What a model's input costs").blur()
    expect(part(browsing, "To be saved")).to_contain_text("small")
    save(browsing)
    expect(browsing.page.get_by_role("status")).to_contain_text("Saved")
    after = settings(server, project)
    weights = {"relevance": 0.5, "recency": 0.15, "credibility": 0.2, "coherence": 0.15}
    assert after["context_weights"] == {"code": weights}
    assert after["token_prices"] == {"maker/large:v2": 2.5, "small": 0.1}
    assert after["exploration"] == 0.25
    changed = ("context_weights", "token_prices", "exploration", "version")
    assert [name for name in before if after[name] != before[name]] == [
        name for name in before if name in changed
    ]
    browsing.page.get_by_label("Weights of code by hand").uncheck()
    browsing.page.get_by_label("What a model's input costs").fill("small: 0.1")
    browsing.page.get_by_label("What a model's input costs").blur()
    expect(part(browsing, "To be saved")).to_contain_text("maker")
    save(browsing)
    expect(part(browsing, "To be saved")).to_contain_text("Nothing")
    after = settings(server, project)
    assert (after["context_weights"], after["token_prices"]) == ({}, {"small": 0.1})


def test_weights_that_do_not_make_one_are_told_at_their_class(
    browsing: Browsing, link: str, project: str, server: httpx2.Client
) -> None:
    browsing.may_be_refused = True
    show(browsing, link, project)
    browsing.page.get_by_label("Weights of research by hand").check()
    browsing.page.get_by_label("relevance, research").fill("0.9")
    browsing.page.get_by_label("relevance, research").blur()
    save(browsing)
    expect(browsing.page.locator("[data-setting='context_weights/research']")).to_contain_text("sum up")
    assert settings(server, project)["context_weights"] == {}
