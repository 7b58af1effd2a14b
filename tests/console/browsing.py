"""One browser page and what it complains of: errors, blocked contents, and rules of accessibility that are broken."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from memory_layer.console.bundle import BUNDLE

AXE = BUNDLE.parent / "web" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
EXPECTED = "Failed to load resource"
"""Said for each refusal of the API, which the page itself tells; a test that is refused nothing lists it."""


@dataclass
class Browsing:
    """A page under watch. Args: page: Playwright's; origin: of the server."""

    page: Any
    origin: str
    complaints: list[str] = field(default_factory=list)
    may_be_refused: bool = False

    def __post_init__(self) -> None:
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(f"thrown: {error}"))

    def _heard(self, message: Any) -> None:
        is_told = message.type in ("error", "warning")
        if is_told and not (self.may_be_refused and EXPECTED in message.text):
            self.complaints.append(f"{message.type}: {message.text} ({message.location['url']})")

    def open(self, link: str) -> None:
        """Opens a link of `mem console`, and waits until the frame is there."""
        self.page.goto(link)
        self.page.get_by_role("navigation", name="Pages").first.wait_for()

    def go(self, place: str) -> None:
        """Goes to a place of the console, such as `shop/memories`, without loading the page anew."""
        self.page.evaluate("place => { location.hash = place; }", f"#/{place}")

    def broken_rules(self) -> list[str]:
        """Rules of accessibility that the page breaks, each with the elements that do.

        The checker runs in a world of its own, which the page's content policy does not bind.
        """
        session = self.page.context.new_cdp_session(self.page)
        tree = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = session.send("Page.createIsolatedWorld", {"frameId": tree, "worldName": "axe"})
        run = f"axe.run(document, {json.dumps({'runOnly': RULES})}).then(found => JSON.stringify(found.violations))"
        for expression in (AXE.read_text("utf-8"), run):
            answer = session.send(
                "Runtime.evaluate",
                {
                    "expression": expression,
                    "contextId": world["executionContextId"],
                    "awaitPromise": True,
                    "returnByValue": True,
                },
            )
        session.detach()
        violations = json.loads(answer["result"]["value"])
        return [f"{one['id']}: {node['html']}" for one in violations for node in one["nodes"]]
