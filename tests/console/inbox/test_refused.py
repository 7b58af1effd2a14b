"""What a refused decision leaves in sight: the item with what is beside it as it is now, until a person has looked."""

from __future__ import annotations

import json
import re

import pytest

from tests.console.inbox.reviewing import EVENTS, ROOT, Reviewing, eventually
from tests.console.inbox.test_changed_meanwhile import look

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import Route, expect

BUSY = {"type": "about:blank", "title": "Busy", "status": 503, "detail": "Try again later", "errors": []}


def test_no_key_takes_a_proposal_that_is_being_read_again(inbox: Reviewing) -> None:
    """Falls where the proposal as it was stays under its key: a second press would be refused as the first one was."""
    inbox.browsing.may_be_refused = True
    inbox.unplug_feed()
    found = look(inbox, "doubted")
    inbox.show(found.item)
    take = inbox.card.get_by_role("button", name="Take proposal 1")
    expect(take).to_be_visible()
    proposal = found.others["proposal"]
    inbox.change(proposal)
    read, held = re.compile(f"/memories/{proposal}$"), list[Route]()
    inbox.page.route(read, lambda route: held.append(route))
    inbox.press("1")
    expect(inbox.told).to_contain_text("What stands beside it has changed meanwhile")
    inbox.lines.filter(has_text=found.item["content"]).click()
    expect(inbox.card).to_contain_text("Reading what is proposed")
    expect(take).to_have_count(0)
    inbox.page.unroute(read)
    for route in held:
        route.continue_()
    expect(take).to_be_visible()
    inbox.press("1")
    assert eventually(lambda: inbox.memory(found.item["id"])["superseded_by"] == proposal)


def test_what_waits_no_longer_after_a_refusal_stays_until_it_is_noted(inbox: Reviewing) -> None:
    """Falls where the next list takes it out of sight: who has gone on would believe that it was archived."""
    inbox.browsing.may_be_refused = True
    inbox.unplug_feed()
    found = look(inbox, "doubted")
    inbox.show(found.item)
    assert inbox.server.patch(f"{ROOT}/memories/{found.others['proposal']}/reject", json={}).is_success
    assert found.item["id"] not in [item["id"] for item in inbox.waiting()]
    inbox.press("x")
    expect(inbox.told).to_contain_text("nothing was decided")
    inbox.lines.nth(3).click()
    expect(inbox.card).not_to_have_attribute("data-item", found.item["id"])
    inbox.page.unroute(EVENTS)
    expect(inbox.page.get_by_text("not live")).to_have_count(0)
    with inbox.page.expect_response(re.compile("/reviews")):
        inbox.change(inbox.waiting()[0]["id"])
    inbox.lines.filter(has_text=found.item["content"]).click()
    expect(inbox.card.get_by_role("alert")).to_contain_text("has changed since you read it")
    inbox.press("v x")
    assert eventually(lambda: inbox.memory(found.item["id"])["status"] == "archived")


def test_of_a_large_group_what_was_decided_stays_so_where_a_later_request_fails(inbox: Reviewing) -> None:
    """Falls where all come back as undecided: the first hundred are, and a second decision on them would be refused."""
    inbox.browsing.may_be_refused = True
    lines = [
        {"content": f"Shelf {number} holds {number * 7} parts.", "source": "run", "on_duplicate": "create"}
        for number in range(103)
    ]
    assert inbox.server.post(f"{ROOT}/memories:batch", json=lines).is_success
    group = [one for one in inbox.of_kind("pending") if one["content"].startswith("Shelf")]
    asked = list[Route]()

    def answer(route: Route) -> None:
        asked.append(route)
        if len(asked) == 1:
            route.continue_()
        else:
            route.fulfill(status=503, content_type="application/problem+json", body=json.dumps(BUSY))

    inbox.page.route(re.compile("reviews:decide"), answer)
    inbox.page.reload()
    inbox.show(group[0])
    inbox.press("R")
    expect(inbox.told).to_contain_text("Try again later")
    expect(inbox.lines.filter(has_text="Shelf")).to_have_count(3)
    expect(inbox.page.locator(".inbox-told .soft")).to_have_text("100 decided")
    left = [one["id"] for one in inbox.of_kind("pending") if one["content"].startswith("Shelf")]
    assert len(left) == 3
    inbox.press("z")
    expect(inbox.page.locator(".inbox-told .soft")).to_have_text("0 decided")
    expect(inbox.lines.filter(has_text="Shelf")).to_have_count(103)
