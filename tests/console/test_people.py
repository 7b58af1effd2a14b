"""Who looks: in the language of their browser, with the rights of their token. What would be refused is not shown."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.console.browsing import Browsing
from tests.console.seeds import PROJECT
from tests.console.told_work import RUN, tell
from tests.e2e.test_serve_process import PROGRAM

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

ROOT = f"/v1/projects/{PROJECT}"
FOR_EVERYONE = {
    **{
        name: name.capitalize()
        for name in ("dashboard", "memories", "search", "graph", "playbook", "timeline")
    },
    "agent": "What an agent would get",
    "runs": "Runs",
    f"runs/{RUN}": "Fix the retry of the price cache",
    "tasks": "Tasks",
    "lifecycle": "Lifecycle",
}
"""Heading of each page, by its place."""
VIEWS_FOR_EVERYONE = {
    "Record": "",
    "Versions": "",
    "Verdicts": "/verdicts",
    "Estimate": "/outcome",
    "Graph": "/graph",
    "Entity events": "/entity-events",
}
"""Views of a memory, and what each asks the API for; empty: what the page has asked for already."""
FOR_REVIEWERS = ("Inbox", "Authors", "Audit", "Settings")
OWN_WORDS = "The codex agent keeps its scratch files in .scratch."


def link_for(data: Path, *options: str) -> str:
    command = [sys.executable, "-c", PROGRAM, "console", "--data", str(data), *options]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.strip()


@pytest.fixture
def german(chromium: Any, server: httpx2.Client) -> Iterator[Browsing]:
    context = chromium.new_context(locale="de-DE", timezone_id="Europe/Berlin")
    found = Browsing(context.new_page(), str(server.base_url).rstrip("/"))
    yield found
    context.close()
    assert found.complaints == []


def test_times_and_numbers_are_of_the_browsers_language(german: Browsing, link: str) -> None:
    """Falls where a date is written by the page and not by the browser: 11/28/2026."""
    german.open(link)
    german.go(f"{PROJECT}/memories")
    made = german.page.locator("tbody time").first
    expect(made).to_have_attribute("title", re.compile(r"^\d{2}\.\d{2}\.\d{4}, \d{2}:\d{2}$"))
    expect(made).to_have_text(re.compile(r"^(vor|in|gerade|heute|gestern)\b"))
    german.go(f"{PROJECT}/dashboard")
    expect(german.page.locator(".figure-value", has_text="%").first).to_have_text(
        re.compile(r"^\d+(,\d)?\s%$")
    )


def test_a_day_of_the_statistics_is_the_same_everywhere(
    chromium: Any, server: httpx2.Client, link: str
) -> None:
    """Falls where a day in UTC is shown in the browser's zone: west of Greenwich it is the day before."""
    today = server.get(f"{ROOT}/stats/days", params={"days": 1}).json()["days"][0]["day"]
    context = chromium.new_context(locale="de-DE", timezone_id="America/Los_Angeles")
    found = Browsing(context.new_page(), str(server.base_url).rstrip("/"))
    found.open(link)
    found.go(f"{PROJECT}/dashboard")
    table = found.page.get_by_role("table", name="Memories stored by day")
    said = ".".join(reversed(str(today)[:10].split("-")))
    expect(table.locator("tbody th").last).to_have_text(said)
    context.close()
    assert found.complaints == []


@pytest.fixture
def refused(browsing: Browsing) -> list[str]:
    """Requests of the page that the API refuses."""
    found: list[str] = []
    browsing.page.on(
        "response", lambda answer: found.append(answer.url) if answer.status in (401, 403) else None
    )
    return found


@pytest.fixture
def as_agent(browsing: Browsing, data: Path, server: httpx2.Client) -> Browsing:
    del server
    browsing.open(link_for(data, "--principal", "codex", "--role", "agent"))
    return browsing


