"""What another client changes between a look and a decision: told for each kind of decision, never overwritten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.console.inbox.reviewing import ROOT, Reviewing, eventually
from tests.console.inbox.waiting_items import PROJECT
from tests.run_examples import loop

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

WORDS = "What is said from now on, in other words than before."
GO_TESTS = "Go tests named *_test.go"
"""Learned from the files of runs, and by no other run of this folder."""
KEPT = ("status", "status_reason", "content", "tags", "superseded_by", "supersedes", "approved_by", "doubted")
"""Fields that no refused decision changes."""


@dataclass(frozen=True)
class Look:
    """Item that is looked at, with the ids of what is shown beside it.

    Args:
        others: ids of memories, by what they are to the item.
        beside: words that the card shows once they are there.
    """

    item: dict[str, Any]
    others: dict[str, str]
    beside: str


def look(inbox: Reviewing, kind: str) -> Look:
    """First item of a kind. Args: kind: of the server's, or `proposal`: pending in another's place."""
    if kind in ("conflict", "duplicate"):
        item = inbox.of_kind(kind)[0]
        one, other = (memory["id"] for memory in item["memories"])
        return Look(item, {"first": one, "second": other}, "From the first to the second")
    if kind in ("pending", "proposal"):
        is_proposal = kind == "proposal"
        item = next(one for one in inbox.of_kind("pending") if bool(one["relations"]) == is_proposal)
        near = inbox.server.get(f"{ROOT}/reviews/{item['id']}/near").json()["near"][0]["id"]
        return Look(item, {"item": item["id"], "near": near}, "Nearest in force")
    item = inbox.of_kind(kind)[0]
    if kind != "doubted":
        return Look(item, {"item": item["id"]}, "Nearest in force" if kind == "stale" else "Why it waits")
    (proposal,) = item["doubted"]["proposals"]
    return Look(item, {"item": item["id"], "proposal": proposal}, "Proposed instead")


def decide(inbox: Reviewing, key: str) -> None:
    """Decides by a key; one with a mark asks for words first."""
    inbox.press(key[0])
    if key.endswith("…"):
        inbox.write(WORDS)


@pytest.mark.parametrize(
    ("kind", "decisions"),
    [
        ("pending", ["a item", "r item", "x item", "e… item", "m… item", "m… near", "s item", "s near"]),
        ("proposal", ["a item", "a near", "m… near", "e… near"]),
        ("quarantined", ["a item", "r item", "x item"]),
        ("doubted", ["a item", "r item", "x item", "e… item", "1 item", "1 proposal"]),
        ("stale", ["a item", "r item", "x item", "e… item"]),
        ("conflict", ["1 first", "1 second", "2 first", "2 second", "m… first", "a second"]),
        ("duplicate", ["1 first", "2 first", "m first", "m second", "a first"]),
    ],
)
def test_a_decision_on_what_was_changed_unseen_is_refused(
    inbox: Reviewing, kind: str, decisions: list[str]
) -> None:
    """Without the feed the page cannot know. Falls where a decision is sent without a version that was looked at."""
    inbox.browsing.may_be_refused = True
    inbox.unplug_feed()
    found = look(inbox, kind)
    for decision in decisions:
        key, changed = decision.split()
        inbox.show(found.item)
        expect(inbox.card).to_contain_text(found.beside)
        inbox.change(found.others[changed])
        before = {id: _kept(inbox, id) for id in found.others.values()}
        decide(inbox, key)
        expect(inbox.told).to_contain_text("changed meanwhile, nothing was decided")
        assert {id: _kept(inbox, id) for id in before} == before, decision
        assert found.item["id"] in [item["id"] for item in inbox.of_kind(found.item["kind"])]


def _kept(inbox: Reviewing, id: str) -> dict[str, Any]:
    memory = inbox.memory(id)
    return {name: memory[name] for name in KEPT}


def test_a_group_takes_no_place_of_what_was_changed_unseen(inbox: Reviewing) -> None:
    """Falls where the approval of a group names no memory in whose place its proposals go."""
    inbox.browsing.may_be_refused = True
    inbox.unplug_feed()
    item = look(inbox, "proposal").item
    group = [one for one in inbox.of_kind("pending") if one["created_by"] == item["created_by"]]
    places = {one["id"]: link["target"] for one in group for link in one["relations"]}
    inbox.show(item)
    changed = places.pop(item["id"])
    inbox.change(changed)
    before = {id: _kept(inbox, id) for id in (item["id"], changed)}
    inbox.press("A")
    expect(inbox.told).to_contain_text("What stands beside it has changed meanwhile, nothing was decided")
    assert eventually(lambda: {inbox.memory(id)["superseded_by"] for id in places.values()} == set(places))
    assert {id: _kept(inbox, id) for id in before} == before
    inbox.show(item)
    expect(inbox.card).to_contain_text("would take its place")
    inbox.press("A")
    assert eventually(lambda: inbox.memory(changed)["superseded_by"] == item["id"])


def test_a_learning_on_which_somebody_else_has_decided_is_told(inbox: Reviewing) -> None:
    """Learnings of runs have no versions: a second decision is refused by their state."""
    inbox.browsing.may_be_refused = True
    inbox.unplug_feed()
    for key in ("a", "r"):
        item = inbox.of_kind("staged")[0]
        inbox.show(item)
        theirs = "reject" if key == "a" else "promote"
        body = {} if theirs == "reject" else None
        assert inbox.server.post(f"/v1/projects/review/staging/{item['id']}/{theirs}", json=body).is_success
        inbox.press(key)
        expect(inbox.told).to_contain_text(item["learning"]["content"])
        expect(inbox.told).not_to_contain_text("Promoted" if key == "a" else "Rejected:")


def test_what_changes_under_the_eyes_is_told_and_not_decided_on(inbox: Reviewing) -> None:
    """Falls where newer words slip under the eyes, or a key decides on what was not looked at."""
    item = look(inbox, "pending").item
    inbox.show(item)
    said = item["content"].replace("UTC", "CET")
    inbox.change(item["id"], content=said)
    alert = inbox.card.get_by_role("alert")
    expect(alert).to_contain_text("has changed since you read it")
    expect(alert.locator("ins")).to_have_text("CET")
    inbox.press("a")
    expect(inbox.told).to_contain_text("nothing was decided")
    assert inbox.memory(item["id"])["status"] == "pending"
    inbox.press("v")
    expect(inbox.card.locator(".inbox-words")).to_have_text(said)
    inbox.press("a")
    assert eventually(lambda: inbox.memory(item["id"])["status"] == "active")


def test_a_pair_that_changes_under_the_eyes_is_told(inbox: Reviewing) -> None:
    found = look(inbox, "conflict")
    inbox.show(found.item)
    inbox.change(found.others["second"], confidence=0.9)
    expect(inbox.card.get_by_role("alert")).to_contain_text("Its words are the same")
    inbox.press("1")
    expect(inbox.told).to_contain_text("nothing was decided")
    inbox.press("v 1")
    assert eventually(lambda: inbox.memory(found.others["second"])["superseded_by"] == found.others["first"])


def test_what_was_settled_unseen_is_gone_on_from(inbox: Reviewing) -> None:
    """Falls where a memory that is out of use by now is offered for a decision again, which is refused again."""
    inbox.browsing.may_be_refused = True
    inbox.unplug_feed()
    item = look(inbox, "pending").item
    inbox.show(item)
    assert inbox.server.delete(f"{ROOT}/memories/{item['id']}").is_success
    decide(inbox, "a")
    expect(inbox.told).to_contain_text("nothing was decided")
    inbox.lines.first.click()
    expect(inbox.card.get_by_role("alert")).to_contain_text("Go on to the next")
    inbox.press("v")
    expect(inbox.page.locator(f"[data-item='{item['id']}']")).to_have_count(0)


@pytest.mark.parametrize("kind", ["pending", "conflict"])
def test_what_waits_no_longer_stays_in_sight_until_it_is_noted(inbox: Reviewing, kind: str) -> None:
    """Falls where another item slips under the key that is about to be pressed."""
    found = look(inbox, kind)
    inbox.show(found.item)
    gone = found.others["item" if kind == "pending" else "first"]
    assert inbox.server.delete(f"{ROOT}/memories/{gone}").is_success
    expect(inbox.card.get_by_role("alert")).to_contain_text("It waits no longer")
    expect(inbox.card).to_have_attribute("data-item", found.item["id"])
    waiting = {item["id"] for item in inbox.waiting()}
    inbox.press("a")
    expect(inbox.told).to_contain_text("nothing was decided")
    assert {item["id"] for item in inbox.waiting()} == waiting
    inbox.press("v")
    expect(inbox.card).not_to_have_attribute("data-item", found.item["id"])


def test_words_that_were_written_survive_a_refusal(inbox: Reviewing) -> None:
    inbox.browsing.may_be_refused = True
    inbox.unplug_feed()
    found = look(inbox, "stale")
    inbox.show(found.item)
    inbox.press("e")
    inbox.change(found.others["item"])
    inbox.write(WORDS)
    expect(inbox.told).to_contain_text("nothing was decided")
    inbox.lines.first.click()
    expect(inbox.card).to_have_attribute("data-item", found.item["id"])
    inbox.press("v e")
    expect(inbox.page.get_by_role("dialog").get_by_label("Words")).to_have_value(WORDS)
    inbox.press("Control+Enter")
    assert eventually(lambda: inbox.memory(found.item["id"])["status"] == "superseded")


def test_words_that_no_decision_was_sent_with_stay_and_are_asked_for(inbox: Reviewing) -> None:
    """Falls where Escape, or a way to another page, takes what was written."""
    found = look(inbox, "stale")
    inbox.show(found.item)
    inbox.press("e")
    field = inbox.page.get_by_role("dialog").get_by_label("Words")
    field.fill(WORDS)
    inbox.press("Escape")
    expect(field).to_have_count(0)
    inbox.browsing.go(f"{PROJECT}/dashboard")
    inbox.page.get_by_role("button", name="Stay").click()
    expect(inbox.page.get_by_role("dialog")).to_have_count(0)
    inbox.press("e")
    expect(field).to_have_value(WORDS)
    inbox.press("Escape")
    expect(field).to_have_count(0)
    inbox.press("x")
    assert eventually(lambda: inbox.memory(found.item["id"])["status"] == "archived")
    inbox.browsing.go(f"{PROJECT}/dashboard")
    expect(inbox.page.get_by_role("heading", name="Dashboard")).to_be_visible()


def test_a_learning_that_another_run_taught_as_well_is_decided_on_without_another_look(
    inbox: Reviewing,
) -> None:
    """Falls where a reviewer's own approvals of what two runs taught alike change the learning that is looked at."""
    inbox.browsing.may_be_refused = True
    staged = inbox.of_kind("staged")
    first = staged[0]
    again = next(one for one in staged[1:] if one["learning"]["content"] == first["learning"]["content"])
    promoted = inbox.server.post(f"{ROOT}/staging/{first['id']}/promote").json()
    learning = inbox.memory(promoted["memory_id"])
    assert (learning["status"], learning["version"]) == ("pending", 1)
    inbox.unplug_feed()
    inbox.show(learning)
    assert inbox.server.post(f"{ROOT}/staging/{again['id']}/promote").is_success
    assert inbox.memory(learning["id"])["version"] == 2
    inbox.press("a")
    expect(inbox.told).to_contain_text("nothing was decided")
    inbox.lines.filter(has_text=learning["content"]).first.click()
    expect(inbox.card).to_have_attribute("data-item", learning["id"])
    expect(inbox.card.get_by_role("alert").filter(has_text="has changed since you read it")).to_have_count(0)
    inbox.press("a")
    assert eventually(lambda: inbox.memory(learning["id"])["status"] == "active")


