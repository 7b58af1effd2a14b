"""The way back of each decision: all of it is taken back, what was changed since stays, no empty one is offered."""

from __future__ import annotations

from typing import Any

import pytest

from tests.console.inbox.reviewing import ROOT, Reviewing, eventually
from tests.console.inbox.test_changed_meanwhile import decide, look

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

STOOD = ("status", "content", "superseded_by", "supersedes", "approved_by", "doubted")
"""Fields that an undo brings back."""
WAYS = [
    *(
        "pending a",
        "pending r",
        "pending x",
        "pending e…",
        "pending s",
        "proposal a",
        "proposal r",
        "proposal m…",
    ),
    *("quarantined a", "quarantined r", "quarantined x", "doubted 1", "doubted x", "doubted e…"),
    *(
        "stale a",
        "stale r",
        "stale e…",
        "conflict 1",
        "conflict 2",
        "conflict m…",
        "duplicate m",
        "duplicate 1",
    ),
]
"""Kind and key of each decision that can be taken back whole."""


def stood(inbox: Reviewing, ids: Any) -> dict[str, Any]:
    found = {id: inbox.memory(id) for id in ids}
    return {id: {name: memory[name] for name in STOOD} for id, memory in found.items()}


def in_use(inbox: Reviewing) -> set[str]:
    listed = inbox.server.get(f"{ROOT}/memories", params={"limit": 200}).json()["memories"]
    return {memory["id"] for memory in listed if memory["status"] != "archived"}


@pytest.mark.parametrize(
    "kind", ["pending", "proposal", "quarantined", "doubted", "stale", "conflict", "duplicate"]
)
def test_all_that_a_decision_did_is_taken_back(inbox: Reviewing, kind: str) -> None:
    """Falls where the approval before a merge, the correction after a supersession, or new words stay."""
    found = look(inbox, kind)
    for way in [one.split()[1] for one in WAYS if one.split()[0] == kind]:
        before, listed = stood(inbox, found.others.values()), in_use(inbox)
        inbox.show(found.item)
        expect(inbox.card).to_contain_text(found.beside)
        decide(inbox, way)
        expect(inbox.page.get_by_role("button", name="Undo")).to_be_visible()
        assert eventually(lambda before=before: stood(inbox, before) != before), way
        inbox.press("z")
        expect(inbox.told).to_contain_text("Taken back")
        assert stood(inbox, before) == before, way
        assert in_use(inbox) == listed, way
        if kind in ("conflict", "duplicate"):
            found = look(inbox, kind)  # its own pair is decided on


@pytest.mark.parametrize(
    ("kind", "key", "changed"),
    [
        ("pending", "a", "item"),
        ("pending", "s", "item"),
        ("conflict", "1", "second"),
        ("duplicate", "m", "first"),
        ("duplicate", "m", "second"),
    ],
)
def test_what_was_changed_since_a_decision_is_not_undone(
    inbox: Reviewing, kind: str, key: str, changed: str
) -> None:
    """Falls where a way back is sent without the version that the decision left."""
    inbox.browsing.may_be_refused = True
    found = look(inbox, kind)
    inbox.show(found.item)
    expect(inbox.card).to_contain_text(found.beside)
    before = stood(inbox, found.others.values())
    decide(inbox, key)
    assert eventually(lambda: stood(inbox, before) != before)
    id = found.others[changed]
    was_in_use = inbox.memory(id)["status"] == "active"
    if was_in_use:
        inbox.change(id)
    else:
        assert inbox.server.post(f"{ROOT}/memories/{id}/undo", json={}).is_success
        assert inbox.server.delete(f"{ROOT}/memories/{id}").is_success
    theirs = inbox.memory(id)
    inbox.press("z")
    expect(inbox.told).to_contain_text("It has changed since, and stays as it is")
    after = inbox.memory(id)
    assert [after[name] for name in ("status", "tags", "approved_by")] == [
        theirs[name] for name in ("status", "tags", "approved_by")
    ]


def test_what_was_changed_between_the_two_steps_of_a_decision_is_not_undone(inbox: Reviewing) -> None:
    """Falls where the way back takes the version that the second step has found for the one that it has made."""
    inbox.browsing.may_be_refused = True
    found = look(inbox, "pending")
    inbox.show(found.item)
    expect(inbox.card).to_contain_text(found.beside)

    def after_theirs(route: Any) -> None:
        inbox.change(found.others["item"])
        route.continue_()

    inbox.page.route("**/supersede", after_theirs)
    with inbox.page.expect_response("**/supersede"):
        decide(inbox, "s")
    theirs = inbox.memory(found.others["item"])
    inbox.press("z")
    expect(inbox.told).to_contain_text("It has changed since, and stays as it is")
    after = inbox.memory(found.others["item"])
    assert (after["status"], after["tags"]) == ("active", theirs["tags"])


def test_a_group_is_taken_back_with_the_places_that_its_proposals_took(inbox: Reviewing) -> None:
    """Falls where an approved proposal is taken back, and what it superseded is not."""
    item = look(inbox, "proposal").item
    group = [one for one in inbox.of_kind("pending") if one["created_by"] == item["created_by"]]
    targets = [link["target"] for one in group for link in one["relations"]]
    before = stood(inbox, [*(one["id"] for one in group), *targets])
    inbox.show(item)
    inbox.press("A")
    expect(inbox.told).to_contain_text(f"Approved: {len(group)} of {item['created_by']}")
    assert eventually(lambda: all(inbox.memory(id)["status"] == "superseded" for id in targets))
    inbox.press("z")
    expect(inbox.told).to_contain_text("Taken back")
    assert stood(inbox, before) == before


def test_of_a_group_what_was_changed_since_stays(inbox: Reviewing) -> None:
    inbox.browsing.may_be_refused = True
    item = look(inbox, "pending").item
    group = [one["id"] for one in inbox.of_kind("pending") if one["created_by"] == item["created_by"]]
    inbox.show(item)
    inbox.press("A")
    assert eventually(lambda: all(inbox.memory(id)["status"] == "active" for id in group))
    inbox.change(item["id"])
    inbox.press("z")
    expect(inbox.told).to_contain_text(f"{len(group) - 1} taken back; 1 were changed since")
    kept = {id for id in group if inbox.memory(id)["status"] == "active"}
    assert kept == {item["id"]}


@pytest.mark.parametrize(
    ("kind", "key"), [("staged", "a"), ("staged", "r"), ("doubted", "a"), ("conflict", "a")]
)
def test_no_undo_is_offered_of_what_has_no_way_back(inbox: Reviewing, kind: str, key: str) -> None:
    """Falls where the button stands beside a decision for good."""
    item = inbox.of_kind(kind)[0]
    inbox.show(item)
    inbox.press(key)
    expect(inbox.page.locator(".inbox-told .soft")).to_have_text("1 decided")
    assert eventually(lambda: item["id"] not in [one["id"] for one in inbox.of_kind(kind)])
    expect(inbox.page.get_by_role("button", name="Undo")).to_have_count(0)
    inbox.press("z")
    expect(inbox.told).to_contain_text("There is no way back from this")
