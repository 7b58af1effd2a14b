"""Questions in words of the asker's own: a word or two that they share with a note by accident count for little."""

from __future__ import annotations

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.retrieval import blending
from memory_layer.usecases.recall.recall import RecallRequest, recall
from tests.given import PROJECT, remembered

RIGHT = "Passwords expire after ninety days."
STRAY = "Think before you merge."
NOTES = (
    RIGHT,
    STRAY,
    "New people get a laptop on their first day.",
    "A secret of the build lies in its vault.",
    "Sign off a release in the calendar.",
    "A word of the glossary has one meaning.",
    "The queue keeps messages for four days.",
    "Restart the gateway after every schema change.",
    "Errors of the parser are logged as JSON.",
    "Invoices are numbered by year and month.",
)
LOOSE = "When do people have to think of a new secret word to sign in?"


@pytest.mark.parametrize("is_weighed", [True, False])
def test_what_means_the_same_stands_before_what_shares_a_word(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch, is_weighed: bool
) -> None:
    """Falls where a question's best match weighs alike, whatever it says of the question."""
    if not is_weighed:
        monkeypatch.setattr(blending, "keyword_part", lambda *_: 1.0)
    for note in NOTES:
        remembered(backend.ports, admin, note, on_duplicate="create")
    backend.drain()
    request = RecallRequest(query=LOOSE, min_score=0.0)
    shown = [item.memory.content for item in recall(backend.ports, admin, PROJECT, request).memories]
    assert (shown.index(RIGHT) < shown.index(STRAY)) is is_weighed
