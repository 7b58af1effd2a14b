"""The inbox in a browser: what waits, with who and why and what is near, is decided by key and taken back."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.console import screenshots
from tests.console.browsing import AXE
from tests.console.inbox.reviewing import ROOT, Reviewing, eventually
from tests.console.inbox.waiting_items import PROJECT
from tests.e2e.test_serve_process import PROGRAM

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect


@pytest.mark.parametrize("browsing", ["light", "dark"], indirect=True)
def test_the_inbox_breaks_no_rule_of_accessibility(inbox: Reviewing) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not here; make console fetches it")
    inbox.show(inbox.of_kind("doubted")[0])
    expect(inbox.card).to_contain_text("Proposed instead")
    assert inbox.browsing.broken_rules() == []
    if inbox.page.evaluate("() => matchMedia('(prefers-color-scheme: light)').matches"):
        screenshots.take(inbox.page, "inbox")


@pytest.mark.parametrize("width", [360, 768, 2560])
def test_the_inbox_is_not_wider_than_its_window(inbox: Reviewing, width: int) -> None:
    inbox.page.set_viewport_size({"width": width, "height": 800})
    expect(inbox.card).to_be_visible()
    assert inbox.page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_the_item_that_is_looked_at_and_the_kind_stand_in_the_address(inbox: Reviewing) -> None:
    inbox.page.get_by_role("link", name=re.compile("^Stale")).click()
    expect(inbox.lines).to_have_count(len(inbox.of_kind("stale")))
    inbox.press("j j k")
    second = inbox.of_kind("stale")[1]
    expect(inbox.card).to_contain_text(second["content"])
    expect(inbox.page).to_have_url(re.compile(f"kind=stale.*at={second['id']}"))


def test_an_item_says_who_why_and_what_is_near_with_the_difference(inbox: Reviewing) -> None:
    item = next(one for one in inbox.of_kind("pending") if "Thursdays" in one["content"])
    inbox.show(item)
    expect(inbox.card).to_contain_text(item["created_by"])
    expect(inbox.card).to_contain_text("source run needs approval")
    expect(inbox.card).to_contain_text("would take its place")
    expect(inbox.card.locator(".nearest del").first).to_contain_text("Tuesdays")
    expect(inbox.card.locator(".nearest ins").first).to_contain_text("Thursdays")


def test_a_decision_is_taken_back_by_a_key(inbox: Reviewing) -> None:
    item = inbox.of_kind("quarantined")[0]
    inbox.show(item)
    inbox.press("r")
    expect(inbox.told).to_contain_text(f"Rejected: {item['content']}")
    assert eventually(lambda: inbox.memory(item["id"])["status"] == "rejected")
    inbox.press("z")
    expect(inbox.told).to_contain_text("Taken back")
    expect(inbox.card).to_contain_text(item["content"])
    assert inbox.memory(item["id"])["status"] == "quarantined"


def test_a_group_of_one_principal_is_decided_as_one_and_taken_back(inbox: Reviewing) -> None:
    item = inbox.of_kind("quarantined")[0]
    group = [one["id"] for one in inbox.of_kind("quarantined") if one["created_by"] == item["created_by"]]
    assert len(group) > 1
    inbox.show(item)
    inbox.press("R")
    expect(inbox.told).to_contain_text(f"Rejected: {len(group)} of {item['created_by']}")
    assert eventually(lambda: not {one["id"] for one in inbox.of_kind("quarantined")} & set(group))
    inbox.press("z")
    expect(inbox.told).to_contain_text("Taken back")
    assert {one["id"] for one in inbox.of_kind("quarantined")} >= set(group)


def test_what_one_run_alone_doubts_is_decided_as_one(inbox: Reviewing, data: Path) -> None:
    """Falls where doubts are grouped by the author of what is doubted, or sent as approvals."""
    ids = []
    for said in ("Shelf 3 holds the fuses.", "The lift is inspected in May."):
        ids.append(inbox.server.post(f"{ROOT}/memories", json={"content": said}).json()["id"])
        verdict = ["outcome", ids[-1], "failed", "--run", "r9", "--agent", "codex", "-p", PROJECT]
        command = [sys.executable, "-c", PROGRAM, *verdict, "--data", str(data)]
        subprocess.run(command, capture_output=True, check=True, timeout=120)
    inbox.show(inbox.memory(ids[0]))
    group = inbox.page.get_by_role("region", name="Doubted agent:codex")
    group.get_by_role("button", name="All still hold").click()
    expect(inbox.told).to_contain_text("Still hold: 2 of agent:codex")
    assert eventually(lambda: all(inbox.memory(id)["doubted"] is None for id in ids))
    assert [inbox.memory(id)["approved_by"] for id in ids] == [None, None]


def test_an_edit_is_saved_and_approved_by_keys(inbox: Reviewing) -> None:
    item = next(one for one in inbox.of_kind("pending") if "TZ=UTC" in one["content"])
    inbox.show(item)
    inbox.press("e")
    inbox.write("The tests need TZ=UTC, whatever the machine says.")
    expect(inbox.told).to_contain_text("Reworded and approved")
    assert eventually(lambda: inbox.memory(item["id"])["status"] == "active")
    assert inbox.memory(item["id"])["content"] == ("The tests need TZ=UTC, whatever the machine says.")


def test_a_proposal_takes_the_place_of_what_is_doubted(inbox: Reviewing) -> None:
    item = inbox.of_kind("doubted")[0]
    inbox.show(item)
    expect(inbox.card.locator(".pair ins").first).to_contain_text("Thursdays")
    inbox.press("1")
    expect(inbox.told).to_contain_text("Proposal taken")
    (proposal,) = item["doubted"]["proposals"]
    assert eventually(lambda: inbox.memory(item["id"])["superseded_by"] == proposal)


def test_an_item_takes_the_place_of_what_is_near_or_is_merged_into_it(inbox: Reviewing) -> None:
    first, second = [one for one in inbox.of_kind("pending") if "TZ=UTC" in one["content"]][:2]
    inbox.show(first)
    expect(inbox.card).to_contain_text("Nearest in force")
    near = inbox.server.get(f"{ROOT}/reviews/{first['id']}/near").json()["near"][0]["id"]
    inbox.press("s")
    expect(inbox.told).to_contain_text("Took its place")
    assert eventually(lambda: inbox.memory(near)["superseded_by"] == first["id"])
    merge(inbox, second, "The tests pass with TZ=UTC alone, after the stand-up too.")
    expect(inbox.told).to_contain_text("Merged")
    assert eventually(lambda: inbox.memory(second["id"])["status"] == "superseded")


def merge(inbox: Reviewing, item: dict[str, Any], words: str) -> None:
    inbox.show(item)
    expect(inbox.card).to_contain_text("Nearest in force")
    inbox.press("m")
    inbox.write(words)


def test_a_proposal_is_merged_with_what_it_is_proposed_for(inbox: Reviewing) -> None:
    item = next(one for one in inbox.of_kind("pending") if one["relations"])
    said = "It is deployed on Tuesdays and on Thursdays."
    merge(inbox, item, said)
    expect(inbox.told).to_contain_text("Reworded and approved")
    assert eventually(lambda: inbox.memory(item["id"])["status"] == "active")
    after = inbox.memory(item["id"])
    assert (after["content"], after["supersedes"]) == (said, item["relations"][0]["target"])


def test_the_help_lists_the_keys_of_the_item(inbox: Reviewing) -> None:
    inbox.show(inbox.of_kind("conflict")[0])
    inbox.press("?")
    help_ = inbox.page.get_by_role("dialog", name="Keyboard shortcuts")
    for does in ("Keep the first", "Keep both", "Next item", "Take the last decision back"):
        expect(help_).to_contain_text(does)
