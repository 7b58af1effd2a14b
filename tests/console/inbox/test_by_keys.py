"""A bad week in the inbox: everything that waits, of every kind, is decided without the mouse in three keys at most."""

from __future__ import annotations

import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from math import ceil
from typing import Any

import pytest

from tests.console.inbox.reviewing import Reviewing, eventually

pytest.importorskip("playwright.sync_api")

ITEMS = int(os.environ.get("INBOX_ITEMS", "200"))
"""Items that are decided, at least: as many as a bad week brings."""

ITEMS_A_NAME = 7
"""Items of all kinds about each name that is filled in, at least."""

OF_EACH_KIND = ceil(ITEMS / ITEMS_A_NAME)
KEYS_AN_ITEM = 3
KINDS = {"pending", "quarantined", "doubted", "stale", "conflict", "duplicate", "staged"}
KEYS_OF: Mapping[str, str] = {
    **{"pending": "arx", "quarantined": "rxa", "doubted": "a1x", "stale": "arx"},
    **{"conflict": "12a", "duplicate": "m1a", "staged": "ar"},
}
"""Keys that decide on a kind, taken in turn."""

NEWER = "v"
READING = re.compile("Looking for what is near|Reading what is proposed")
"""What a card says until all that stands beside its item is there, and each decision can take it along."""
RECORDER = """() => {
  window.__pressed = [];
  window.__pointed = 0;
  const item = () => document.querySelector("[data-item]")?.dataset.item ?? "";
  const note = (event) => event.isTrusted && window.__pressed.push([item(), event.key]);
  document.addEventListener("keydown", note, { capture: true });
  for (const kind of ["pointerdown", "mousedown", "wheel", "touchstart"]) {
    document.addEventListener(kind, () => (window.__pointed += 1), { capture: true });
  }
}"""
"""Notes each key that the browser hears, with the item that is looked at then, and each use of a pointer."""


@dataclass
class Run:
    """Decisions by keys.

    Args:
        items: all that waited, by id; what comes of decisions, such as the memory of a learning, joins them.
        decided: the key that decided on each.
    """

    inbox: Reviewing
    items: dict[str, dict[str, Any]]
    turns: dict[str, Any] = field(default_factory=lambda: defaultdict(count))
    decided: dict[str, str] = field(default_factory=dict)

    def decide_all(self) -> None:
        """Presses keys until nothing is in sight, and nothing comes back."""
        for _ in range(KEYS_AN_ITEM * len(self.items) + 1):
            if not self._is_any_in_sight():
                return
            self._press()
        raise AssertionError("the inbox does not empty")

    def _is_any_in_sight(self) -> bool:
        """Looks if an item is there, and waits for what is refused and comes back."""
        seen = self.inbox.card.count() > 0
        return (
            seen
            or not eventually(lambda: not self.inbox.waiting() or self.inbox.card.count() > 0)
            or (self.inbox.card.count() > 0)
        )

    def _press(self) -> None:
        self.inbox.expect(self.inbox.card).not_to_contain_text(READING)
        id = self.inbox.card.get_attribute("data-item")
        alert = self.inbox.card.get_by_role("alert").filter(has_text="has changed since you read it")
        key = NEWER if alert.count() else self._key_of(id)
        before = self.inbox.card.inner_text()
        self.inbox.press(key)
        self.inbox.expect(
            self.inbox.page.locator(f"[data-item='{id}']").filter(has_text=before)
        ).to_have_count(0)

    def _key_of(self, id: str) -> str:
        if id not in self.items:
            self.items |= {item["id"]: item for item in self.inbox.waiting()}
        offered = self.inbox.card.locator("[role=toolbar] kbd").all_inner_texts()
        if self.decided.get(id) not in offered:  # a proposal that was rejected meanwhile takes no place
            self.decided[id] = self._key_in_turn(self.items[id]["kind"], offered)
        return self.decided[id]

    def _key_in_turn(self, kind: str, offered: list[str]) -> str:
        keys = KEYS_OF[kind]
        turn = next(self.turns[kind])
        return next(key for key in (keys[turn % len(keys)], *keys) if key in offered)