def test_a_learning_to_which_another_run_brought_words_is_looked_at_again(inbox: Reviewing) -> None:
    """Falls where the whole detail counts as evidence: its examples stand beside the words that agents are shown."""
    inbox.browsing.may_be_refused = True
    for number, part in enumerate(("auth/login", "cart/sum")):
        run = loop(f"words-{number}")
        for iteration in run["iterations"][:3]:
            iteration["filesModified"] = [f"{part}.go", f"{part}_test.go"]
        assert inbox.server.post(f"{ROOT}/runs", params={"mode": "staged"}, json=run).is_success
    staged = [item for item in inbox.of_kind("staged") if item["run_id"].startswith("words-")]
    one, other = (item for item in staged if item["learning"]["content"] == GO_TESTS)
    promoted = inbox.server.post(f"{ROOT}/staging/{one['id']}/promote").json()
    learning = inbox.memory(promoted["memory_id"])
    assert learning["status"] == "pending"
    inbox.unplug_feed()
    inbox.show(learning)
    assert inbox.server.post(f"{ROOT}/staging/{other['id']}/promote").is_success
    inbox.press("a")
    expect(inbox.told).to_contain_text("nothing was decided")
    inbox.lines.filter(has_text=GO_TESTS).first.click()
    expect(inbox.card.get_by_role("alert").filter(has_text="has changed since you read it")).to_have_count(1)
