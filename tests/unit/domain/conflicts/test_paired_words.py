"""Words that changed places say another thing, unless what changed places stands there as a whole."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.paired_words import are_paired_otherwise
from memory_layer.domain.conflicts.point_of_difference import point_of_difference


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Service A depends on service B.", "Service B depends on service A."),
        ("Option A overrides option B.", "Option B overrides option A."),
        ("Kopiere die Daten von Server A nach Server B.", "Kopiere die Daten von Server B nach Server A."),
        ("Team A owns the queue, team B owns the topic.", "Team B owns the queue, team A owns the topic."),
        (
            "The backend uses Jest and the dashboard uses Vitest.",
            "The backend uses Vitest and the dashboard uses Jest.",
        ),
    ],
)
def test_who_does_what_to_whom_tells_facts_apart(one: str, other: str) -> None:
    """Falls where the letter A is an article, or a pair that is put together anew counts as a group that moved."""
    assert point_of_difference(one, other) is not None
    assert point_of_difference(other, one) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Install Docker and Node.", "Install Node and Docker."),
        ("Run the tests before every commit.", "Before every commit, run the tests."),
        ("Build the docs, then run the tests.", "Build the docs, then run the tests!"),
        ("Use either A or B.", "Use either B or A."),
    ],
)
def test_what_stands_elsewhere_as_a_whole_is_the_same_fact(one: str, other: str) -> None:
    assert point_of_difference(one, other) is None
    assert not are_paired_otherwise(one, other)


def test_other_words_are_no_other_pairing() -> None:
    assert not are_paired_otherwise(
        "Jest tests the backend, Vitest the app.", "Jest tests it, and Vitest too."
    )
