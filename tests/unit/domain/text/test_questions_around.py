"""Questions that stand around a text: in runs, whole or half in the text itself."""

import pytest

from memory_layer.domain.text.question_runs import beside_runs, stands_around
from memory_layer.domain.text.repeated_question import AskedQuestion

ASKED = AskedQuestion("How many days does the message queue keep undelivered messages?")


@pytest.mark.parametrize(
    ("text", "context", "stands"),
    [
        ("Well, four.", "ana: how many days does the message queue keep undelivered messages?", True),
        ("Days the message queue: four.", "Keep undelivered messages, thanks.", True),
        ("Well, four.", "Undelivered messages in the message queue: how many days does it keep them?", True),
        # its words stand apart, in the text alone, or lack one of the subject
        ("Well, four.", "The days were long. Each message came late. My queue grew, undelivered.", False),
        ("How many days does the message queue keep undelivered messages? Four.", "Thanks.", False),
        ("Well, four.", "How many days does the message last?", False),
    ],
)
def test_a_question_around_a_text_stands_in_runs(text: str, context: str, stands: bool) -> None:
    assert stands_around(ASKED, text, context) == stands


def test_what_is_said_beside_its_runs() -> None:
    assert beside_runs(ASKED, "Days the message queue: four, said Bo.") == "four said Bo"
    assert beside_runs(ASKED, "Four, says the queue.") == "Four says the queue"
