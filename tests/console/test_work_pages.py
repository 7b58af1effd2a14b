"""The pages Timeline, Audit, Runs, Lifecycle, Graph and Tasks: what each shows, at any width and in both themes."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from tests.console import screenshots
from tests.console.browsing import AXE, Browsing
from tests.console.told_work import LINKED, RUN, SAID, URN, ToldWork, tell
from tests.run_examples import loop

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

PAGES = {
    "timeline": ("timeline", "Timeline", SAID),
    "audit": ("audit", "Audit", "409 duplicate"),
    "authors": ("authors", "Authors", "2 by people"),
    "runs": ("runs", "Runs", "Fix the retry"),
    "run": (f"runs/{RUN}", "Fix the retry", "Test-driven development"),
    "lifecycle": ("lifecycle", "Lifecycle", "The spring sale"),
    "graph": (f"graph?entity={URN}", "Graph", "Step 3"),
    "tasks": ("tasks/task.beads.shop-12", "Tasks", LINKED),
}
"""Place of each page, its heading, and words that are there when it has loaded."""


@pytest.fixture(scope="session")
def told(server: httpx2.Client) -> ToldWork:
    return tell(server, "work")


def show(browsing: Browsing, link: str, page: str, project: str = "work") -> None:
    where, heading, words = PAGES[page]
    browsing.open(link)
    browsing.go(f"{project}/{where}")
    expect(browsing.page.get_by_role("heading", name=heading, level=1)).to_be_visible()
    expect(browsing.page.get_by_text(words).first).to_be_visible()


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("browsing", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_accessible_and_never_wider_than_its_window(
    browsing: Browsing, link: str, page: str
) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not here; make console fetches it")
    show(browsing, link, page)
    if page == "graph":
        expect(browsing.page.locator(".network canvas").first).to_be_visible()
    assert browsing.broken_rules() == []
    if browsing.page.evaluate("() => matchMedia('(prefers-color-scheme: light)').matches"):
        screenshots.take(browsing.page, page)
    for width in (360, 2560):
        browsing.page.set_viewport_size({"width": width, "height": 860})
        assert browsing.page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_a_change_appears_on_the_timeline_by_itself_and_leads_to_its_memory(
    browsing: Browsing, link: str, server: httpx2.Client, told: ToldWork
) -> None:
    show(browsing, link, "timeline")
    expect(browsing.page.locator(".live")).to_have_attribute("data-on", "true")
    said = "Orders of the night are packed at six."
    server.post(f"/v1/projects/{told.project}/memories", json={"content": said})
    newest = browsing.page.locator(".timeline-change").first
    expect(newest).to_contain_text(said)
    newest.get_by_role("link").click()
    expect(browsing.page).to_have_url(re.compile(r"#/work/memories/mem_"))


def test_the_timeline_works_without_the_feed(
    browsing: Browsing, link: str, server: httpx2.Client, told: ToldWork
) -> None:
    def refuse_streams(route: Any) -> None:
        is_stream = "text/event-stream" in route.request.headers.get("accept", "")
        route.fulfill(status=404, body="") if is_stream else route.continue_()

    browsing.may_be_refused = True
    browsing.page.route(re.compile("/events"), refuse_streams)
    show(browsing, link, "timeline")
    said = "Parcels of the night leave at seven."
    server.post(f"/v1/projects/{told.project}/memories", json={"content": said})
    browsing.page.get_by_role("button", name="Read anew").click()
    expect(browsing.page.get_by_text(said)).to_be_visible()


@pytest.mark.usefixtures("told")
def test_kinds_and_pages_of_the_timeline_stand_in_the_address(browsing: Browsing, link: str) -> None:
    browsing.open(link)
    browsing.go("shop/timeline")
    expect(browsing.page.locator(".timeline-change")).to_have_count(40)
    first = browsing.page.locator(".timeline-change").first.inner_text()
    browsing.page.keyboard.press("n")
    expect(browsing.page).to_have_url(re.compile("before="))
    expect(browsing.page.get_by_role("button", name="Newest changes")).to_be_visible()
    expect(browsing.page.locator(".timeline-change").first).not_to_have_text(first)
    browsing.page.get_by_label("Changes").select_option("run")
    expect(browsing.page.get_by_text("No change of this kind here")).to_be_visible()


@pytest.mark.usefixtures("told")
def test_the_audit_is_filtered_and_its_chain_checked(browsing: Browsing, link: str) -> None:
    show(browsing, link, "audit")
    browsing.page.get_by_label("What").fill("refused")
    browsing.page.keyboard.press("Tab")
    expect(browsing.page.locator("tbody tr")).to_have_count(1)
    expect(browsing.page).to_have_url(re.compile("what=refused"))
    browsing.page.get_by_role("button", name="Check the chain").click()
    expect(browsing.page.get_by_role("heading", name="The chain holds")).to_be_visible()


@pytest.mark.usefixtures("told")
def test_a_broken_chain_is_told_with_its_entry(browsing: Browsing, link: str) -> None:
    broken = {"position": 3, "expected": "a" * 64, "found": "b" * 64}
    answer = {"is_valid": False, "entries": 2, "erased": 0, "head": "c" * 64, "broken": broken}
    browsing.page.route(re.compile("/audit/verify"), lambda route: route.fulfill(json=answer))
    show(browsing, link, "audit")
    browsing.page.get_by_role("button", name="Check the chain").click()
    expect(browsing.page.get_by_role("heading", name="Entry 3 does not hold")).to_be_visible()


def test_the_record_of_an_author_begins_anew_with_a_reason(
    browsing: Browsing, link: str, server: httpx2.Client
) -> None:
    """Falls where the reason stays in the dialog, or the list is not read again."""
    told = tell(server, "judged")
    show(browsing, link, "authors", project="judged")
    (row,) = browsing.page.locator("tbody tr").all()
    expect(row).to_contain_text("behind")
    row.get_by_role("button", name="Begin anew").click()
    asked = browsing.page.get_by_role("dialog")
    asked.get_by_label("Why").fill("The shelf was full by then.")
    asked.get_by_role("button", name="Begin anew").click()
    expect(asked).to_have_count(0)
    expect(row).to_contain_text("The shelf was full by then.")
    expect(row).to_contain_text("as others")
    expect(row.get_by_role("button", name="Begin anew")).to_have_count(0)
    (kept,) = server.get(f"/v1/projects/{told.project}/authors").json()["authors"]
    assert (kept["lowered_by"], kept["reset_reason"]) == (0.0, "The shelf was full by then.")


def test_a_run_shows_what_it_taught_and_the_memories_that_it_had(
    browsing: Browsing, link: str, told: ToldWork
) -> None:
    show(browsing, link, "runs")
    browsing.page.get_by_role("link", name="Fix the retry of the price cache").click()
    expect(browsing.page).to_have_url(re.compile(f"runs/{RUN}"))
    used = browsing.page.get_by_role("region", name="Memories that it had")
    expect(used).to_contain_text(SAID)
    expect(used.get_by_role("link")).to_have_attribute("href", re.compile(told.used))
    taught = browsing.page.get_by_role("region", name="What it taught")
    expect(taught).to_contain_text("Test-driven development approach")


def test_a_run_shows_its_iterations_and_what_it_was_shown(
    browsing: Browsing, link: str, server: httpx2.Client, told: ToldWork
) -> None:
    """The words are those that it had then: falls where those of the newest version are read."""
    root = f"/v1/projects/{told.project}"
    once = "Checkout waits for the price cache of the night run for an hour."
    edited = server.post(f"{root}/memories", json={"content": once, "on_duplicate": "create"}).json()["id"]
    asked = {"query": "How long does checkout wait for the price cache?", "run_id": "run-shown"}
    recalled = server.post(f"{root}/recall", json=asked).json()
    assert told.used in [one["id"] for one in recalled["memories"]]
    assert edited in [one["id"] for one in recalled["memories"]]
    assert server.post(f"{root}/runs", json=loop("run-shown", "Wait less for prices")).is_success
    later = {"content": "Nothing waits for the price cache of the night run."}
    assert server.patch(f"{root}/memories/{edited}", json=later).is_success
    browsing.open(link)
    browsing.go(f"{told.project}/runs/run-shown")
    did = browsing.page.get_by_role("region", name="What it did")
    expect(did.locator(".memory-line")).to_have_count(4)
    expect(did).to_contain_text("SyntaxError: unexpected token")
    expect(did).to_contain_text("auth/login.ts")
    shown = browsing.page.get_by_role("region", name="What it was shown")
    expect(shown).to_contain_text(recalled["recall_id"])
    expect(shown.get_by_role("link", name=SAID[:40])).to_have_attribute("href", re.compile(told.used))
    expect(shown.get_by_role("link", name=once)).to_have_attribute("href", re.compile(edited))


@pytest.mark.usefixtures("told")
def test_the_lifecycle_shows_tiers_what_ends_and_each_sweep(browsing: Browsing, link: str) -> None:
    show(browsing, link, "lifecycle")
    expect(
        browsing.page.get_by_role("region", name="What ends next").locator("tbody tr").first
    ).to_be_visible()
    sweeps = browsing.page.get_by_role("region", name="Sweeps")
    expect(sweeps).to_contain_text("archives what has expired")
    browsing.page.get_by_role("link", name=re.compile("^cold")).click()
    expect(browsing.page).to_have_url(re.compile("memories\\?tier=cold"))


@pytest.mark.usefixtures("told")
def test_the_graph_says_what_it_leaves_out_and_goes_on_from_an_entity(browsing: Browsing, link: str) -> None:
    browsing.open(link)
    browsing.go(f"work/graph?entity={URN}&limit=5")
    expect(browsing.page.get_by_text("further away are left out")).to_be_visible()
    browsing.page.get_by_label("Nodes at most").select_option("200")
    expect(browsing.page.get_by_text("further away are left out")).to_have_count(0)
    expect(browsing.page.locator(".graph-node .mark[data-standing]").first).to_be_visible()
    browsing.page.get_by_role("link", name=SAID[:40]).first.click()
    expect(browsing.page).to_have_url(re.compile("work/memories/mem_"))


@pytest.mark.usefixtures("told")
def test_two_thousand_nodes_are_drawn_and_listed_on_demand(browsing: Browsing, link: str) -> None:
    nodes = [{"id": f"urn:n:{place}", "kind": "urn", "nearness": 1 / (place + 1)} for place in range(2_000)]
    edges = [
        {"source": f"urn:n:{place}", "target": f"urn:n:{place // 7}", "type": "linked"}
        for place in range(1, 2_000)
    ]
    answer = {"entity": URN, "hops": 2, "nodes": nodes, "edges": edges, "is_whole": False, "left_out": 7}
    browsing.page.route(
        re.compile(r"/graph\?"), lambda route: route.fulfill(json={**answer, "degraded": False})
    )
    browsing.open(link)
    browsing.go(f"work/graph?entity={URN}&limit=2000")
    expect(browsing.page.locator(".network canvas").first).to_be_visible(timeout=30_000)
    expect(browsing.page.get_by_text("7 nodes further away are left out")).to_be_visible()
    browsing.page.get_by_role("button", name="List all 2,000 nodes").click()
    expect(browsing.page.locator("tbody tr")).to_have_count(2_000)


@pytest.mark.usefixtures("told")
def test_a_task_has_its_marks_and_the_memories_about_it(browsing: Browsing, link: str) -> None:
    browsing.open(link)
    browsing.go("work/tasks")
    line = browsing.page.locator(".memory-line").first
    for mark in ("in progress", "priority 1", "Beads", "cache"):
        expect(line.get_by_text(mark, exact=True)).to_be_visible()
    browsing.page.keyboard.press("j")
    expect(browsing.page.get_by_text(LINKED)).to_be_visible()
    browsing.page.get_by_label("Show").select_option("done")
    expect(browsing.page.get_by_role("heading", name="No task is done")).to_be_visible()
