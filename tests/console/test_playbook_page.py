"""The playbook in a browser: learnings with their counts, and a reorganised set, accepted, taken back or dropped."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.console import screenshots
from tests.console.browsing import AXE, Browsing
from tests.e2e.test_serve_process import PROGRAM

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

NUMBERS = count(1)
ALIKE = (
    "Write a failing test before you change the code.",
    "Before you change the code, write a failing test.",
)
ALIKE_TOO = (
    "Ask the owner of a table before you drop one of its columns.",
    "Before you drop one of its columns, ask the owner of a table.",
)
OTHER = "Keep database migrations small and reversible."


@pytest.fixture
def project(server: httpx2.Client, data: Path) -> str:
    """A project of its own, in which two of three learnings say nearly the same."""
    return taught(server, data, (*ALIKE, OTHER))


def taught(server: httpx2.Client, data: Path, learnings: tuple[str, ...]) -> str:
    """Name of a new project with these learnings; the last one worked once, and what is alike was looked for."""
    name = f"plays-{next(NUMBERS)}"
    for said in learnings:
        stored = {"content": said, "type": "strategy", "on_duplicate": "create"}
        id = server.post(f"/v1/projects/{name}/memories", json=stored).json()["id"]
    assert server.post(
        f"/v1/projects/{name}/memories/{id}/outcome", json={"result": "worked", "run_id": "run-1"}
    ).is_success
    command = [sys.executable, "-c", PROGRAM, "sweep", "consolidate", "--data", str(data)]
    subprocess.run(command, capture_output=True, check=True, timeout=120)
    return name


def bullets(server: httpx2.Client, project: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.get(f"/v1/projects/{project}/playbook").json()["bullets"]
    return found


def show(browsing: Browsing, link: str, project: str, says: str = "3 learnings now, 2 then") -> Any:
    """Region of what is proposed."""
    browsing.open(link)
    browsing.go(f"{project}/playbook")
    expect(browsing.page.get_by_role("heading", name="Playbook", level=1)).to_be_visible()
    proposed = browsing.page.get_by_role("region", name="Reorganised playbook")
    expect(proposed).to_contain_text(says)
    return proposed


@pytest.mark.parametrize("browsing", ["light", "dark"], indirect=True)
def test_the_playbook_is_accessible_and_never_wider_than_its_window(
    browsing: Browsing, link: str, project: str
) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not here; make console fetches it")
    show(browsing, link, project)
    assert browsing.broken_rules() == []
    if browsing.page.evaluate("() => matchMedia('(prefers-color-scheme: light)').matches"):
        screenshots.take(browsing.page, "playbook")
    for width in (360, 2560):
        browsing.page.set_viewport_size({"width": width, "height": 860})
        assert browsing.page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_what_a_crowded_playbook_leaves_out_is_told(browsing: Browsing, link: str, project: str) -> None:
    note = "5,000 are shown, not shown are 40 of mallory"

    def crowded(route: Any) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "note": note})

    browsing.page.route(re.compile(r"/playbook(\?|$)"), crowded)
    show(browsing, link, project)
    expect(browsing.page.get_by_text(note)).to_be_visible()


def test_a_reorganised_playbook_is_accepted_and_taken_back(
    browsing: Browsing, link: str, project: str, server: httpx2.Client
) -> None:
    proposed = show(browsing, link, project)
    row = browsing.page.get_by_role("table", name="Learnings in use").get_by_role("row", name=OTHER)
    expect(row.get_by_role("cell").nth(2)).to_have_text("1")
    for said in ALIKE:
        expect(proposed).to_contain_text(said)
    before = {(one["id"], one["content"]) for one in bullets(server, project)}
    proposed.get_by_role("button", name="Accept").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("1 united")
    expect(proposed).to_have_count(0)
    assert len(bullets(server, project)) == 2
    browsing.page.get_by_role("button", name="Undo").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("Taken back")
    assert {(one["id"], one["content"]) for one in bullets(server, project)} == before


def test_words_that_somebody_changed_since_stay_where_an_acceptance_is_taken_back(
    browsing: Browsing, link: str, project: str, server: httpx2.Client
) -> None:
    """Falls where the way back is sent without the version that the acceptance left."""
    browsing.may_be_refused = True
    proposed = show(browsing, link, project)
    proposed.get_by_role("button", name="Accept").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("1 united")
    (united,) = [one["id"] for one in bullets(server, project) if one["content"] != OTHER]
    words = "Empty the queue, and then start the worker."
    assert server.patch(f"/v1/projects/{project}/memories/{united}", json={"content": words}).is_success
    browsing.page.get_by_role("button", name="Undo").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("Not the newest version")
    assert words in [one["content"] for one in bullets(server, project)]


def test_a_dropped_reorganisation_changes_nothing_and_is_not_proposed_again(
    browsing: Browsing, link: str, project: str, server: httpx2.Client
) -> None:
    proposed = show(browsing, link, project)
    before = bullets(server, project)
    proposed.get_by_role("button", name="Drop").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("1 kept apart")
    expect(proposed).to_have_count(0)
    assert bullets(server, project) == before
    assert server.get(f"/v1/projects/{project}/playbook/reorganisation").json()["id"] is None


def test_the_inbox_leads_to_the_reorganised_set_where_one_waits(
    browsing: Browsing, link: str, project: str
) -> None:
    browsing.open(link)
    browsing.go(f"{project}/inbox")
    expect(browsing.page.get_by_role("heading", name="Inbox", level=1)).to_be_visible()
    waits = browsing.page.get_by_role("link", name="3 learnings now, 2 then")
    waits.click()
    proposed = browsing.page.get_by_role("region", name="Reorganised playbook")
    proposed.get_by_role("button", name="Drop").click()
    expect(proposed).to_have_count(0)
    browsing.go(f"{project}/inbox")
    expect(browsing.page.get_by_text("Nothing waits for you")).to_be_visible()
    expect(waits).to_have_count(0)


def without_feed(browsing: Browsing) -> None:
    """Leaves the page without the feed, so that it cannot know what others do."""
    browsing.may_be_refused = True
    browsing.page.route("**/events*", lambda route: route.fulfill(status=404, body=""))


def archive_first_of(server: httpx2.Client, project: str, alike: tuple[str, ...]) -> None:
    twin = next(one["id"] for one in bullets(server, project) if one["content"] in alike)
    assert server.delete(f"/v1/projects/{project}/memories/{twin}").is_success


def test_what_has_changed_since_is_told_and_not_decided(
    browsing: Browsing, link: str, data: Path, server: httpx2.Client
) -> None:
    """Falls where a decision is sent without the id of the proposal that was looked at: another set would be united."""
    project = taught(server, data, (*ALIKE, *ALIKE_TOO, OTHER))
    without_feed(browsing)
    proposed = show(browsing, link, project, "5 learnings now, 3 then")
    archive_first_of(server, project, ALIKE)
    with browsing.page.expect_response("**/playbook/reorganisation") as answer:
        proposed.get_by_role("button", name="Accept").click()
    assert answer.value.status == 409
    expect(browsing.page.get_by_role("alert")).to_contain_text("has changed meanwhile")
    expect(proposed).to_contain_text("4 learnings now, 3 then")
    assert len(bullets(server, project)) == 4
    proposed.get_by_role("button", name="Accept").click()
    expect(browsing.page.get_by_role("status")).to_contain_text("1 united")
    assert len(bullets(server, project)) == 3


def test_where_nothing_is_left_to_unite_that_is_told(
    browsing: Browsing, link: str, project: str, server: httpx2.Client
) -> None:
    without_feed(browsing)
    proposed = show(browsing, link, project)
    archive_first_of(server, project, ALIKE)
    proposed.get_by_role("button", name="Accept").click()
    expect(browsing.page.get_by_role("alert")).to_contain_text("nothing to reorganise")
    expect(proposed).to_have_count(0)
    assert len(bullets(server, project)) == 2


def test_who_may_not_review_sees_the_playbook_alone(browsing: Browsing, link: str, project: str) -> None:
    def as_agent(route: Any) -> None:
        told = route.fetch()
        route.fulfill(json={**told.json(), "may_review": False, "may_administer": False})

    browsing.page.route("**/v1/me", as_agent)
    browsing.open(link)
    browsing.go(f"{project}/playbook")
    expect(browsing.page.get_by_role("table", name="Learnings in use")).to_contain_text(OTHER)
    expect(browsing.page.get_by_role("region", name="Reorganised playbook")).to_have_count(0)
