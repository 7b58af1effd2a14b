"""The page of one memory: each view, each action with its way back, and what happens when somebody else was faster."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.console import screenshots
from tests.console.browsing import AXE, Browsing
from tests.console.places import VIEWS
from tests.console.test_people import link_for
from tests.console.told_memory import CORRECTION, FIRST, SECOND, URN, ToldMemory, tell

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect


@pytest.fixture(scope="session")
def told(server: httpx2.Client) -> ToldMemory:
    return tell(server, "billing")


@pytest.fixture
def fresh(server: httpx2.Client, request: pytest.FixtureRequest) -> ToldMemory:
    """The same in a project of the test's own, for tests that change it."""
    return tell(server, f"b-{abs(hash(request.node.name)) % 10**8}")


def record(server: httpx2.Client, told: ToldMemory) -> dict[str, Any]:
    found: dict[str, Any] = server.get(f"/v1/projects/{told.project}/memories/{told.id}").json()
    return found


def open_memory(browsing: Browsing, link: str, told: ToldMemory, query: str = "") -> None:
    browsing.open(link)
    browsing.go(f"{told.project}/memories/{told.id}{query}")
    expect(browsing.page.get_by_role("heading", name="Memory", level=1)).to_be_visible()
    expect(browsing.page.locator(".memory-words")).to_be_visible()


def pressed(browsing: Browsing, name: str) -> None:
    browsing.page.get_by_role("button", name=name, exact=True).click()


