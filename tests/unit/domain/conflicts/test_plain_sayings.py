"""Sayings of everyday reports meet in their plainest words, and what is put plainly alike is not the same for that."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.plain_sayings import said_plainly
from memory_layer.domain.conflicts.sameness import PLAIN_COSINE, PLAIN_MAX_CHARS, Sameness, sameness


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Readings are kept for ninety days.", "We retain readings for 90 days."),
        ("You should be aware that the mill is not for wet grain.", "The mill is not for wet grain."),
        ("It is essential to drain the tank within 3 months.", "You must drain the tank within 3 months."),
        (
            "Use a list to confirm whether the mill is ready.",
            "You should use a list to confirm if the mill is ready.",
        ),
        ("Open the valve after you drain the tank.", "After draining the tank, open the valve."),
        ("Never keep keys in plain text.", "Keys must not be stored unencrypted."),
        ("The pump skips valves that have no gauge.", "Valves without a gauge are ignored by the pump."),
        ("Direct writes to the tank are forbidden.", "Do not write to the tank directly."),
        (
            "When a gauge fails twice, the pump is put on hold.",
            "The pump is paused if a gauge fails two times.",
        ),
        ("Ask a guard in case of a leak.", "If there is a leak, ask a guard."),
    ],
)
def test_sayings_in_other_words_are_paraphrases(one: str, other: str) -> None:
    assert sameness(one, other, 0.8) == sameness(other, one, 0.8) == Sameness.PARAPHRASE
    assert sameness(one, other, PLAIN_COSINE - 0.01) == Sameness.OTHER


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The pump sends water to the mill.", "The mill sends water to the pump."),
        ("The guard checks the key of the miller.", "The miller checks the key of the guard."),
        (
            "The pump stops valves that run longer than two hours.",
            "The pump starts valves that run longer than two hours.",
        ),
        ("Gauges are read before they are cleaned.", "Gauges are cleaned before they are read."),
        ("Mills may have default valves:", "Mills with default valves may be omitted:"),
        ("Valves with a gauge are refused.", "Valves without a gauge are refused."),
        ("Millers may open the tank.", "Guards may open the tank."),
        ("Readings are kept for fifteen days.", "Readings are kept for fifty days."),
        ("This text is of the Create Pump example.", "This text is of the Define Pump example."),
        ("Readings are kept.", "Readings are removed."),
    ],
)
def test_what_differs_stays_told_apart(one: str, other: str) -> None:
    """Falls where a table puts two ends, two persons or a name and another one into one word."""
    assert sameness(one, other, 0.9) == sameness(other, one, 0.9) == Sameness.OTHER


def test_a_long_text_is_not_put_plainly() -> None:
    tail = " Valves are made of brass." * (PLAIN_MAX_CHARS // 20)
    one, other = ("Never keep keys in plain text.", "Keys must not be stored unencrypted.")
    assert sameness(one + tail, other + tail, 0.8) == Sameness.OTHER


def test_code_and_names_stay_as_they_are() -> None:
    assert (
        said_plainly("Run `make build/start` with Create Auth.")
        == "begin `make build/start` with Create Auth."
    )