def test_an_agents_token_asks_for_nothing_that_it_is_refused(
    as_agent: Browsing, server: httpx2.Client, refused: list[str]
) -> None:
    """Falls where a page asks for what its caller may not see."""
    names = as_agent.page.get_by_role("navigation", name="Pages").first
    for title in FOR_REVIEWERS:
        expect(names.get_by_role("link", name=title)).to_have_count(0)
    told = tell(server, "agents-work")
    for page, heading in {**FOR_EVERYONE, f"memories/{told.used}": "Memory"}.items():
        as_agent.go(f"{told.project}/{page}")
        expect(as_agent.page).to_have_url(re.compile(f"/{page}$"))
        expect(as_agent.page.locator("main h1")).to_have_text(heading)
        expect(as_agent.page.locator('main [aria-busy="true"]')).to_have_count(0)
    views = as_agent.page.get_by_role("navigation", name="Views of the memory").get_by_role("link")
    expect(views).to_have_text(list(VIEWS_FOR_EVERYONE))
    for view, asked in VIEWS_FOR_EVERYONE.items():
        with as_agent.page.expect_response(re.compile(asked)) if asked else nullcontext():
            views.filter(has_text=view).click()
        expect(views.filter(has_text=view)).to_have_attribute("aria-current", "true")
    assert refused == []


def test_a_reviewer_of_some_personas_is_not_led_to_the_audit_log(
    browsing: Browsing, data: Path, server: httpx2.Client, refused: list[str]
) -> None:
    """Falls where the log of every persona is offered to whoever reviews."""
    browsing.page.route(
        "**/v1/me", lambda route: route.fulfill(json={**route.fetch().json(), "may_audit": False})
    )
    browsing.open(link_for(data, "--principal", "rita", "--role", "reviewer"))
    names = browsing.page.get_by_role("navigation", name="Pages").first
    expect(names.get_by_role("link", name="Inbox")).to_be_visible()
    for page in ("Audit", "Authors"):
        expect(names.get_by_role("link", name=page)).to_have_count(0)
    memory = server.get(f"{ROOT}/memories", params={"limit": 1}).json()["memories"][0]
    browsing.go(f"{PROJECT}/memories/{memory['id']}")
    views = browsing.page.get_by_role("navigation", name="Views of the memory").get_by_role("link")
    expect(views.filter(has_text="Shown to")).to_be_visible()
    expect(views.filter(has_text="Audit")).to_have_count(0)
    assert refused == []


def test_an_agent_is_shown_buttons_for_its_own_words_alone(
    as_agent: Browsing, server: httpx2.Client, data: Path, refused: list[str]
) -> None:
    """Falls where `mayChange` looks at the name alone, or a button is shown to all."""
    theirs = server.get(f"{ROOT}/memories", params={"limit": 1}).json()["memories"][0]
    as_agent.go(f"{PROJECT}/memories/{theirs['id']}")
    actions = as_agent.page.get_by_role("toolbar", name="Actions")
    expect(actions.get_by_role("button", name="Worked")).to_be_visible()
    for name in ("Edit", "Supersede", "Pin", "Approve", "Reject", "Archive"):
        expect(actions.get_by_role("button", name=name, exact=True)).to_have_count(0)
    one_time = link_for(data, "--principal", "codex", "--role", "agent").partition("#token=")[2]
    session = server.post("/console/session", headers={"authorization": f"Bearer {one_time}"}).json()["token"]
    own = server.post(
        f"{ROOT}/memories", json={"content": OWN_WORDS}, headers={"authorization": f"Bearer {session}"}
    ).json()
    as_agent.go(f"{PROJECT}/memories/{own['id']}")
    expect(as_agent.page.locator("main")).to_contain_text(OWN_WORDS)
    for name, times in (("Edit", 1), ("Archive", 1), ("Pin", 0), ("Approve", 0), ("Reject", 0)):
        expect(actions.get_by_role("button", name=name, exact=True)).to_have_count(times)
    actions.get_by_role("button", name="Archive", exact=True).click()
    expect(as_agent.page.get_by_role("status")).to_contain_text("Archived")
    assert refused == []