@pytest.mark.parametrize("browsing", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("view", VIEWS)
def test_each_view_of_a_memory_is_there_and_accessible(
    browsing: Browsing, link: str, told: ToldMemory, view: str
) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not here; make console fetches it")
    open_memory(browsing, link, told, f"?view={view}")
    expect(browsing.page.locator("main")).to_contain_text(VIEWS[view])
    assert browsing.broken_rules() == []
    is_light = browsing.page.evaluate("() => matchMedia('(prefers-color-scheme: light)').matches")
    if view in ("record", "versions", "graph") and is_light:
        screenshots.take(browsing.page, f"memory-{view}")


@pytest.mark.parametrize("width", [360, 768, 2560])
@pytest.mark.parametrize("view", VIEWS)
def test_no_view_is_wider_than_its_window(
    browsing: Browsing, link: str, told: ToldMemory, view: str, width: int
) -> None:
    browsing.page.set_viewport_size({"width": width, "height": 800})
    open_memory(browsing, link, told, f"?view={view}&form=edit")
    expect(browsing.page.locator("main")).to_contain_text(VIEWS[view])
    assert browsing.page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_versions_are_shown_as_differences_and_an_earlier_one_is_restored(
    browsing: Browsing, link: str, fresh: ToldMemory, server: httpx2.Client
) -> None:
    open_memory(browsing, link, fresh, "?view=versions")
    expect(browsing.page.locator(".diff del").first).to_have_text("four")
    expect(browsing.page.locator(".diff ins").first).to_contain_text("seven")
    pressed(browsing, "Restore")
    expect(browsing.page.locator(".memory-words")).to_have_text(FIRST)
    expect(browsing.page.get_by_role("status")).to_contain_text("Version 1 restored")
    browsing.page.keyboard.press("z")
    expect(browsing.page.locator(".memory-words")).to_have_text(SECOND)
    assert record(server, fresh)["content"] == SECOND


def test_an_edit_sends_what_was_changed_and_is_taken_back(
    browsing: Browsing, link: str, fresh: ToldMemory, server: httpx2.Client
) -> None:
    open_memory(browsing, link, fresh)
    browsing.page.keyboard.press("e")
    expect(browsing.page).to_have_url(re.compile("form=edit"))
    browsing.page.get_by_label("Content").fill(f"{SECOND} Ask Ada.")
    browsing.page.get_by_label("Tags").fill("queue, billing, retention")
    pressed(browsing, "Save")
    expect(browsing.page.locator(".memory-words")).to_have_text(f"{SECOND} Ask Ada.")
    assert record(server, fresh)["tags"] == ["queue", "billing", "retention"]
    pressed(browsing, "Undo")
    expect(browsing.page.locator(".memory-words")).to_have_text(SECOND)


def test_what_changed_meanwhile_is_told_and_not_overwritten(
    browsing: Browsing, link: str, fresh: ToldMemory, server: httpx2.Client
) -> None:
    """Falls without If-Match: the words of the other would be gone."""
    browsing.may_be_refused = True
    open_memory(browsing, link, fresh, "?form=edit")
    browsing.page.get_by_label("Content").fill("Mine.")
    theirs = SECOND.replace("seven", "nine")
    server.patch(f"/v1/projects/{fresh.project}/memories/{fresh.id}", json={"content": theirs})
    expect(browsing.page.locator(".memory-words")).to_have_text(theirs)
    pressed(browsing, "Save")
    alert = browsing.page.get_by_role("alert")
    expect(alert).to_contain_text("Somebody has changed it meanwhile")
    expect(alert.locator("ins")).to_have_text("nine")
    assert record(server, fresh)["content"] == theirs
    screenshots.take(browsing.page, "memory-changed-meanwhile")
    pressed(browsing, "Take theirs")
    expect(browsing.page.get_by_label("Content")).to_have_value(theirs)


@pytest.fixture
def proposal(server: httpx2.Client, data: Path, fresh: ToldMemory) -> ToldMemory:
    """Correction that waits for the place of a memory, which is the first of its neighbours."""
    one_time = link_for(data, "--principal", "codex", "--role", "agent").partition("#token=")[2]
    session = server.post("/console/session", headers={"authorization": f"Bearer {one_time}"}).json()["token"]
    answer = server.patch(
        f"/v1/projects/{fresh.project}/memories/{fresh.id}",
        json={"content": SECOND.replace("seven", "nine")},
        headers={"authorization": f"Bearer {session}"},
    )
    assert answer.status_code == 202, answer.text
    (id,) = record(server, fresh)["doubted"]["proposals"]
    return replace(fresh, id=id, neighbours=(fresh.id,))


def test_a_proposal_takes_the_place_that_is_shown_beside_it_and_no_newer_one(
    browsing: Browsing, link: str, proposal: ToldMemory, server: httpx2.Client
) -> None:
    """Falls where the approval does not say what was looked at: newer words would go out of use unseen."""
    browsing.may_be_refused = True
    browsing.page.route(re.compile(r"/events$"), lambda route: route.abort())
    open_memory(browsing, link, proposal)
    place = browsing.page.get_by_role("region", name="Place that it would take")
    expect(place.locator("ins")).to_have_text("nine")
    path = f"/v1/projects/{proposal.project}/memories/{proposal.neighbours[0]}"
    server.patch(path, json={"content": SECOND.replace("seven", "eleven")}).raise_for_status()
    pressed(browsing, "Approve in its place")
    expect(browsing.page.get_by_role("status")).to_contain_text("Somebody has changed it meanwhile")
    expect(place.locator("del")).to_have_text("eleven")
    assert (record(server, proposal)["approved_by"], server.get(path).json()["status"]) == (None, "active")
    pressed(browsing, "Approve in its place")
    expect(place).to_have_count(0)
    assert server.get(path).json()["superseded_by"] == proposal.id
    pressed(browsing, "Undo")
    expect(browsing.page.get_by_role("status")).to_contain_text("Taken back")
    expect(place).to_be_visible()
    assert server.get(path).json()["status"] == "active"


def test_a_rule_that_is_broken_is_told_at_its_field(browsing: Browsing, link: str, fresh: ToldMemory) -> None:
    browsing.may_be_refused = True
    open_memory(browsing, link, fresh, "?form=edit")
    browsing.page.get_by_label("Content").fill("   ")
    pressed(browsing, "Save")
    expect(browsing.page.get_by_label("Content")).to_have_attribute("aria-invalid", "true")
    expect(browsing.page.get_by_role("alert")).to_contain_text("req")


def test_a_memory_is_pinned_archived_and_brought_back(
    browsing: Browsing, link: str, fresh: ToldMemory, server: httpx2.Client
) -> None:
    open_memory(browsing, link, fresh)
    pressed(browsing, "Pin")
    expect(browsing.page.get_by_role("button", name="Unpin")).to_be_visible()
    assert record(server, fresh)["pinned"] is True
    pressed(browsing, "Archive")
    expect(browsing.page.locator("main .badge", has_text="archived").first).to_be_visible()
    expect(browsing.page.get_by_role("button", name="Edit", exact=True)).to_have_count(0)
    pressed(browsing, "Undo “archived”")
    expect(browsing.page.get_by_role("button", name="Edit", exact=True)).to_be_visible()
    assert record(server, fresh)["status"] == "active"


def test_a_memory_is_superseded_and_the_chain_shows_both(
    browsing: Browsing, link: str, fresh: ToldMemory, server: httpx2.Client
) -> None:
    open_memory(browsing, link, fresh)
    pressed(browsing, "Supersede")
    browsing.page.get_by_label("What is true instead").fill(CORRECTION.replace("fourteen", "thirty"))
    browsing.page.get_by_label("Why").fill("The runbook was changed.")
    pressed(browsing, "Put it in its place")
    expect(browsing.page.locator(".memory-words")).to_contain_text("thirty")
    browsing.page.get_by_role("link", name="Versions").click()
    chain = browsing.page.get_by_role("region", name="Correction chain")
    expect(chain.get_by_role("listitem")).to_have_count(2)
    expect(chain).to_contain_text("superseded")
    assert record(server, fresh)["status"] == "superseded"


def test_a_verdict_is_reported_and_listed(
    browsing: Browsing, link: str, fresh: ToldMemory, server: httpx2.Client
) -> None:
    open_memory(browsing, link, fresh, "?view=verdicts")
    expect(browsing.page.locator("tbody tr")).to_have_count(2)
    pressed(browsing, "Failed")
    expect(browsing.page.locator("tbody tr")).to_have_count(3)
    expect(browsing.page.locator("tbody tr").first).to_contain_text("failed")
    assert record(server, fresh)["failed"] == 1


def test_a_stale_memory_is_confirmed(
    browsing: Browsing, link: str, fresh: ToldMemory, server: httpx2.Client
) -> None:
    told = {"urn": URN, "event": "schema_changed"}
    server.post(f"/v1/projects/{fresh.project}/entity-events", json=told)
    open_memory(browsing, link, fresh)
    pressed(browsing, "It still holds")
    expect(browsing.page.get_by_role("status")).to_contain_text("Confirmed")
    expect(browsing.page.locator("main .badge", has_text="active").first).to_be_visible()
    assert record(server, fresh)["status"] == "active"


def test_the_graph_leads_from_memory_to_memory(browsing: Browsing, link: str, told: ToldMemory) -> None:
    open_memory(browsing, link, told, "?view=graph")
    expect(browsing.page.locator(".network canvas").first).to_be_visible()
    browsing.page.locator(".surroundings a", has_text="migrations").click()
    expect(browsing.page.locator(".memory-words")).to_contain_text("migrations")
    expect(browsing.page).to_have_url(re.compile(r"mem_[^?]+\?view=graph"))


def test_a_memory_that_is_not_there_is_told_with_its_request(browsing: Browsing, link: str) -> None:
    browsing.may_be_refused = True
    browsing.open(link)
    browsing.go("billing/memories/mem_none")
    expect(browsing.page.get_by_role("alert")).to_contain_text("Request")


def test_a_correction_of_what_changed_meanwhile_is_told_and_not_put_in_its_place(
    browsing: Browsing, link: str, fresh: ToldMemory, server: httpx2.Client
) -> None:
    """Falls without If-Match, or where it names what came while the form was open."""
    browsing.may_be_refused = True
    open_memory(browsing, link, fresh, "?form=supersede")
    mine = CORRECTION.replace("fourteen", "thirty")
    browsing.page.get_by_label("What is true instead").fill(mine)
    theirs = SECOND.replace("seven", "nine")
    server.patch(f"/v1/projects/{fresh.project}/memories/{fresh.id}", json={"content": theirs})
    expect(browsing.page.locator(".memory-words")).to_have_text(theirs)
    pressed(browsing, "Put it in its place")
    alert = browsing.page.get_by_role("alert")
    expect(alert.locator("ins")).to_have_text("nine")
    assert record(server, fresh)["status"] == "active"
    expect(browsing.page.get_by_label("What is true instead")).to_have_value(mine)
    pressed(browsing, "Put mine in its place")
    expect(browsing.page.locator(".memory-words")).to_have_text(mine)
    correction = record(server, fresh)["superseded_by"]
    pressed(browsing, "Undo")
    expect(browsing.page.get_by_role("status")).to_contain_text("Taken back")
    expect(browsing.page.locator(".memory-words")).to_have_text(theirs)
    assert record(server, fresh)["status"] == "active"
    answer = server.get(f"/v1/projects/{fresh.project}/memories/{correction}").json()
    assert answer["status"] == "archived"
