"""What feedback has taught contexts, on the page of the settings; and how sure an estimate says that it is."""

from __future__ import annotations

import httpx2
import pytest

from tests.console.browsing import Browsing

pytest.importorskip("playwright.sync_api")
from playwright.sync_api import expect

PROJECT = "tuned"
ROOT = f"/v1/projects/{PROJECT}"


@pytest.fixture(scope="session")
def memory(server: httpx2.Client) -> str:
    """A memory of a project whose contexts were judged once, and where one class is weighed by hand."""
    for number in range(4):
        said = {"content": f"Shelf {number} of the archive holds invoices.", "on_duplicate": "create"}
        id: str = server.post(f"{ROOT}/memories", json=said).json()["id"]
    context = server.post(f"{ROOT}/context", json={"intent": "Where are the invoices?"}).json()
    judged = {"coherence_score": 0.1, "useful": [1]}
    assert server.post(f"{ROOT}/context/{context['request_id']}/feedback", json=judged).is_success
    by_hand = {"relevance": 0.7, "recency": 0.1, "credibility": 0.1, "coherence": 0.1}
    assert server.patch(f"{ROOT}/settings", json={"context_weights": {"code": by_hand}}).is_success
    return id


@pytest.mark.usefixtures("memory")
def test_the_weights_in_force_and_what_feedback_taught_are_shown_as_the_api_tells_them(
    browsing: Browsing, link: str, server: httpx2.Client
) -> None:
    """Falls where the defaults are shown in the place of what is in force."""
    tuning = server.get(f"{ROOT}/context/tuning").json()
    assert tuning["weights"]["code"]["relevance"] == 0.7
    assert tuning["learned"]["pages"] == 1
    browsing.open(link)
    browsing.go(f"{PROJECT}/settings")
    shown = browsing.page.get_by_role("region", name="In force")
    rows = shown.get_by_role("table", name="Weights in force").locator("tbody tr")
    expect(rows).to_have_count(len(tuning["weights"]))
    for place, (name, weights) in enumerate(tuning["weights"].items()):
        cells = [name, *(f"{weights[one]:g}" for one in weights), f"{tuning['cooling'][name]:g} ×"]
        expect(rows.nth(place).locator("td")).to_have_text(cells)
    learned = shown.get_by_role("table", name="What readers' choices have taught").locator("tbody tr")
    expect(learned).to_have_count(len(tuning["learned"]["weights"]))
    expect(shown).to_contain_text("Fitted to 1 contexts")
    for change in tuning["history"]:
        expect(shown).to_contain_text("; ".join(change["why"]))


def test_an_estimate_of_which_little_is_known_says_so(browsing: Browsing, link: str, memory: str) -> None:
    browsing.open(link)
    browsing.go(f"{PROJECT}/memories/{memory}?view=estimate")
    shown = browsing.page.get_by_role("region", name="Estimate")
    expect(shown).to_contain_text("50% likely to serve whoever is shown it next. That is a guess")