def test_all_that_waits_is_decided_by_keys_alone(inbox: Reviewing) -> None:
    """Falls where an item takes a fourth key, needs the mouse, or is decided on the page and not on the server."""
    inbox.browsing.may_be_refused = True  # what another decision has changed is looked at again
    run = Run(inbox, {item["id"]: item for item in inbox.waiting()})
    assert len(run.items) >= ITEMS
    assert {item["kind"] for item in run.items.values()} == KINDS
    inbox.page.evaluate(RECORDER)
    begun = time.monotonic()
    run.decide_all()
    assert eventually(lambda: not inbox.waiting()), [item["id"] for item in inbox.waiting()]
    took = time.monotonic() - begun
    keys = inbox.page.evaluate("() => window.__pressed")
    pressed = Counter(id for id, _ in keys)
    print(report(run.items, pressed, took))
    assert inbox.page.evaluate("() => window.__pointed") == 0
    assert [one for one in keys if pressed[one[0]] > KEYS_AN_ITEM] == []
    assert [id for id in run.decided if pressed[id] == 0] == []
    assert [id for id, key in run.decided.items() if not is_decided(inbox, run.items[id], key)] == []
    settled = [item for id, item in run.items.items() if id not in run.decided]
    assert all(item["kind"] in ("doubted", "pending") for item in settled), (
        "a proposal alone settles another item"
    )


def report(items: Mapping[str, dict[str, Any]], pressed: Mapping[str, int], seconds: float) -> str:
    """Line that says how many items of each kind there were, how many took how many keys, and the seconds of all."""
    by_keys = Counter(pressed.get(id, 0) for id in items)
    kinds = Counter(item["kind"] for item in items.values())
    of_kind = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items()))
    took = ", ".join(f"{number} took {keys}" for keys, number in sorted(by_keys.items()))
    return f"{len(items)} items ({of_kind}) by {sum(pressed.values())} keys in {seconds:.0f} s: {took}"


def is_decided(inbox: Reviewing, item: dict[str, Any], key: str) -> bool:
    """Tells whether the server has the decision of a key."""
    kind = item["kind"]
    if kind == "staged":
        return _staged_status(inbox, item["id"]) == {"a": "promoted", "r": "rejected"}[key]
    if "memories" in item:
        return _is_pair_decided(inbox, [memory["id"] for memory in item["memories"]], key)
    memory = inbox.memory(item["id"])
    checks: dict[str, Callable[[], bool]] = {
        "a": lambda: memory["status"] == "active" and memory["doubted"] is None,
        "r": lambda: memory["status"] == "rejected",
        "x": lambda: memory["status"] == "archived",
        "1": lambda: memory["superseded_by"] in item["doubted"]["proposals"],
    }
    return checks[key]() or _is_overruled(memory)


def _is_overruled(memory: Mapping[str, Any]) -> bool:
    """Tells whether a proposal was rejected by a decision for the memory in whose place it was, which came first."""
    return memory["status"] == "rejected" and str(memory["status_reason"]).endswith(" instead")


def _is_pair_decided(inbox: Reviewing, ids: list[str], key: str) -> bool:
    one, other = (inbox.memory(id) for id in ids)
    links = (one["superseded_by"], other["superseded_by"])
    if key == "m":
        return links in ((other["id"], None), (None, one["id"]))
    return links == {"1": (None, one["id"]), "2": (other["id"], None), "a": (None, None)}[key]


def _staged_status(inbox: Reviewing, id: str) -> str:
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        query = {"limit": 200, **({"cursor": cursor} if cursor else {})}
        page = inbox.server.get("/v1/projects/review/staging", params=query).json()
        found += page["staged"]
        if (cursor := page.get("next_cursor")) is None:
            return next(one["status"] for one in found if one["id"] == id)
